package registry

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// failing is a fake executor that returns each of its errors once, in order, and then succeeds. It
// records the time of each run.
type failing struct {
	fake
	errs  []error
	usage capability.Usage
	times []time.Duration
	keys  map[string]bool
}

func failsWith(errs ...error) *failing {
	f := &failing{errs: errs, keys: make(map[string]bool)}
	start := time.Now()
	f.execute = func(_ context.Context, in tool.Invocation) (tool.Result, error) {
		f.times = append(f.times, time.Since(start))
		f.keys[in.Call.IdempotencyKey] = true
		result := tool.Result{Call: tool.CallInfo{Fuel: 10, Memory: 100, Usage: f.usage}}
		if in.Attempt != len(f.times) {
			return result, &tool.Error{Code: tool.CodeInternal, Message: "wrong number of the attempt"}
		}
		if len(f.times) <= len(f.errs) {
			return result, f.errs[len(f.times)-1]
		}
		return result, nil
	}
	return f
}

func failure(code tool.Code) error { return &tool.Error{Code: code, Message: "no luck"} }

// A call is retried only if the failure may be temporary and nothing was changed. The call and the
// registry limit the number of retries.
func TestTemporaryFailureIsRetried(t *testing.T) {
	network := failure(tool.CodeNetwork)
	many := []error{network, network, network, network, network, network, network, network}
	get := capability.RequestUsage{Method: "GET", Sent: true}
	tests := []struct {
		name     string
		errs     []error
		retries  int
		usage    capability.Usage
		foreign  bool // outside the sandbox
		attempts int
		code     tool.Code
	}{
		{"a success", nil, 3, capability.Usage{}, false, 1, ""},
		{"no retries", many, 0, capability.Usage{}, false, 1, tool.CodeNetwork},
		{"a negative number", many, -1, capability.Usage{}, false, 1, tool.CodeNetwork},
		{"a temporary failure", many[:2], 3, capability.Usage{}, false, 3, ""},
		{"too few retries", many, 2, capability.Usage{}, false, 3, tool.CodeNetwork},
		{"more retries than the limit", many, 99, capability.Usage{}, false, 5, tool.CodeNetwork},
		{"only reading", many[:1], 3, capability.Usage{FilesRead: []string{"/a"}, Requests: []capability.RequestUsage{get}}, false, 2, ""},
		{"a file was written", many[:1], 3, capability.Usage{FilesWritten: []string{"/a"}}, false, 1, tool.CodeNetwork},
		{"a key was written", many[:1], 3, capability.Usage{KeysWritten: []string{"a"}}, false, 1, tool.CodeNetwork},
		{"a request was sent", many[:1], 3, capability.Usage{Requests: []capability.RequestUsage{get, {Method: "POST", Sent: true}}}, false, 1, tool.CodeNetwork},
		{"a request was refused", many[:1], 3, capability.Usage{Requests: []capability.RequestUsage{{Method: "POST"}}}, false, 2, ""},
		{"outside the sandbox", many[:1], 3, capability.Usage{}, true, 1, tool.CodeNetwork},
	}
	passes := map[tool.Code]bool{tool.CodeNetwork: true, tool.CodeTimeout: true, tool.CodeRateLimited: true, tool.CodeServer: true}
	for _, code := range tool.Codes() {
		attempts, want := 1, code
		if passes[code] {
			attempts, want = 2, ""
		}
		tests = append(tests, struct {
			name     string
			errs     []error
			retries  int
			usage    capability.Usage
			foreign  bool
			attempts int
			code     tool.Code
		}{string(code), []error{failure(code)}, 1, capability.Usage{}, false, attempts, want})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := failsWith(tt.errs...)
				f.usage = tt.usage
				var receipt tool.Receipt
				spec := echo()
				spec.Sandboxed = !tt.foreign
				r := New(Options{Retries: RetryOptions{Max: 4}, Calls: ledger.Options{OnReceipt: func(r tool.Receipt) { receipt = r }}})
				if err := r.Tools().Register(spec, f); err != nil {
					t.Fatal(err)
				}
				call := say("x")
				call.Retries = tt.retries
				result, err := r.Execute(t.Context(), call)
				if tool.CodeOf(err) != tt.code || len(f.times) != tt.attempts {
					t.Errorf("%d attempts ended with %v", len(f.times), err)
				}
				if len(f.keys) != 1 {
					t.Errorf("the attempts have the keys %v", f.keys)
				}
				n := uint64(tt.attempts)
				if c := result.Call; c.Attempts != tt.attempts || c.Fuel != 10*n || c.Memory != 100 || len(c.Usage.FilesRead) != len(tt.usage.FilesRead) {
					t.Errorf("the total is %+v", c)
				}
				if receipt.Attempts != tt.attempts || receipt.Fuel != 10*n {
					t.Errorf("the receipt has %+v", receipt)
				}
			})
		})
	}
}

// Waits double up to the limit. Jitter shortens a wait by at most half, but never below the delay
// that the server requests.
func TestRetryWaitsDouble(t *testing.T) {
	limited := func(wait time.Duration) error {
		return &tool.Error{Code: tool.CodeRateLimited, Details: tool.Details{RetryAfter: wait}}
	}
	network := failure(tool.CodeNetwork)
	tests := []struct {
		name  string
		errs  []error
		delay time.Duration
		// the longest possible waits; the shortest are half of them, or the same if exact is set
		want  []time.Duration
		exact bool
	}{
		{"doubling", []error{network, network, network}, time.Second, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}, false},
		{"the ceiling", []error{network, network, network, network}, 4 * time.Second, []time.Duration{4 * time.Second, 8 * time.Second, 10 * time.Second, 10 * time.Second}, false},
		{"a delay past the limit", []error{network}, time.Hour, []time.Duration{10 * time.Second}, false},
		{"the default", []error{network}, 0, []time.Duration{tool.DefaultRetryDelay}, false},
		{"a server asks for more", []error{limited(7 * time.Second)}, time.Second, []time.Duration{7 * time.Second}, true},
		{"a server asks for less", []error{limited(time.Millisecond)}, time.Second, []time.Duration{time.Second}, false},
		{"a server asks for too much", []error{limited(11 * time.Second)}, time.Second, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := failsWith(tt.errs...)
				spec := echo()
				spec.Sandboxed = true
				r := New(Options{Retries: RetryOptions{MaxDelay: 10 * time.Second}})
				if err := r.Tools().Register(spec, f); err != nil {
					t.Fatal(err)
				}
				call := say("x")
				call.Retries, call.RetryDelay = 9, tt.delay
				_, err := r.Execute(t.Context(), call)
				if failed := err != nil; failed != (tt.want == nil) || len(f.times) != len(tt.want)+1 {
					t.Fatalf("attempts at %v, %v", f.times, err)
				}
				for i, longest := range tt.want {
					got, shortest := f.times[i+1]-f.times[i], longest/2
					if tt.exact {
						shortest = longest
					}
					if got < shortest || got > longest {
						t.Errorf("wait %d was %v, want %v to %v", i, got, shortest, longest)
					}
				}
			})
		})
	}
}

// All attempts end when the caller's context is done. Each attempt has the full timeout.
func TestRetriesEndWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := failure(tool.CodeNetwork)
		spec := echo()
		spec.Sandboxed = true
		run := func(ctx context.Context, f *failing) (time.Duration, error) {
			r := New(Options{})
			if err := r.Tools().Register(spec, f); err != nil {
				t.Fatal(err)
			}
			call := say("x")
			call.Retries, call.RetryDelay, call.Timeout = 3, 10*time.Second, time.Second
			start := time.Now()
			_, err := r.Execute(ctx, call)
			return time.Since(start), err
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if took, err := run(ctx, failsWith(network)); tool.CodeOf(err) != tool.CodeCancelled || took != time.Second {
			t.Errorf("cancelled while waiting: %v after %v", err, took)
		}
		// If the deadline is before the next attempt, the call fails at once.
		ctx, cancel = context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		if took, err := run(ctx, failsWith(network)); tool.CodeOf(err) != tool.CodeNetwork || took != 0 {
			t.Errorf("no time for another attempt: %v after %v", err, took)
		}
		hang := &failing{keys: make(map[string]bool)}
		hang.execute = func(ctx context.Context, _ tool.Invocation) (tool.Result, error) {
			hang.times = append(hang.times, 0)
			<-ctx.Done()
			return tool.Result{}, &tool.Error{Code: tool.CodeTimeout}
		}
		if _, err := run(t.Context(), hang); tool.CodeOf(err) != tool.CodeTimeout || len(hang.times) != 4 {
			t.Errorf("%d attempts, %v", len(hang.times), err)
		}
	})
}

// retrier is a fake that decides about retries.
type retrier struct {
	*failing
	retry func(e *tool.Error, attempt int) (bool, time.Duration)
}

func (f *retrier) Retry(e *tool.Error, attempt int) (bool, time.Duration) { return f.retry(e, attempt) }

// A Retrier decides which failures are temporary. It cannot allow a retry after the tool has
// changed something.
func TestRetrierDecidesAboutRetries(t *testing.T) {
	busy := failure(tool.CodeExecution)
	tests := []struct {
		name     string
		retry    func(e *tool.Error, attempt int) (bool, time.Duration)
		usage    capability.Usage
		attempts int
		took     time.Duration
	}{
		{"it allows a retry", func(e *tool.Error, n int) (bool, time.Duration) {
			return e.Code == tool.CodeExecution && n < 3, time.Duration(n) * time.Second
		}, capability.Usage{}, 3, 3 * time.Second},
		{"it refuses a retry", func(*tool.Error, int) (bool, time.Duration) { return false, 0 }, capability.Usage{}, 1, 0},
		{"it panics", func(*tool.Error, int) (bool, time.Duration) { panic("x") }, capability.Usage{}, 1, 0},
		{"it wants to wait too long", func(*tool.Error, int) (bool, time.Duration) { return true, time.Hour }, capability.Usage{}, 3, 2 * DefaultMaxRetryDelay},
		{"something was changed", func(*tool.Error, int) (bool, time.Duration) { return true, 0 }, capability.Usage{KeysWritten: []string{"a"}}, 1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &retrier{failsWith(busy, busy, busy, busy), tt.retry}
				f.usage = tt.usage
				r := New(Options{})
				if err := r.Tools().Register(echo(), f); err != nil {
					t.Fatal(err)
				}
				call := say("x")
				call.Retries = 2
				start := time.Now()
				_, err := r.Execute(t.Context(), call)
				if took := time.Since(start); tool.CodeOf(err) != tool.CodeExecution || len(f.times) != tt.attempts || took != tt.took {
					t.Errorf("%d attempts in %v, %v", len(f.times), took, err)
				}
			})
		})
	}
}

// Merging the usage of several attempts lists each item once.
func TestUsageOfAttemptsIsMerged(t *testing.T) {
	a := capability.Usage{FilesRead: []string{"/a", "/b"}, KeysRead: []string{"k"}, Requests: []capability.RequestUsage{{Method: "GET"}}}
	b := capability.Usage{FilesRead: []string{"/b", "/c"}, Secrets: []string{"S"}, Requests: []capability.RequestUsage{{Method: "GET"}}, More: true}
	got := a.Plus(b)
	if fmt.Sprint(got.FilesRead, got.KeysRead, got.Secrets, len(got.Requests), got.More) != "[/a /b /c] [k] [S] 2 true" {
		t.Errorf("got %+v", got)
	}
	if len(a.FilesRead) != 2 {
		t.Errorf("the first became %+v", a)
	}
}

// A call is not retried after Drain has held back one of its attempts.
func TestHeldBackAttemptIsTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		always := func(*tool.Error, int) (bool, time.Duration) { return true, time.Second }
		f := &retrier{failsWith(failure(tool.CodeNetwork), failure(tool.CodeNetwork)), always}
		r := New(Options{})
		if err := r.Tools().Register(echo(), f); err != nil {
			t.Fatal(err)
		}
		call := say("x")
		call.Retries = 3
		h := r.Start(t.Context(), call)
		synctest.Wait()
		go func() {
			release, err := r.Calls().Drain(t.Context(), ledger.Selector{})
			defer release()
			if err != nil {
				t.Error(err)
			}
		}()
		result, err := h.Result(t.Context())
		wantCode(t, err, tool.CodeDisabled)
		if result.Call.Attempts != 1 || result.Call.Fuel != 10 || len(f.times) != 1 {
			t.Errorf("in all it was %+v, %d attempts", result.Call, len(f.times))
		}
	})
}
