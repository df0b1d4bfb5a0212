package callqueue

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// front is a Queue of calls that have a class and do nothing.
type front struct {
	t *testing.T
	*Queue
	close func()
	// held holds the turns of the running calls.
	held map[*Class][]*Turn
	// order lists the calls in the order in which they began to run.
	order []string
}

func newFront(t *testing.T, limit, perClass, maxWaiting int) *front {
	closing, closeAll := context.WithCancel(context.Background())
	t.Cleanup(closeAll)
	if maxWaiting == 0 {
		maxWaiting = -1
	}
	q := New(Bounds{Calls: limit, ClassCalls: perClass, MaxWaiting: maxWaiting, Closed: closing.Done()})
	return &front{t: t, Queue: q, close: closeAll, held: make(map[*Class][]*Turn)}
}

// modules numbers the classes, so that their names are unique.
var modules atomic.Int64

func (f *front) module() *Class { return &Class{Name: fmt.Sprint(modules.Add(1))} }

// Enter stores the turn for Leave.
func (f *front) Enter(ctx context.Context, tenant string, c *Class) error {
	turn, _, err := f.Queue.Enter(ctx, Need{Tenant: tenant, Class: c})
	if err == nil {
		f.mu.Lock()
		f.held[c] = append(f.held[c], turn)
		f.mu.Unlock()
	}
	return err
}

// Leave ends a call of a class.
func (f *front) Leave(c *Class) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.exit(c)
}

func (f *front) exit(c *Class) {
	last := len(f.held[c]) - 1
	turn := f.held[c][last]
	f.held[c] = f.held[c][:last]
	f.end(turn, ended)
}

// enterNow starts a call, and fails the test if the call has to wait.
func (f *front) enterNow(c *Class) {
	f.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // a call that has to wait fails
	if err := f.Enter(ctx, "those that run", c); err != nil {
		f.t.Fatalf("no place: %v", err)
	}
}

// wait starts a call in a goroutine, and returns once the call is waiting. When the call
// begins to run, its name is appended to f.order.
func (f *front) wait(ctx context.Context, c *Class, tenant, name string) (ended <-chan error) {
	f.t.Helper()
	before := len(f.waiting)
	done := make(chan error, 1)
	go func() {
		err := f.Enter(ctx, tenant, c)
		if err == nil {
			f.mu.Lock()
			f.order = append(f.order, name)
			f.mu.Unlock()
		}
		done <- err
	}()
	synctest.Wait()
	if len(f.waiting) != before+1 {
		f.t.Fatalf("%s does not wait", name)
	}
	return done
}

// next ends one call, so that a waiting call can run.
func (f *front) next(c *Class) {
	f.Leave(c)
	synctest.Wait()
}

// requireEmpty fails the test if any call runs or waits.
func (f *front) requireEmpty(modules ...*Class) {
	f.t.Helper()
	if f.Running() != 0 || len(f.waiting) != 0 || len(f.tenants) != 0 {
		f.t.Errorf("%d calls run and %d wait, of %d tenants", f.Running(), len(f.waiting), len(f.tenants))
	}
	for n, c := range modules {
		if c.running != 0 {
			f.t.Errorf("module %d has %d places", n, c.running)
		}
	}
}

func TestCallsOfATenantGetTheirPlacesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t, 1, 1, 10)
		c := f.module()
		f.enterNow(c)
		for n := range 5 {
			f.wait(t.Context(), c, "a", fmt.Sprint(n))
		}
		for range 5 {
			f.next(c)
		}
		if want := []string{"0", "1", "2", "3", "4"}; !slices.Equal(f.order, want) {
			t.Errorf("got %q, want %q", f.order, want)
		}
		f.next(c)
		f.requireEmpty(c)
	})
}

// A tenant with many calls cannot exclude a tenant with few.
func TestTenantsTakeTurnsForPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t, 1, 1, 20)
		c := f.module()
		f.enterNow(c)
		for _, name := range []string{"a1", "a2", "a3", "a4", "b1", "b2", "c1", "a5"} {
			f.wait(t.Context(), c, name[:1], name)
		}
		for range 3 {
			f.next(c)
		}
		f.wait(t.Context(), c, "c", "c2") // goes to the end of the queue again
		for range 6 {
			f.next(c)
		}
		if want := []string{"a1", "b1", "c1", "a2", "b2", "c2", "a3", "a4", "a5"}; !slices.Equal(f.order, want) {
			t.Errorf("got %q, want %q", f.order, want)
		}
		f.next(c)
		f.requireEmpty(c)
	})
}

// One module gets at most its share, and calls of other modules overtake the calls that wait for
// it.
func TestModuleHasAtMostItsShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t, 4, 2, 10)
		greedy, other := f.module(), f.module()
		f.enterNow(greedy)
		f.enterNow(greedy)
		f.wait(t.Context(), greedy, "a", "greedy 1")
		f.wait(t.Context(), greedy, "a", "greedy 2")
		f.enterNow(other)
		f.enterNow(other)
		f.wait(t.Context(), other, "a", "other, of the same tenant")
		f.next(other) // the greedy module has reached its limit
		if want := []string{"other, of the same tenant"}; !slices.Equal(f.order, want) {
			t.Errorf("got %q, want %q", f.order, want)
		}
		f.next(greedy)
		f.next(greedy)
		if want := []string{"other, of the same tenant", "greedy 1", "greedy 2"}; !slices.Equal(f.order, want) {
			t.Errorf("got %q, want %q", f.order, want)
		}
		for _, c := range []*Class{greedy, greedy, other, other} {
			f.next(c)
		}
		f.requireEmpty(greedy, other)
	})
}

// A tenant whose module has reached its limit does not make other tenants wait.
func TestTenantWithoutRoomIsOvertaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t, 2, 1, 10)
		busy, other := f.module(), f.module()
		f.enterNow(busy)
		f.enterNow(other)
		f.wait(t.Context(), busy, "a", "busy")
		f.wait(t.Context(), other, "b", "other")
		f.next(other)
		if want := []string{"other"}; !slices.Equal(f.order, want) {
			t.Errorf("got %q, want %q", f.order, want)
		}
		f.next(busy)
		f.next(busy)
		f.next(other)
		f.requireEmpty(busy, other)
	})
}

func TestOverloadIsRefusedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, maxWaiting := range []int{-1, 0, 2} {
			f := newFront(t, 1, 1, maxWaiting)
			c := f.module()
			f.enterNow(c)
			for n := range maxWaiting {
				f.wait(t.Context(), c, "a", fmt.Sprint(n))
			}
			err := f.Enter(context.Background(), "a", c)
			if !errors.Is(err, ErrFull) {
				t.Errorf("with %d that may wait: %v", maxWaiting, err)
			}
			for range 1 + max(0, maxWaiting) {
				f.next(c)
			}
			f.enterNow(c)
			f.next(c)
			f.requireEmpty(c)
		}
	})
}

// A tenant cannot exclude others by filling the queue: the latest calls of the tenant with the most
// waiting calls are displaced until all tenants have the same number.
func TestTenantWithMostWaitingCallsMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t, 1, 1, 4)
		c := f.module()
		f.enterNow(c)
		var greedy []<-chan error
		for n := range 4 {
			greedy = append(greedy, f.wait(t.Context(), c, "greedy", fmt.Sprint("greedy ", n)))
		}
		ended := make(chan error, 3)
		for n := range 3 {
			go func() {
				err := f.Enter(t.Context(), "b", c)
				if err == nil {
					f.mu.Lock()
					f.order = append(f.order, fmt.Sprint("b ", n))
					f.mu.Unlock()
				}
				ended <- err
			}()
			synctest.Wait()
			if len(f.waiting) != 4 {
				t.Fatalf("%d calls wait", len(f.waiting))
			}
		}
		if err := <-ended; !errors.Is(err, ErrFull) {
			t.Errorf("the third call of a tenant that has as many as the other: %v", err)
		}
		for _, n := range []int{3, 2} {
			if err := <-greedy[n]; !errors.Is(err, ErrFull) {
				t.Errorf("call %d made room: %v", n, err)
			}
		}
		for range 4 {
			f.next(c)
		}
		if want := []string{"greedy 0", "b 0", "greedy 1", "b 1"}; !slices.Equal(f.order, want) {
			t.Errorf("got %q, want %q", f.order, want)
		}
		f.next(c)
		f.requireEmpty(c)
	})
}

// Within a tenant, no class can exclude others by filling the queue: the latest calls of the class
// with the most waiting calls are displaced until all classes have the same number.
func TestClassWithMostWaitingCallsMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t, 2, 1, 4)
		greedy, other, late := f.module(), f.module(), f.module()
		f.enterNow(greedy)
		f.enterNow(other)
		var ends []<-chan error
		for n := range 3 {
			ends = append(ends, f.wait(t.Context(), greedy, "a", fmt.Sprint("greedy ", n)))
		}
		f.wait(t.Context(), other, "a", "other")
		var ended []chan error
		for n := range 2 {
			ended = append(ended, make(chan error, 1))
			go func() {
				err := f.Enter(t.Context(), "a", late)
				if err == nil {
					f.mu.Lock()
					f.order = append(f.order, fmt.Sprint("late ", n))
					f.mu.Unlock()
				}
				ended[n] <- err
			}()
			synctest.Wait()
			if len(f.waiting) != 4 {
				t.Fatalf("%d calls wait", len(f.waiting))
			}
		}
		if err := <-ends[2]; !errors.Is(err, ErrFull) {
			t.Errorf("the last call of the greedy class: %v", err)
		}
		if err := <-ended[1]; !errors.Is(err, ErrFull) {
			t.Errorf("the second call of the class that came late: %v", err)
		}
		f.next(greedy)
		f.next(other)
		f.next(greedy)
		f.next(greedy)
		if got := slices.Sorted(slices.Values(f.order)); !slices.Equal(got, []string{"greedy 0", "greedy 1", "late 0", "other"}) {
			t.Errorf("got %q", got)
		}
		f.next(late)
		f.next(other)
		f.requireEmpty(greedy, other, late)
	})
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t, 1, 1, 10)
		c := f.module()
		f.enterNow(c)
		deadline, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		cancelled, cancel := context.WithCancel(t.Context())
		started := time.Now()
		late := f.wait(deadline, c, "a", "late")
		gone := f.wait(cancelled, c, "a", "gone")
		patient := f.wait(t.Context(), c, "a", "patient")
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: got %v", err)
		}
		if err := <-late; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("at the deadline: got %v", err)
		}
		if waited := time.Since(started); waited != time.Second {
			t.Errorf("waited %v under a deadline of a second", waited)
		}
		f.next(c)
		if err := <-patient; err != nil {
			t.Errorf("the call that kept waiting: %v", err)
		}
		f.next(c)
		f.requireEmpty(c)
	})
}

// Closing wakes all waiting calls.
func TestCloseWakesWaitingCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t, 1, 1, 10)
		c := f.module()
		f.enterNow(c)
		var waiting []<-chan error
		for n := range 3 {
			waiting = append(waiting, f.wait(t.Context(), c, fmt.Sprint(n%2), fmt.Sprint(n)))
		}
		f.close()
		for _, ended := range waiting {
			if err := <-ended; !errors.Is(err, ErrClosed) {
				t.Errorf("got %v", err)
			}
		}
		f.next(c)
		f.requireEmpty(c)
	})
}

// If the context of a waiting call is done at the moment when the call may run, the next waiting
// call runs in its place.
func TestPlaceIsNotLostWhenCallGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 200 {
			f := newFront(t, 1, 1, 10)
			c := f.module()
			f.enterNow(c)
			ctx, cancel := context.WithCancel(t.Context())
			first := f.wait(ctx, c, "a", "first")
			second := f.wait(t.Context(), c, "b", "second")
			f.mu.Lock()
			cancel()
			for range 10 {
				goruntime.Gosched() // the call may now try to leave the queue, but the lock is held
			}
			f.exit(c)
			f.mu.Unlock()
			synctest.Wait()
			if <-first == nil {
				f.next(c)
			}
			if err := <-second; err != nil {
				t.Fatalf("the second: %v", err)
			}
			f.Leave(c)
			f.requireEmpty(c)
		}
	})
}

// Under load with calls that wait and give up, no limit is exceeded and no place is lost.
func TestQueueUnderLoad(t *testing.T) {
	const limit, perModule, maxWaiting, calls = 6, 3, 40, 3000
	f := newFront(t, limit, perModule, maxWaiting)
	modules := []*Class{f.module(), f.module(), f.module()}
	var running, admitted, refused atomic.Int64
	var ofModule [3]atomic.Int64
	var wg sync.WaitGroup
	gate := make(chan struct{}, 100) // limits the concurrent calls of the test
	r := rand.New(rand.NewPCG(3, 4))
	for range calls {
		which, tenant := r.IntN(len(modules)), fmt.Sprint(r.IntN(4))
		ctx, cancel := context.WithCancel(context.Background())
		gate <- struct{}{}
		giveUp := r.IntN(3) == 0
		if giveUp {
			wg.Go(cancel)
		}
		wg.Go(func() {
			defer func() { <-gate }()
			defer cancel()
			if err := f.Enter(ctx, tenant, modules[which]); err != nil {
				if !errors.Is(err, ErrFull) && !(giveUp && errors.Is(err, context.Canceled)) {
					t.Errorf("got %v", err)
				}
				refused.Add(1)
				return
			}
			admitted.Add(1)
			if n := running.Add(1); n > limit {
				t.Errorf("%d calls run", n)
			}
			if n := ofModule[which].Add(1); n > perModule {
				t.Errorf("%d calls of one module run", n)
			}
			ofModule[which].Add(-1)
			running.Add(-1)
			f.Leave(modules[which])
		})
	}
	wg.Wait()
	f.requireEmpty(modules...)
	if admitted.Load() < calls/10 || admitted.Load()+refused.Load() != calls {
		t.Errorf("%d calls ran and %d did not, of %d", admitted.Load(), refused.Load(), calls)
	}
}
