package runtime

import (
	"context"
	"fmt"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/runtime/internal/memfdtest"
)

// If a kind is dropped while one of its calls runs, the instance of the call is also closed.
func TestKindIsDroppedDuringCall(t *testing.T) {
	requireReuse(t)
	r := untended(t, Options{})
	m := load(t, r, meets())
	together(t, m, 1, Call{})
	images := memfdtest.Open(t)
	together(t, m, 1, Call{}) // saves the instance
	inCall, release := make(chan struct{}), make(chan struct{})
	b := bind(t, capability.Grant{})
	b.Clock = gate{b.Clock, inCall, release}
	ended := make(chan Output, 1)
	go func() {
		out, err := m.Call(context.Background(), Call{Bindings: b})
		if err != nil {
			t.Error(err)
		}
		ended <- out
	}()
	<-inCall
	for n := range maxKinds {
		askOK(t, m, wants{call: Call{Name: fmt.Sprint("kind ", n)}})
	}
	close(release)
	if out := <-ended; !out.Reused {
		t.Error("the call had a new instance")
	}
	if got := len(waiting(m)); got != 0 {
		t.Errorf("%d instances wait", got)
	}
	if got := memfdtest.Open(t); got != images {
		t.Errorf("%d images before, %d after", images, got)
	}
	requireBalanced(t, r, m)
}

// gate is a clock that sends a signal when it is read, and returns the time only after it receives
// a signal.
type gate struct {
	hostfuncs.Clock
	inCall  chan<- struct{}
	release <-chan struct{}
}

func (c gate) Now() time.Time {
	c.inCall <- struct{}{}
	<-c.release
	return c.Clock.Now()
}

// Closing a module frees its instances; closing a Runtime frees all instances.
func TestClosingFreesWaitingInstances(t *testing.T) {
	requireReuse(t)
	goroutines, images, mapped := goruntime.NumGoroutine(), memfdtest.Open(t), memfdtest.Mapped(t)
	for range 10 {
		r := New(Options{})
		r.pools.Pause() // see untended
		closed, open := load(t, r, meets()), load(t, r, echo().bytes())
		again, err := r.Load(context.Background(), meets())
		if err != nil {
			t.Fatal(err)
		}
		keep(t, closed, 4)
		for range 2 {
			askOK(t, open, wants{})
		}
		closed.Close()
		if got := len(waiting(again)); got != 4 {
			t.Errorf("%d instances wait while their module is held", got)
		}
		again.Close()
		<-closed.c.freed
		if closed.c.pool.Usage().Waiting != 0 || len(closed.c.pool.Kinds()) != 0 {
			t.Errorf("%d bytes of %d kinds wait after their module was closed", closed.c.pool.Usage().Waiting, len(closed.c.pool.Kinds()))
		}
		if got := requireBalanced(t, r, open); got != eachBytes+imageBytes {
			t.Errorf("%d bytes of the other module wait", got)
		}
		// One more image may be open: the scanner uses one while it checks the kernel.
		if got := memfdtest.Open(t); got > images+2 {
			t.Errorf("%d images before, %d after one of two modules was closed", images, got)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if r.pools.Usage().Memory != 0 || r.pools.Usage().Waiting != 0 {
			t.Errorf("%d bytes are in use and %d wait after the Runtime was closed", r.pools.Usage().Memory, r.pools.Usage().Waiting)
		}
		if got := memfdtest.Open(t); got != images {
			t.Errorf("%d images before, %d after", images, got)
		}
		if got := memfdtest.Mapped(t); got != mapped {
			t.Errorf("%d mappings of images before, %d after", mapped, got)
		}
	}
	if after := goruntime.NumGoroutine(); after > goroutines+5 {
		t.Errorf("%d goroutines before, %d after", goroutines, after)
	}
}

// The instances of a module that is closed during calls are freed when the calls end.
func TestClosingDuringCallsFreesInstances(t *testing.T) {
	requireReuse(t)
	r := untended(t, Options{})
	m := load(t, r, meets())
	keep(t, m, 3)
	inCall, release := make(chan struct{}), make(chan struct{})
	b := bind(t, capability.Grant{})
	b.Clock = gate{b.Clock, inCall, release}
	ended := make(chan error, 1)
	go func() {
		_, err := m.Call(context.Background(), Call{Bindings: b})
		ended <- err
	}()
	<-inCall
	m.Close()
	close(release)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	<-m.c.freed
	if r.pools.Usage().Memory != 0 || r.pools.Usage().Waiting != 0 {
		t.Errorf("%d bytes are in use and %d wait", r.pools.Usage().Memory, r.pools.Usage().Waiting)
	}
}
