package runtime

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// A hanging host operation never blocks a caller, and the number of hanging operations is limited.
func TestHangingHostIsAbandoned(t *testing.T) {
	r := newRuntime(t, Options{CacheDir: sharedCache(t), MaxAbandoned: 8})
	m := load(t, r, probeModule(t))
	clock := &blockingClock{entered: make(chan struct{}, 8), release: make(chan struct{})}
	call := func(ctx context.Context) error {
		b := bind(t, capability.Grant{Clock: true})
		clock.Clock = b.Clock
		b.Clock = clock
		_, err := m.Call(ctx, Call{Args: []string{"sleep", "1s"}, Bindings: b})
		return err
	}
	for range 2 {
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			<-clock.entered
			cancel()
		}()
		if err := call(ctx); reasonOf(t, err) != Cancelled {
			t.Fatalf("a hanging call: got %v", err)
		}
	}
	err := call(context.Background())
	if reasonOf(t, err) != ResourceExhausted {
		t.Fatalf("a call beyond the bound: got %v", err)
	}
	close(clock.release)
	b := bind(t, capability.Grant{})
	for err = call(context.Background()); reasonOf(t, err) == ResourceExhausted; {
		// Repeat the call until the goroutines left behind have ended.
		_, err = m.Call(context.Background(), Call{Args: []string{"exit", "0"}, Bindings: b})
	}
	if err != nil {
		t.Errorf("after the host operations returned: %v", err)
	}
}

// A listener that hangs blocks no caller.
func TestHangingListenerIsAbandoned(t *testing.T) {
	r := newRuntime(t, Options{})
	m := load(t, r, asking("update", []byte(`{"title":"t"}`), 0, askedAt, 13).Bytes())
	release := make(chan struct{})
	defer close(release)
	b, err := hostfuncs.Bind(capability.Grant{}, files.Options{}, hostfuncs.Services{Listener: hostfuncs.Listener{Update: func(hostfuncs.Update) { <-release }}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := m.Call(ctx, Call{Entry: Entry{ABI: Reactor}, Bindings: b}); reasonOf(t, err) != Timeout {
		t.Errorf("got %v", err)
	}
}

// An abandoned call can no longer access files, regardless of where it hangs.
func TestAbandonedCallLosesFiles(t *testing.T) {
	for name, end := range map[string]func(r *Runtime, cancel func()){
		"cancelled":          func(_ *Runtime, cancel func()) { cancel() },
		"the runtime closed": func(r *Runtime, _ func()) { go r.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			r := New(Options{CacheDir: sharedCache(t)})
			m, err := r.Load(context.Background(), probeModule(t))
			if err != nil {
				t.Fatal(err)
			}
			b := bind(t, capability.Grant{Clock: true})
			clock := &blockingClock{Clock: b.Clock, entered: make(chan struct{}, 1), release: make(chan struct{})}
			b.Clock = clock
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			opened := make(chan error, 1)
			go func() {
				<-clock.entered
				_, err := b.Files.View("/").Open(".", files.OpenDirectory)
				opened <- err
				end(r, cancel)
			}()
			if _, err := m.Call(ctx, Call{Args: []string{"sleep", "1s"}, Bindings: b}); reasonOf(t, err) != Cancelled {
				t.Errorf("got %v", err)
			}
			if err := <-opened; err != nil {
				t.Errorf("during the call: %v", err)
			}
			if _, err := b.Files.View("/").Open(".", files.OpenDirectory); !errors.Is(err, fs.ErrClosed) {
				t.Errorf("after the call: got %v", err)
			}
			close(clock.release)
			_ = r.Close() // fails if the call has not ended yet
		})
	}
}

func TestCloseStopsCalls(t *testing.T) {
	r := New(Options{CacheDir: sharedCache(t)})
	m, err := r.Load(context.Background(), probeModule(t))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	b := bind(t, capability.Grant{Clock: true})
	started := make(chan struct{}, 1)
	b.Clock = &signallingClock{Clock: b.Clock, slept: started}
	go func() {
		_, err := m.Call(context.Background(), Call{Args: []string{"sleep", "1h"}, Bindings: b})
		ended <- err
	}()
	<-started
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; reasonOf(t, err) != Cancelled {
		t.Errorf("a call during Close: got %v", err)
	}
	if _, err := m.Call(context.Background(), Call{Bindings: bind(t, capability.Grant{})}); reasonOf(t, err) != Cancelled {
		t.Errorf("a call after Close: got %v", err)
	}
	if _, err := r.Load(context.Background(), probeModule(t)); reasonOf(t, err) != Cancelled {
		t.Errorf("a load after Close: got %v", err)
	}
	if err := errors.Join(r.Close(), m.Close(), m.Close()); err != nil {
		t.Errorf("closing again: %v", err)
	}
}

// signallingClock signals when the guest begins to sleep.
type signallingClock struct {
	hostfuncs.Clock
	slept chan struct{}
}

func (c *signallingClock) Sleep(ctx context.Context, d time.Duration) {
	select {
	case c.slept <- struct{}{}:
	default:
	}
	c.Clock.Sleep(ctx, d)
}
