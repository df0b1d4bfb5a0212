package callqueue

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func at(path string) string { return filepath.FromSlash(path) }

func enter(ctx context.Context, q *Queue, need Need) (leave func(), err error) {
	turn, _, err := q.Enter(ctx, need)
	if err != nil {
		return nil, err
	}
	return turn.Leave, nil
}

// left returns the number of running and waiting calls.
func (q *Queue) left() int { return q.Running() + len(q.waiting) + len(q.holding) + len(q.tenants) }

// lock enters the queue with a call that needs only files, and returns the function that leaves it.
func lock(ctx context.Context, l *Queue, tenant string, paths ...string) (unlock func(), err error) {
	return enter(ctx, l, Need{Tenant: tenant, Paths: paths})
}

func TestCallsWaitForOverlappingPaths(t *testing.T) {
	tests := []struct {
		held, wanted []string
		waits        bool
	}{
		{[]string{"/ws/a"}, []string{"/ws/a"}, true},
		{[]string{"/ws/a"}, []string{"/ws/b"}, false},
		{[]string{"/ws"}, []string{"/ws/a/b"}, true},
		{[]string{"/ws/a/b"}, []string{"/ws"}, true},
		{[]string{"/ws/a"}, []string{"/ws/ab"}, false},
		{[]string{"/ws/a"}, []string{"/ws/x/../A"}, true},
		{[]string{"/"}, []string{"/ws"}, true},
		{[]string{"/one", "/two"}, []string{"/three", "/two/x"}, true},
		{[]string{"/one", "/two"}, []string{"/three", "/four"}, false},
		{nil, []string{"/a"}, false},
		{[]string{"/a"}, nil, false},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.held, tt.wanted), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := New(Bounds{})
				take := func(paths []string, done *bool) func() {
					var local []string
					for _, p := range paths {
						local = append(local, at(p))
					}
					unlock, err := lock(t.Context(), l, "", local...)
					if err != nil {
						t.Error(err)
					}
					*done = true
					return unlock
				}
				var first, second bool
				unlock := take(tt.held, &first)
				go func() { take(tt.wanted, &second)() }()
				synctest.Wait()
				if second == tt.waits {
					t.Errorf("the second call was admitted: %v", second)
				}
				unlock()
				unlock() // a second call has no effect
				synctest.Wait()
				if !second || l.left() != 0 {
					t.Errorf("the second call was admitted: %v; left: %d", second, l.left())
				}
			})
		})
	}
}

// Calls run in the order in which they arrived, and a call that gives up does not delay others.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Bounds{})
		unlock, err := lock(t.Context(), l, "", at("/ws/a"))
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var order []string
		wait := func(ctx context.Context, name string, paths ...string) {
			go func() {
				unlock, err := lock(ctx, l, "", paths...)
				if errors.Is(err, context.DeadlineExceeded) {
					name += " gave up"
				}
				mu.Lock()
				order = append(order, name)
				mu.Unlock()
				if err == nil {
					unlock()
				}
			}()
			synctest.Wait()
		}
		hurried, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		wait(hurried, "all", at("/ws"))
		wait(t.Context(), "b", at("/ws/b")) // waits behind the call that wants all paths
		wait(t.Context(), "a", at("/ws/a"))
		mu.Lock()
		if len(order) != 0 {
			t.Errorf("%v did not wait", order)
		}
		mu.Unlock()
		<-hurried.Done()
		synctest.Wait()
		unlock()
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if got := fmt.Sprint(order); got != "[all gave up b a]" {
			t.Errorf("got %s", got)
		}
	})
}

// If one tenant has many calls, other tenants need not wait until all of them have run.
func TestTenantsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Bounds{})
		unlock, err := lock(t.Context(), l, "flood", at("/ws/a"))
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		for _, call := range []struct{ tenant, path string }{
			{"flood", "/ws/a"}, {"flood", "/ws/a"}, {"flood", "/ws"}, {"other", "/ws/a"}, {"flood", "/ws/a"}, {"other", "/ws/a"}, {"third", "/ws"},
		} {
			go func() {
				unlock, err := lock(t.Context(), l, call.tenant, at(call.path))
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, call.tenant) // guarded by the lock
				unlock()
			}()
			synctest.Wait()
		}
		unlock()
		synctest.Wait()
		if got := fmt.Sprint(order); got != "[other third flood other flood flood flood]" || l.left() != 0 {
			t.Errorf("got %s; left: %d", got, l.left())
		}
	})
}

// When too many calls wait, a call of the tenant with the most waiting calls is displaced.
func TestWaitingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for most, want := range map[int]string{
			0:  "[flood flood flood flood other third]",
			-1: "[]",
			3:  "[flood other third]",
			4:  "[flood flood other third]",
		} {
			l := New(Bounds{MaxWaiting: most})
			unlock, err := lock(t.Context(), l, "first", at("/ws/a"))
			if err != nil {
				t.Fatal(err)
			}
			var mu sync.Mutex
			got := []string{}
			for _, tenant := range []string{"flood", "flood", "flood", "flood", "other", "third"} {
				go func() {
					unlock, err := lock(t.Context(), l, tenant, at("/ws"))
					if errors.Is(err, ErrFull) {
						return
					}
					mu.Lock()
					got = append(got, tenant)
					mu.Unlock()
					unlock()
				}()
				synctest.Wait()
			}
			unlock()
			synctest.Wait()
			mu.Lock()
			slices.Sort(got)
			if fmt.Sprint(got) != want || l.left() != 0 {
				t.Errorf("%d: %v were admitted, want %s; left: %d", most, got, want, l.left())
			}
			mu.Unlock()
		}
	})
}

// While a call holds a path, no other call gets the path, regardless of the position in the queue.
func TestLaterCallMayHoldPath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Bounds{})
		take := func(tenant, path string) (unlock func()) {
			unlock, err := lock(t.Context(), l, tenant, at(path))
			if err != nil {
				t.Error(err)
			}
			return unlock
		}
		first := take("a", "/x")
		go func() { take("a", "/x")() }()
		synctest.Wait()
		second := take("a", "/y") // comes after a waiting call
		done := false
		go func() {
			take("b", "/y")()
			done = true
		}()
		synctest.Wait()
		if done {
			t.Error("two calls hold the same path")
		}
		second()
		synctest.Wait()
		if !done {
			t.Error("the call waits although the path is free")
		}
		first()
		synctest.Wait()
	})
}

func TestManyCalls(t *testing.T) {
	l := New(Bounds{})
	var wg sync.WaitGroup
	counts := make(map[int]*int)
	for i := range 3 {
		counts[i] = new(int)
	}
	for i := range 300 {
		wg.Go(func() {
			unlock, err := lock(t.Context(), l, "", at(fmt.Sprint("/ws/", i%3)))
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			*counts[i%3]++
		})
	}
	wg.Wait()
	if *counts[0]+*counts[1]+*counts[2] != 300 {
		t.Error("changes were lost")
	}
}

// A call waits until everything that it needs is available, and holds nothing while it waits.
func TestQueuedCallHoldsNoResources(t *testing.T) {
	file := []string{at("/ws/a")}
	tests := []struct {
		name   string
		bounds Bounds
		// The calls enter in this order. The field running lists the tenants of the calls that run
		// afterwards.
		calls   []Need
		running string
		then    string // after the first call has ended
	}{
		{
			"a tenant without a place keeps no file",
			Bounds{TenantCalls: 1},
			[]Need{{Tenant: "a"}, {Tenant: "a", Paths: file}, {Tenant: "b", Paths: file}},
			"[a b]", "[b]",
		},
		{
			"a tenant without memory keeps no file",
			Bounds{TenantMemory: 10},
			[]Need{{Tenant: "a", Memory: 6}, {Tenant: "a", Memory: 5, Paths: file}, {Tenant: "b", Memory: 10, Paths: file}},
			"[a b]", "[b]",
		},
		{
			"a call that waits for a file holds no place",
			Bounds{Calls: 2},
			[]Need{{Tenant: "a", Paths: file}, {Tenant: "a", Paths: file}, {Tenant: "b"}},
			"[a b]", "[a b]",
		},
		{
			"a call that waits for a file holds no place of its tenant",
			Bounds{TenantCalls: 2},
			[]Need{{Tenant: "a", Paths: file}, {Tenant: "a", Paths: file}, {Tenant: "a"}},
			"[a a]", "[a a]",
		},
		{
			"each tenant has its own memory limit",
			Bounds{TenantMemory: 10},
			[]Need{{Tenant: "a", Memory: 10}, {Tenant: "b", Memory: 10}, {Tenant: "a", Memory: 1}},
			"[a b]", "[a b]",
		},
		{
			"a call that needs no memory does not wait for memory",
			Bounds{TenantMemory: 10},
			[]Need{{Tenant: "a", Memory: 10}, {Tenant: "a", Memory: 1}, {Tenant: "a"}},
			"[a a]", "[a a]",
		},
		{
			"small calls do not overtake a large one of their tenant",
			Bounds{TenantMemory: 10},
			[]Need{{Tenant: "a", Memory: 6}, {Tenant: "a", Memory: 10}, {Tenant: "a", Memory: 1}, {Tenant: "b", Memory: 1}},
			"[a b]", "[a b]",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := New(tt.bounds)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var mu sync.Mutex
				running := make(map[int]string)
				end := make([]chan struct{}, len(tt.calls))
				for i, need := range tt.calls {
					end[i] = make(chan struct{})
					go func() {
						leave, err := enter(ctx, q, need)
						if err != nil {
							return
						}
						mu.Lock()
						running[i] = need.Tenant
						mu.Unlock()
						select {
						case <-end[i]:
						case <-ctx.Done():
						}
						mu.Lock()
						delete(running, i)
						mu.Unlock()
						leave()
					}()
					synctest.Wait()
				}
				expect := func(want string) {
					synctest.Wait()
					mu.Lock()
					defer mu.Unlock()
					if got := fmt.Sprint(slices.Sorted(maps.Values(running))); got != want {
						t.Errorf("%s run, want %s", got, want)
					}
				}
				expect(tt.running)
				close(end[0])
				expect(tt.then)
				cancel()
				synctest.Wait()
				if len(q.waiting) != 0 || q.Running() != 0 || len(q.tenants) != 0 {
					t.Errorf("left: %d waiting, %d running, %v", len(q.waiting), q.Running(), q.tenants)
				}
			})
		})
	}
}

// The error of a call that gave up says what it waited for.
func TestGaveUp(t *testing.T) {
	for want, tt := range map[Want]struct {
		bounds Bounds
		need   Need
	}{
		Places: {Bounds{Calls: 1}, Need{}},
		Memory: {Bounds{TenantMemory: 3}, Need{Memory: 2}},
		Files:  {Bounds{}, Need{Paths: []string{at("/ws")}}},
	} {
		t.Run(string(want), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := New(tt.bounds)
				leave, err := enter(t.Context(), q, tt.need)
				if err != nil {
					t.Fatal(err)
				}
				defer leave()
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_, _, err = q.Enter(ctx, tt.need)
				var gaveUp *GaveUp
				if !errors.As(err, &gaveUp) || gaveUp.For != want || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v, want an error that the call waited for %s", err, want)
				}
			})
		})
	}
}
