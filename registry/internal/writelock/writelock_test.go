package writelock

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func at(path string) string { return filepath.FromSlash(path) }

func TestWhoWaitsForWhom(t *testing.T) {
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
				var l Locks
				lock := func(paths []string, done *bool) func() {
					var local []string
					for _, p := range paths {
						local = append(local, at(p))
					}
					unlock, err := l.Lock(t.Context(), "", local...)
					if err != nil {
						t.Error(err)
					}
					*done = true
					return unlock
				}
				var first, second bool
				unlock := lock(tt.held, &first)
				go func() { lock(tt.wanted, &second)() }()
				synctest.Wait()
				if second == tt.waits {
					t.Errorf("went on: %v", second)
				}
				unlock()
				unlock() // again does nothing
				synctest.Wait()
				if !second || len(l.turns) != 0 {
					t.Errorf("went on: %v; left: %d", second, len(l.turns))
				}
			})
		})
	}
}

// Who came first goes first, and who gives up keeps nobody.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l Locks
		unlock, err := l.Lock(t.Context(), "", at("/ws/a"))
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var order []string
		wait := func(ctx context.Context, name string, paths ...string) {
			go func() {
				unlock, err := l.Lock(ctx, "", paths...)
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
		wait(t.Context(), "b", at("/ws/b")) // behind who wants all
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

// A tenant with many calls does not keep those of others waiting behind all of them.
func TestTenantsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l Locks
		unlock, err := l.Lock(t.Context(), "flood", at("/ws/a"))
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		for _, call := range []struct{ tenant, path string }{
			{"flood", "/ws/a"}, {"flood", "/ws/a"}, {"flood", "/ws"}, {"other", "/ws/a"}, {"flood", "/ws/a"}, {"other", "/ws/a"}, {"third", "/ws"},
		} {
			go func() {
				unlock, err := l.Lock(t.Context(), call.tenant, at(call.path))
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, call.tenant) // the lock guards it
				unlock()
			}()
			synctest.Wait()
		}
		unlock()
		synctest.Wait()
		if got := fmt.Sprint(order); got != "[other third flood other flood flood flood]" || len(l.turns) != 0 {
			t.Errorf("got %s; left: %d", got, len(l.turns))
		}
	})
}

// Of too many that wait, those of the tenant with most of them go.
func TestWaitingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for most, want := range map[int]string{
			0:  "[flood flood flood flood other third]",
			-1: "[]",
			3:  "[flood other third]",
			4:  "[flood flood other third]",
		} {
			l := Locks{MaxWaiting: most}
			unlock, err := l.Lock(t.Context(), "first", at("/ws/a"))
			if err != nil {
				t.Fatal(err)
			}
			var mu sync.Mutex
			got := []string{}
			for _, tenant := range []string{"flood", "flood", "flood", "flood", "other", "third"} {
				go func() {
					unlock, err := l.Lock(t.Context(), tenant, at("/ws"))
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
			if fmt.Sprint(got) != want || len(l.turns) != 0 {
				t.Errorf("%d: %v went on, want %s; left: %d", most, got, want, len(l.turns))
			}
			mu.Unlock()
		}
	})
}

// Who holds a path keeps others from it wherever they stand.
func TestWhoCameLaterMayHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l Locks
		lock := func(tenant, path string) (unlock func()) {
			unlock, err := l.Lock(t.Context(), tenant, at(path))
			if err != nil {
				t.Error(err)
			}
			return unlock
		}
		first := lock("a", "/x")
		go func() { lock("a", "/x")() }()
		synctest.Wait()
		second := lock("a", "/y") // stands behind who waits
		done := false
		go func() {
			lock("b", "/y")()
			done = true
		}()
		synctest.Wait()
		if done {
			t.Error("two hold one path")
		}
		second()
		synctest.Wait()
		if !done {
			t.Error("it waits for nobody")
		}
		first()
		synctest.Wait()
	})
}

func TestManyCalls(t *testing.T) {
	var l Locks
	var wg sync.WaitGroup
	counts := make(map[int]*int)
	for i := range 3 {
		counts[i] = new(int)
	}
	for i := range 300 {
		wg.Go(func() {
			unlock, err := l.Lock(t.Context(), "", at(fmt.Sprint("/ws/", i%3)))
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
