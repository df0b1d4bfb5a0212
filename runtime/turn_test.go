package runtime

import (
	"bytes"
	"context"
	"errors"
	goruntime "runtime"
	"slices"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// takeAll acquires a semaphore completely, and returns a function that releases it.
func takeAll(t chan struct{}) (release func()) {
	for range cap(t) {
		t <- struct{}{}
	}
	return func() {
		for range cap(t) {
			<-t
		}
	}
}

// large is a command whose compilation may take long; it differs for each n.
func large(n int) []byte {
	m := command()
	m.Memory = []uint32{2}
	m.Data = []wasmtest.Data{{Bytes: bytes.Repeat([]byte{byte(n)}, longFrom)}}
	return m.Bytes()
}

// loadingNow returns how many modules are loading.
func (r *Runtime) loadingNow() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.loading
}

// waitFor waits until condition is true.
func waitFor(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !condition(); goruntime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("waited a minute for: %s", what)
		}
	}
}

// waitsIn reports whether a goroutine waits in a select of the function.
func waitsIn(function string) bool {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:goruntime.Stack(stacks, true)]
	return slices.ContainsFunc(bytes.Split(stacks, []byte("\n\n")), func(stack []byte) bool {
		state, frames, _ := bytes.Cut(stack, []byte("\n"))
		return bytes.Contains(state, []byte("[select")) && bytes.Contains(frames, []byte(function))
	})
}

// A module that compiles quickly does not wait for modules that take long.
func TestSmallModulesDoNotWaitForLargeOnes(t *testing.T) {
	r := newRuntime(t, Options{})
	_, longs := r.compiler.Semaphores()
	giveBack := takeAll(longs)
	loaded := make(chan error, 1)
	go func() {
		_, err := r.Load(context.Background(), large(0))
		loaded <- err
	}()
	waitFor(t, "the large module waits", func() bool { return r.loadingNow() == 1 })
	load(t, r, command().Bytes())
	if n := r.loadingNow(); n != 1 {
		t.Errorf("%d modules are being loaded, want the large one", n)
	}
	giveBack()
	if err := <-loaded; err != nil {
		t.Error(err)
	}
}

// A waiting load leaves the queue when no caller waits for it, so that cancelled loads cannot block
// others. A new caller is served.
func TestLoadWithoutCallersLeavesQueue(t *testing.T) {
	r := newRuntime(t, Options{})
	shorts, longs := r.compiler.Semaphores()
	small, long := takeAll(shorts), takeAll(longs)
	ctx, leave := context.WithCancel(context.Background())
	ends := make(chan error, maxLoading)
	for n := range maxLoading {
		go func() {
			_, err := r.Load(ctx, large(n))
			ends <- err
		}()
	}
	waitFor(t, "all places are taken", func() bool { return r.loadingNow() == maxLoading })
	var e *Error
	if _, err := r.Load(context.Background(), command().Bytes()); !errors.As(err, &e) || e.Limit != LimitLoading {
		t.Errorf("one more: got %v, want %s", err, LimitLoading)
	}
	leave()
	for range maxLoading {
		if err := <-ends; !errors.As(err, &e) || e.Reason != Cancelled {
			t.Errorf("got %v, want cancelled", err)
		}
	}
	waitFor(t, "all places are free", func() bool { return r.loadingNow() == 0 })
	small()
	long()
	load(t, r, large(0))
}

// Instances with much initial data are created a few at a time. So a call that waited until its
// deadline does not begin, and calls of small modules get a processor.
func TestLargeStartsTakeTurns(t *testing.T) {
	data := wasmtest.Data{Bytes: bytes.Repeat([]byte{1}, largeStart)}
	wasm := parts{memory: []uint32{largeStart/page + 1}, start: []byte{wasmtest.Nop}, change: func(m *wasmtest.Module) {
		m.Data = append(m.Data, data)
	}}.bytes()
	endings := map[string]struct {
		end  func(r *Runtime, cancel context.CancelCauseFunc)
		want Reason
	}{
		"cancelled": {func(_ *Runtime, cancel context.CancelCauseFunc) { cancel(nil) }, Cancelled},
		"closed":    {func(r *Runtime, _ context.CancelCauseFunc) { _ = r.Close() }, Cancelled},
	}
	for name, tt := range endings {
		t.Run(name, func(t *testing.T) {
			r := newRuntime(t, Options{})
			m, small := load(t, r, wasm), load(t, r, parts{start: []byte{wasmtest.Nop}}.bytes())
			giveBack := takeAll(r.pools.Starts())
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			ended := make(chan error, 1)
			b := bind(t, capability.Grant{})
			var out Output // set once the call has ended
			go func() {
				var err error
				out, err = m.Call(ctx, Call{Bindings: b})
				ended <- err
			}()
			waitFor(t, "the call waits for its turn", func() bool { return waitsIn("(*Pool).startTurn(") })
			began := time.Now()
			askOK(t, small, wants{})
			meanwhile := time.Since(began)
			select {
			case err := <-ended:
				t.Fatalf("the call did not wait: %v", err)
			default:
			}
			tt.end(r, cancel)
			var e *Error
			if err := <-ended; !errors.As(err, &e) || e.Reason != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if out.Waited < meanwhile {
				t.Errorf("Waited is %v; another call took %v meanwhile", out.Waited, meanwhile)
			}
			giveBack()
			if name == "cancelled" {
				askOK(t, m, wants{})
			}
		})
	}
}
