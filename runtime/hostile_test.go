package runtime

import (
	"context"
	"encoding/binary"
	"errors"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// wasiCommand returns a command that runs body. Function 0 is the imported WASI function with that
// name, which has params parameters of type i32.
func wasiCommand(name string, params int, pages uint32, body ...[]byte) wasmtest.Module {
	i32s := make([]byte, params)
	for i := range i32s {
		i32s[i] = wasmtest.I32
	}
	return wasmtest.Module{
		Types:   []wasmtest.FuncType{{}, {Params: i32s, Results: []byte{wasmtest.I32}}},
		Imports: []wasmtest.Import{{Module: wasiModule, Name: name, Type: 1}},
		Funcs:   []wasmtest.Func{{Body: wasmtest.Code(body...)}},
		Memory:  []uint32{pages},
		Exports: []wasmtest.Export{{Name: "_start", Index: 1}, {Name: "memory", Kind: 2}},
	}
}

func forever(body ...[]byte) []byte {
	return wasmtest.Code([]byte{wasmtest.Loop, wasmtest.Empty}, wasmtest.Code(body...), []byte{wasmtest.Br, 0, wasmtest.End})
}

// A guest that makes the host work hard is still stopped.
func TestExpensiveHostCallsAreStopped(t *testing.T) {
	const pages = 256 // 16 MiB
	random := wasiCommand("random_get", 2, pages, forever(
		wasmtest.Const(0), wasmtest.Const(pages<<16-1), wasmtest.CallFunc(0), []byte{wasmtest.Drop},
	))
	// A thousand pieces of output, each the same 64 KiB.
	var pieces []byte
	for range 1000 {
		pieces = binary.LittleEndian.AppendUint32(pieces, 1<<16)
		pieces = binary.LittleEndian.AppendUint32(pieces, 1<<16)
	}
	flood := wasiCommand("fd_write", 4, pages,
		wasmtest.Const(1), wasmtest.Const(0), wasmtest.Const(1000), wasmtest.Const(60000), wasmtest.CallFunc(0), []byte{wasmtest.Drop},
	)
	flood.Data = []wasmtest.Data{{Offset: 0, Bytes: pieces}}
	outside := wasiCommand("random_get", 2, 1, wasmtest.Const(-1), wasmtest.Const(-1), wasmtest.CallFunc(0), []byte{wasmtest.Drop})

	r := newRuntime(t, Options{})
	for name, tt := range map[string]struct {
		module wasmtest.Module
		want   Reason
	}{
		"randomness for all memory, for ever": {random, Timeout},
		"overlapping pieces of output":        {flood, ResourceExhausted},
		"a buffer outside of memory":          {outside, ""},
	} {
		t.Run(name, func(t *testing.T) {
			timeout := time.Minute
			if tt.want == Timeout {
				timeout = 100 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(context.Background(), timeout)
			defer cancel()
			_, err := load(t, r, tt.module.Bytes()).Call(ctx, Call{Bindings: bind(t, capability.Grant{Random: true})})
			if got := reasonOf(t, err); got != tt.want {
				t.Errorf("got %q (%v), want %q", got, err, tt.want)
			}
		})
	}
}

// WASI functions refuse excessive requests.
func TestWASIRefusesExcessiveRequests(t *testing.T) {
	r := newRuntime(t, Options{})
	// Each command exits with the result of the function.
	exit := func(name string, params int, args ...int32) wasmtest.Module {
		m := wasiCommand(name, params, 1)
		m.Imports = append(m.Imports, wasmtest.Import{Module: wasiModule, Name: "proc_exit", Type: 2})
		m.Types = append(m.Types, wasmtest.FuncType{Params: []byte{wasmtest.I32}})
		var body []byte
		for _, a := range args {
			body = append(body, wasmtest.Const(a)...)
		}
		m.Funcs[0].Body = wasmtest.Code(body, wasmtest.CallFunc(0), wasmtest.CallFunc(1))
		m.Exports[0].Index = 2
		return m
	}
	for name, tt := range map[string]struct {
		module wasmtest.Module
		want   uint32
	}{
		"a descriptor of 2^31 (it would take 16 GiB)": {exit("fd_renumber", 2, 0, 1<<31-1), wasiNotsup},
		"a descriptor that is open":                   {exit("fd_renumber", 2, 0, 1), wasiNotsup},
		"too many subscriptions":                      {exit("poll_oneoff", 4, 0, 0, maxSubscriptions+1, 0), wasiInval},
		"subscriptions whose size overflows":          {exit("poll_oneoff", 4, 0, 0, 1<<28, 0), wasiInval},
		"no subscription":                             {exit("poll_oneoff", 4, 0, 0, 0, 0), wasiInval},
		"subscriptions outside of memory":             {exit("poll_oneoff", 4, 1<<16-47, 0, 1, 0), wasiFault},
		"events outside of memory":                    {exit("poll_oneoff", 4, 0, 1<<16-31, 1, 0), wasiFault},
		"the count outside of memory":                 {exit("poll_oneoff", 4, 0, 0, 1, 1<<16), wasiFault},
		"a name longer than the preopen's":            {exit("fd_prestat_dir_name", 3, 3, 0, 2), wasiNameTooLong},
		"a descriptor that is not a preopen":          {exit("fd_prestat_get", 2, 4, 0), wasiBadf},
		"a preopen written outside of memory":         {exit("fd_prestat_get", 2, 3, 1<<16-7), wasiFault},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, r, tt.module.Bytes()).Call(context.Background(), Call{Bindings: bind(t, capability.Grant{})})
			var e *Error
			if !errors.As(err, &e) || e.Reason != Failed || e.ExitCode != tt.want {
				t.Errorf("got %v, want exit code %d", err, tt.want)
			}
		})
	}
}

// One WASI call with millions of pieces still ends with its call.
func TestPiecesOfStreamEndWithCall(t *testing.T) {
	const pieces = 1 << 20
	m := wasiCommand("fd_write", 4, 256,
		// All pieces are zero: 0 bytes at address 0.
		wasmtest.Const(2), wasmtest.Const(0), wasmtest.Const(pieces), wasmtest.Const(255<<16), wasmtest.CallFunc(0), []byte{wasmtest.Drop},
	)
	m.Funcs[0].Body = forever(m.Funcs[0].Body)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	r := newRuntime(t, Options{})
	if _, err := load(t, r, m.Bytes()).Call(ctx, Call{Bindings: bind(t, capability.Grant{})}); reasonOf(t, err) != Timeout {
		t.Errorf("got %v", err)
	}
	if hanging := r.abandoned.Load(); hanging > 0 {
		t.Errorf("%d calls were abandoned", hanging)
	}
}

// The operator's memory ceiling overrides a higher limit of the call.
func TestMemoryCeilingOverridesCall(t *testing.T) {
	m := load(t, newRuntime(t, Options{MaxMemory: 1 << 20}), wasmtest.Module{
		Types: []wasmtest.FuncType{{}}, Memory: []uint32{17}, Funcs: []wasmtest.Func{{}}, Exports: []wasmtest.Export{{Name: "_start"}},
	}.Bytes())
	_, err := m.Call(context.Background(), Call{Bindings: bind(t, capability.Grant{}), Limits: Limits{Memory: 1 << 30}})
	var e *Error
	if !errors.As(err, &e) || e.Limit != LimitMemory {
		t.Errorf("got %v", err)
	}
}

// Calls beyond the limit wait for a place until their deadline.
func TestCallsBeyondLimitWait(t *testing.T) {
	r := newRuntime(t, Options{CacheDir: sharedCache(t), MaxCalls: 1})
	m := load(t, r, probeModule(t))
	slept := make(chan struct{}, 1)
	first, stop := context.WithCancel(context.Background())
	b := bind(t, capability.Grant{Clock: true})
	b.Clock = &signallingClock{Clock: b.Clock, slept: slept}
	ended := make(chan error, 1)
	go func() {
		_, err := m.Call(first, Call{Args: []string{"sleep", "1h"}, Bindings: b})
		ended <- err
	}()
	<-slept
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := m.Call(ctx, Call{Args: []string{"exit", "0"}, Bindings: bind(t, capability.Grant{})}); reasonOf(t, err) != Timeout || !strings.Contains(err.Error(), "waiting for a place") {
		t.Errorf("got %v", err)
	}
	stop()
	if err := <-ended; reasonOf(t, err) != Cancelled {
		t.Errorf("got %v", err)
	}
	if _, err := m.Call(context.Background(), Call{Args: []string{"exit", "0"}, Bindings: bind(t, capability.Grant{})}); err != nil {
		t.Errorf("after a place became free: %v", err)
	}
}

// panickingClock is a host function that panics.
type panickingClock struct{ hostfuncs.Clock }

func (panickingClock) Elapsed() time.Duration { panic("/root/secret/path") }

// A panic in a host function ends the call, and its error reveals nothing about the host.
func TestPanicOfHostFunctionEndsCall(t *testing.T) {
	m := goGuest(t)
	b := bind(t, capability.Grant{})
	b.Clock = panickingClock{b.Clock}
	_, err := m.Call(context.Background(), Call{Args: []string{"exit", "0"}, Bindings: b})
	if got := reasonOf(t, err); got != Internal {
		t.Fatalf("got %q (%v), want %q", got, err, Internal)
	}
	if text := err.Error(); strings.Contains(text, "secret") || strings.Contains(text, "goroutine") || strings.Contains(text, ".go:") {
		t.Errorf("the error reveals too much: %q", text)
	}
	if _, err := m.Call(context.Background(), Call{Args: []string{"exit", "0"}, Bindings: bind(t, capability.Grant{})}); err != nil {
		t.Errorf("the next call: %v", err)
	}
}

// Cancelled calls leave no goroutines behind.
func TestCancelledCallsLeaveNothing(t *testing.T) {
	r := newRuntime(t, Options{})
	loop := command()
	loop.Funcs[0].Body = forever()
	m := load(t, r, loop.Bytes())
	before := goruntime.NumGoroutine()
	for range 100 {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		b := bind(t, capability.Grant{})
		go func() {
			_, err := m.Call(ctx, Call{Bindings: b})
			ended <- err
		}()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	<-m.c.freed // no call is running
	// A few goroutines that are about to end do not matter; one for each call would.
	if after := goruntime.NumGoroutine(); after > before+20 {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}

// The rest of the process continues while guests spin: the garbage collector does not wait until
// they end, as it would for guests that cannot be interrupted.
func TestCollectorRunsWhileGuestsSpin(t *testing.T) {
	r := newRuntime(t, Options{})
	loop := command()
	loop.Funcs[0].Body = forever()
	m := load(t, r, loop.Bytes())
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 4)
	for range cap(ended) {
		b := bind(t, capability.Grant{})
		go func() {
			_, err := m.Call(ctx, Call{Bindings: b})
			ended <- err
		}()
	}
	for range 3 {
		goruntime.GC() // would hang if a guest blocked the collector
	}
	cancel()
	for range cap(ended) {
		if err := <-ended; reasonOf(t, err) != Cancelled {
			t.Error(err)
		}
	}
}
