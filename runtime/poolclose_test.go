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

// A kind that goes while one of its calls runs takes its instance along.
func TestKindGoesWhileItIsCalled(t *testing.T) {
	requireReuse(t)
	r := untended(t, Options{})
	m := load(t, r, meets())
	together(t, m, 1, Call{})
	images := memfdtest.Open(t)
	together(t, m, 1, Call{}) // saved
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
	for n := range maxSets {
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

// gate is a clock that tells when it is read, and lets go when it is told.
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

// A module that is closed frees its instances, and so does a Runtime.
func TestClosingFreesWhatWaits(t *testing.T) {
	requireReuse(t)
	goroutines, images, mapped := goruntime.NumGoroutine(), memfdtest.Open(t), memfdtest.Mapped(t)
	for range 10 {
		r := New(Options{})
		r.pools.Pause() // see untended
		closed, kept := load(t, r, meets()), load(t, r, echo().bytes())
		again, err := r.Load(context.Background(), meets())
		if err != nil {
			t.Fatal(err)
		}
		keep(t, closed, 4)
		for range 2 {
			askOK(t, kept, wants{})
		}
		closed.Close()
		if got := len(waiting(again)); got != 4 {
			t.Errorf("%d instances wait while somebody holds their module", got)
		}
		again.Close()
		<-closed.c.freed
		if closed.c.pool.Usage().Waiting != 0 || len(closed.c.pool.Kinds()) != 0 {
			t.Errorf("%d bytes of %d kinds wait after their module was closed", closed.c.pool.Usage().Waiting, len(closed.c.pool.Kinds()))
		}
		if got := requireBalanced(t, r, kept); got != eachBytes+imageBytes {
			t.Errorf("%d bytes of the other module wait", got)
		}
		if got := memfdtest.Open(t); got > images+2 { // and that of finding pages, while it tries
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

// A module that is closed while its calls run frees their instances when they end.
func TestClosingWhileCallsRun(t *testing.T) {
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
