package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/ledger/results"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// editor returns echo as a tool in the sandbox that writes to the file named by its argument text.
func editor() tool.Spec {
	spec := echo()
	spec.Sandboxed, spec.Changes = true, "text"
	spec.Permissions.FS = []capability.FS{{Mount: "workspace", Mode: capability.ModeWrite}}
	return spec
}

// writable returns Rules that allow echo to write to a directory.
func writable(t *testing.T, dir string) Rules {
	return Rules{
		Grantable: capability.Grantable{Mounts: map[string]capability.Mount{"workspace": {Dir: dir, Mode: capability.ModeWrite}}},
		Policy:    compile(t, policy.Config{Tools: map[string]policy.ToolRule{"echo": {AutoExecute: true}}}),
	}
}

// gauge counts concurrent calls, by tenant and in total. Each call takes a second.
type gauge struct {
	mu        sync.Mutex
	now, peak map[string]int
	order     []string
}

func newGauge() *gauge { return &gauge{now: make(map[string]int), peak: make(map[string]int)} }

func (g *gauge) run(_ context.Context, in tool.Invocation) {
	names := []string{"all", in.Call.Tenant}
	g.mu.Lock()
	g.order = append(g.order, in.Call.Tenant)
	for _, name := range names {
		g.now[name]++
		g.peak[name] = max(g.peak[name], g.now[name])
	}
	g.mu.Unlock()
	<-time.After(time.Second)
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, name := range names {
		g.now[name]--
	}
}

// Edits of the same file run one at a time, even if they name the file differently. Edits of
// different files run concurrently.
func TestEditsOfOneFileRunOneAtATime(t *testing.T) {
	dir := t.TempDir()
	tests := []struct {
		name   string
		change func(*tool.Spec)
		files  []string
		want   time.Duration
	}{
		{"one file", nil, []string{"a.txt", "a.txt", "a.txt"}, 3 * time.Second},
		{"one file with many names", nil, []string{"a.txt", "./a.txt", "/workspace/a.txt", "x/../A.txt"}, 4 * time.Second},
		{"different files", nil, []string{"a.txt", "b.txt", "c/d.txt"}, time.Second},
		{"a directory and a file in it", nil, []string{"c", "c/d.txt"}, 2 * time.Second},
		{"files outside all mounts", nil, []string{"/etc/a", "../b", "/workspace"}, 3 * time.Second},
		{"a tool that does not declare its file", func(s *tool.Spec) { s.Changes = "" }, []string{"a.txt", "b.txt"}, 2 * time.Second},
		{"a tool that only reads", func(s *tool.Spec) { s.Permissions.FS[0].Mode = capability.ModeRead }, []string{"a.txt", "a.txt"}, time.Second},
		{"scratch space", func(s *tool.Spec) { s.Permissions.FS[0].Mount = capability.ScratchMount }, []string{"/tmp/a", "/tmp/a"}, time.Second},
		{"a mount elsewhere", func(s *tool.Spec) { s.Permissions.FS[0].At = "/w" }, []string{"/w/a", "a", "/w/b"}, 2 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				spec := editor()
				if tt.change != nil {
					tt.change(&spec)
				}
				r := withTool(t, Options{Rules: writable(t, dir)}, spec, does(newGauge().run))
				start := time.Now()
				var wg sync.WaitGroup
				for _, file := range tt.files {
					wg.Go(func() {
						if _, err := r.Execute(t.Context(), say(file)); err != nil {
							t.Error(err)
						}
					})
				}
				wg.Wait()
				if took := time.Since(start); took != tt.want {
					t.Errorf("took %v, want %v", took, tt.want)
				}
			})
		})
	}
	spec := editor()
	spec.Changes = "nothing"
	wantCode(t, New(Options{}).Tools().Register(spec, &fake{}), tool.CodeInvalidManifest)
}

// If a call waited too long for a file, its error names the call that uses the file. It names no
// call of another tenant.
func TestErrorNamesTheHolderOfAFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		o := Options{Rules: writable(t, t.TempDir()), Schedule: schedule.Options{WaitTimeout: time.Minute}}
		r := withTool(t, o, editor(), &fake{execute: func(context.Context, tool.Invocation) (tool.Result, error) {
			<-release
			return tool.Result{}, nil
		}})
		if err := r.Tools().Register(tool.Spec{Name: "job", Description: "Begins a call."}, &fake{execute: func(ctx context.Context, in tool.Invocation) (tool.Result, error) {
			<-in.Start(context.WithoutCancel(ctx), tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":"b.txt"}`)}).Decided()
			return tool.Result{}, nil
		}}); err != nil {
			t.Fatal(err)
		}
		call := func(tenant, name, file string) error {
			_, err := r.Execute(context.Background(), tool.Call{Tenant: tenant, Tool: name, Arguments: json.RawMessage(`{"text":"` + file + `"}`)})
			return err
		}
		go func() { _ = call("ann", "echo", "a.txt") }()
		if _, err := r.Execute(context.Background(), tool.Call{Tenant: "ann", Tool: "job"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		for _, tt := range []struct{ tenant, file, want string }{
			{"ann", "a.txt", "could not start within 1m0s: a call of echo has been running for 1m0s and may change the same files; try again later"},
			{"ann", "b.txt", "a call of echo, which another tool such as process started, has been running for 2m0s and may change"},
			{"bob", "a.txt", "a call that may change the same files is running"},
		} {
			e := wantCode(t, call(tt.tenant, "echo", tt.file), tool.CodeResourceExhausted)
			if !strings.Contains(e.Message, tt.want) {
				t.Errorf("%s and %s: got %q, want %q", tt.tenant, tt.file, e.Message, tt.want)
			}
		}
		close(release)
		synctest.Wait()
	})
}

// The receipt of a call has the time that it waited for a slot.
func TestReceiptHasTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var waited []time.Duration
		r := withTool(t, Options{Schedule: schedule.Options{MaxCalls: 1}, Calls: ledger.Options{OnReceipt: func(receipt tool.Receipt) {
			mu.Lock()
			defer mu.Unlock()
			waited = append(waited, receipt.Waited)
		}}}, echo(), does(func(context.Context, tool.Invocation) { time.Sleep(3 * time.Second) }))
		first := r.Start(t.Context(), say("x"))
		synctest.Wait()
		time.Sleep(time.Second)
		if _, err := r.Execute(t.Context(), say("y")); err != nil {
			t.Error(err)
		}
		if _, err := first.Result(t.Context()); err != nil {
			t.Error(err)
		}
		if !slices.Equal(waited, []time.Duration{0, 2 * time.Second}) {
			t.Errorf("they waited for %v", waited)
		}
	})
}

// The time that a call waits inside its executor also counts as waiting, in every attempt. It does
// not count as running time of the tenant.
func TestReceiptHasTheWaitOfTheExecutor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var receipt tool.Receipt
		spec := echo()
		spec.Sandboxed = true
		f := &fake{execute: func(_ context.Context, in tool.Invocation) (tool.Result, error) {
			time.Sleep(3 * time.Second)
			result := tool.Result{Call: tool.CallInfo{Waited: 2 * time.Second}}
			if in.Attempt == 1 {
				return result, &tool.Error{Code: tool.CodeNetwork, Message: "gone"}
			}
			return result, nil
		}}
		r := withTool(t, Options{
			Calls:    ledger.Options{OnReceipt: func(of tool.Receipt) { receipt = of }},
			Schedule: schedule.Options{Budget: schedule.Budget{Time: 3 * time.Second, Per: 24 * time.Hour}},
		}, spec, f)
		call := say("x")
		call.Retries = 1
		result, err := r.Execute(t.Context(), call)
		if want := 4 * time.Second; err != nil || result.Call.Waited != want || receipt.Waited != want {
			t.Errorf("the result has %v, the receipt %v, want %v; %v", result.Call.Waited, receipt.Waited, want, err)
		}
		if _, err := r.Execute(t.Context(), call); err != nil {
			t.Errorf("of a budget of three seconds two are used: %v", err)
		}
	})
}

// A tenant cannot use the slots that other tenants need. The error of a call that waits too long
// gives the reason.
func TestTenantsShareThePlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGauge()
		r := withTool(t, Options{Schedule: schedule.Options{MaxCalls: 3, MaxTenantCalls: 2}}, echo(), does(g.run))
		var wg sync.WaitGroup
		start := func(tenant string, n int) {
			for range n {
				wg.Go(func() {
					call := say("x")
					call.Tenant = tenant
					if _, err := r.Execute(t.Context(), call); err != nil {
						t.Error(err)
					}
				})
			}
			synctest.Wait()
		}
		start("greedy", 10)
		start("b", 2)
		wg.Wait()
		if g.peak["all"] != 3 || g.peak["greedy"] != 2 {
			t.Errorf("at once there were %v", g.peak)
		}
		if got := strings.Join(g.order[:6], " "); strings.Count(got, "b") != 2 {
			t.Errorf("the order was %s", g.order)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		o := Options{Schedule: schedule.Options{MaxCalls: 1, MaxWaiting: 1, WaitTimeout: 10 * time.Second}}
		r := withTool(t, o, echo(), does(func(ctx context.Context, _ tool.Invocation) { <-ctx.Done() }))
		running := r.Start(t.Context(), say("x"))
		synctest.Wait()
		waiting := r.Start(t.Context(), say("x"))
		synctest.Wait()
		_, err := r.Execute(t.Context(), say("x"))
		if e := wantCode(t, err, tool.CodeResourceExhausted); e.Details.Limit != "calls" {
			t.Errorf("got %+v", e)
		}
		_, err = waiting.Result(t.Context())
		if e := wantCode(t, err, tool.CodeResourceExhausted); !strings.Contains(e.Message, "within 10s") {
			t.Errorf("got %q", e.Message)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = r.Execute(ctx, say("x"))
		wantCode(t, err, tool.CodeTimeout)
		running.Cancel()
	})
}

// The limit on waiting calls also applies to calls that wait for a file.
func TestCallsThatWaitForAFileAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Options{Schedule: schedule.Options{MaxCalls: 4, MaxWaiting: 2}, Rules: writable(t, t.TempDir())}
		r := withTool(t, o, editor(), does(newGauge().run))
		var handles []*Handle
		for range 10 {
			handles = append(handles, r.Start(t.Context(), say("x.txt")))
			synctest.Wait()
		}
		refused := 0
		for _, h := range handles {
			if _, err := h.Result(t.Context()); tool.CodeOf(err) == tool.CodeResourceExhausted {
				refused++
			} else if err != nil {
				t.Error(err)
			}
		}
		if refused != 7 {
			t.Errorf("%d calls of 10 were refused, want 7", refused)
		}
	})
}

// maxTogether is the max number of concurrent calls of one ExecuteAll.
const maxTogether = 16

func TestExecuteAllRunsIndependentCallsConcurrently(t *testing.T) {
	dir := t.TempDir()
	reader := echo()
	reader.Sandboxed = true
	foreign, declared := echo(), echo()
	declared.Declared = &capability.Effects{ReadOnly: true}
	destructive := echo()
	destructive.Declared = &capability.Effects{Destructive: true}
	byOperator := echo()
	byOperator.Name = "listed"
	sender := editor()
	sender.Permissions.KV = capability.ModeWrite
	edits := []string{"a.txt", "b.txt", "a.txt", "c.txt", "d.txt"}
	tests := []struct {
		name  string
		spec  tool.Spec
		texts []string
		want  time.Duration
	}{
		{"calls that read", reader, []string{"1", "2", "3", "4", "5"}, time.Second},
		{"many calls that read", reader, strings.Split(strings.Repeat("x,", 2*maxTogether-1)+"x", ","), 2 * time.Second},
		{"edits", editor(), edits, 2 * time.Second},
		{"calls outside the sandbox", foreign, []string{"1", "2", "3"}, 3 * time.Second},
		{"calls outside the sandbox that are declared to read", declared, []string{"1", "2", "3"}, time.Second},
		{"calls outside the sandbox that are declared to change something", destructive, []string{"1", "2"}, 2 * time.Second},
		{"calls that the operator declared to read", byOperator, []string{"1", "2", "3"}, time.Second},
		{"edits that also store something", sender, []string{"a.txt", "b.txt"}, 2 * time.Second},
		{"nothing", reader, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fake{execute: func(_ context.Context, in tool.Invocation) (tool.Result, error) {
					<-time.After(time.Second)
					text, _ := in.Text("text")
					return tool.Result{Content: []tool.Content{tool.TextContent(text)}}, nil
				}}
				rules := writable(t, dir)
				rules.Grantable.KV = capability.ModeWrite
				rules.ToolOptions = map[string]ToolOptions{"listed": {ReadOnly: true}}
				r := withTool(t, Options{Rules: rules}, tt.spec, f)
				var calls []tool.Call
				for _, text := range tt.texts {
					call := say(text)
					call.Tool = tt.spec.Name
					calls = append(calls, call)
				}
				start := time.Now()
				outcomes := r.ExecuteAll(t.Context(), calls)
				if took := time.Since(start); took != tt.want {
					t.Errorf("took %v, want %v", took, tt.want)
				}
				for i, o := range outcomes {
					if o.Err != nil || o.Result.Text() != tt.texts[i] {
						t.Errorf("%d: got %q, %v", i, o.Result.Text(), o.Err)
					}
				}
			})
		})
	}
}

// Edits of the same file conflict even if one names the file by a reference to a stored result.
func TestReferencedFileConflicts(t *testing.T) {
	store := results.NewStore(results.Options{})
	handle, ok := store.Keep(results.Owner{}, "a.txt")
	if !ok {
		t.Fatal("the result is not stored")
	}
	synctest.Test(t, func(t *testing.T) {
		r := withTool(t, Options{Calls: ledger.Options{Results: store}, Rules: writable(t, t.TempDir())}, editor(), &fake{
			execute: func(context.Context, tool.Invocation) (tool.Result, error) {
				<-time.After(time.Second)
				return tool.Result{}, nil
			},
		})
		start := time.Now()
		for _, o := range r.ExecuteAll(t.Context(), []tool.Call{say("a.txt"), say("${" + handle + "}")}) {
			if o.Err != nil {
				t.Error(o.Err)
			}
		}
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("the calls take %v together", took)
		}
	})
}

// Calls that conflict run in order, and a failed call does not stop the others.
func TestExecuteAllRunsConflictingCallsInOrder(t *testing.T) {
	var mu sync.Mutex
	content := "old"
	tools := New(Options{Rules: writable(t, t.TempDir())})
	read := echo()
	read.Name, read.Sandboxed = "read", true
	fakes := map[string]*fake{
		"read": {execute: func(context.Context, tool.Invocation) (tool.Result, error) {
			mu.Lock()
			defer mu.Unlock()
			return tool.Result{Content: []tool.Content{tool.TextContent(content)}}, nil
		}},
		"echo": {execute: func(_ context.Context, in tool.Invocation) (tool.Result, error) {
			mu.Lock()
			defer mu.Unlock()
			content += " " + filepath.Base(string(in.Call.ID))
			return tool.Result{}, nil
		}},
	}
	for _, spec := range []tool.Spec{read, editor()} {
		if err := tools.Tools().Register(spec, fakes[spec.Name]); err != nil {
			t.Fatal(err)
		}
	}
	call := func(name, id string) tool.Call {
		c := say("a.txt")
		c.Tool, c.ID = name, id
		return c
	}
	calls := []tool.Call{
		call("read", "1"), call("echo", "2"), call("read", "3"), call("nothing", "4"),
		{Tool: "echo", ID: "5", Arguments: json.RawMessage(`{}`)},
		call("echo", "6"), call("echo", "7"), call("read", "8"),
	}
	var got []string
	for i, o := range tools.ExecuteAll(t.Context(), calls) {
		if o.Result.Call.ID != calls[i].ID {
			t.Errorf("outcome %d belongs to the call %s", i, o.Result.Call.ID)
		}
		if o.Err != nil {
			got = append(got, string(tool.CodeOf(o.Err)))
		} else if text := o.Result.Text(); text != "" {
			got = append(got, text)
		}
	}
	if want := `["old" "old 2" "not_found" "invalid_argument" "old 2 6 7"]`; fmt.Sprintf("%q", got) != want {
		t.Errorf("got %q, want %s", got, want)
	}
}

// heavy is a fake with a bound on the memory of its calls, in bytes.
type heavy struct {
	*fake
	memory uint64
}

func (h heavy) MaxMemory() uint64 { return h.memory }

// A call that waits for a slot of its tenant does not block the file for other tenants.
func TestCallWaitingForAPlaceHoldsNoFile(t *testing.T) {
	for name, o := range map[string]Options{
		"places": {Schedule: schedule.Options{MaxTenantCalls: 1}},
		"memory": {Schedule: schedule.Options{MaxTenantMemory: 100}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o.Rules = writable(t, t.TempDir())
				r := New(o)
				if err := r.Tools().Register(editor(), heavy{does(newGauge().run), 60}); err != nil {
					t.Fatal(err)
				}
				start := func(tenant, file string) *Handle {
					call := say(file)
					call.Tenant = tenant
					defer synctest.Wait()
					return r.Start(t.Context(), call)
				}
				begun := time.Now()
				busy := start("a", "other.txt")
				waits := start("a", "shared.txt")
				free := start("b", "shared.txt")
				for _, call := range []struct {
					handle *Handle
					want   time.Duration
				}{{free, time.Second}, {busy, time.Second}, {waits, 2 * time.Second}} {
					if _, err := call.handle.Result(t.Context()); err != nil {
						t.Error(err)
					}
					if took := time.Since(begun); took != call.want {
						t.Errorf("it took %v, want %v", took, call.want)
					}
				}
			})
		})
	}
}

// The running calls of a tenant share the tenant's memory limit.
func TestTenantMemoryIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGauge()
		r := New(Options{Schedule: schedule.Options{MaxTenantMemory: 100, WaitTimeout: 2500 * time.Millisecond}})
		for name, memory := range map[string]uint64{"echo": 50, "large": 101} {
			spec := echo()
			spec.Name = name
			if err := r.Tools().Register(spec, heavy{does(g.run), memory}); err != nil {
				t.Fatal(err)
			}
		}
		spec := echo()
		spec.Name = "unbounded"
		if err := r.Tools().Register(spec, does(g.run)); err != nil {
			t.Fatal(err)
		}
		large := say("x")
		large.Tool = "large"
		_, err := r.Execute(t.Context(), large)
		if e := wantCode(t, err, tool.CodeResourceExhausted); e.Details.Limit != "memory of the tenant" || !strings.Contains(e.Message, "101 bytes") {
			t.Errorf("got %+v", e)
		}
		var handles []*Handle
		for _, tenant := range []string{"a", "a", "a", "a", "a", "a", "a", "b", "b"} {
			call := say("x")
			call.Tenant = tenant
			handles = append(handles, r.Start(t.Context(), call))
			synctest.Wait()
		}
		free := say("x")
		free.Tenant, free.Tool = "a", "unbounded"
		handles = append(handles, r.Start(t.Context(), free))
		synctest.Wait()
		g.mu.Lock()
		if g.now["a"] != 3 || g.now["b"] != 2 {
			t.Errorf("%v run", g.now)
		}
		g.mu.Unlock()
		for i, h := range handles {
			_, err := h.Result(t.Context())
			if i != 6 { // the last call of tenant "a" waits too long
				if err != nil {
					t.Errorf("%d: %v", i, err)
				}
				continue
			}
			if e := wantCode(t, err, tool.CodeResourceExhausted); e.Details.Limit != "memory of the tenant" || !strings.Contains(e.Message, "memory") {
				t.Errorf("got %+v", e)
			}
		}
	})
}
