package runtime

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/guesttest"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// newRuntime returns a Runtime, and closes it at the end of the test.
func newRuntime(t testing.TB, o Options) *Runtime {
	t.Helper()
	r := New(o)
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func load(t testing.TB, r *Runtime, wasm []byte) *Module {
	t.Helper()
	m, err := r.Load(context.Background(), wasm)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// bind returns Bindings for a grant, and closes them at the end of the test.
func bind(t testing.TB, g capability.Grant) *hostfuncs.Bindings {
	t.Helper()
	b, err := hostfuncs.Bind(g, files.Options{}, hostfuncs.Services{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// reasonOf returns the reason of err. It fails the test unless err is an *Error.
func reasonOf(t testing.TB, err error) Reason {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%T is not an *Error: %v", err, err)
	}
	return e.Reason
}

// goGuest loads the probe. All tests of the package share its compile cache.
func goGuest(t testing.TB) *Module {
	t.Helper()
	return load(t, newRuntime(t, Options{CacheDir: sharedCache(t)}), probeModule(t))
}

var (
	probeOnce  sync.Once
	probeBytes []byte
	cacheOnce  sync.Once
	cacheDir   string
)

func probeModule(t testing.TB) []byte {
	t.Helper()
	probeOnce.Do(func() { probeBytes = guesttest.BuildGo(t, filepath.Join("testdata", "probe")) })
	if probeBytes == nil {
		t.Fatal("the probe was not built")
	}
	return probeBytes
}

func sharedCache(t testing.TB) string {
	t.Helper()
	cacheOnce.Do(func() {
		dir, err := os.MkdirTemp("", "wasmtool-test-")
		if err != nil {
			t.Fatal(err)
		}
		cacheDir = dir
	})
	return cacheDir
}

func TestGuestSeesItsCallAndNothingElse(t *testing.T) {
	t.Setenv("WASMTOOL_TEST_SECRET", "of the process")
	m := goGuest(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("file a"), 0o600); err != nil {
		t.Fatal(err)
	}
	workspace := capability.Grant{FS: []capability.GrantedFS{{FS: capability.FS{Mount: "workspace", Mode: capability.ModeRead}, Dir: dir}}}
	tests := []struct {
		name  string
		grant capability.Grant
		call  Call
		want  string
	}{
		{"argv[0] is the tool's name", capability.Grant{}, Call{Name: "grep", Args: []string{"args", "", "b c"}}, `["grep" "args" "" "b c"]` + "\n"},
		{"there is always a name", capability.Grant{}, Call{Args: []string{"args"}}, `["tool" "args"]` + "\n"},
		{"standard input is the given bytes", capability.Grant{}, Call{Args: []string{"cat"}, Input: []byte("\x00\xff\n")}, "\x00\xff\n"},
		{"no input is the end of the file", capability.Grant{}, Call{Args: []string{"cat"}}, ""},
		// Go's collector reads the clock, and must also work if no other code reads the clock.
		{"garbage is collected without the clock", capability.Grant{}, Call{Args: []string{"garbage", "150000"}, Limits: Limits{Memory: 32 << 20}}, "4143\n"},
		{"no variable of the process", capability.Grant{}, Call{Args: []string{"env"}}, ""},
		{"granted variables", capability.Grant{Env: map[string]string{"B": "2\n3", "A": ""}}, Call{Args: []string{"env"}}, "A=\nB=2\n3\n"},
		{"PWD with a workspace", workspace, Call{Args: []string{"env"}}, "PWD=/workspace\n"},
		{"relative names are in the workspace", workspace, Call{Args: []string{"read", "a.txt"}}, "file a"},
		{"absolute names", workspace, Call{Args: []string{"read", "/workspace/a.txt"}}, "file a"},
		{"the root contains the mounts", workspace, Call{Args: []string{"ls", "/"}}, "workspace\n"},
		{"the root without mounts is empty", capability.Grant{}, Call{Args: []string{"ls", "/"}}, ""},
		{"without a grant the clock is fixed", capability.Grant{}, Call{Args: []string{"sleep", "87600h"}}, "slept\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.call.Bindings = bind(t, tt.grant)
			out, err := m.Call(context.Background(), tt.call)
			if err != nil {
				t.Fatalf("%v\n%s", err, out.Stderr)
			}
			if got := string(out.Output); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestClockAndRandomnessNeedGrant(t *testing.T) {
	m := goGuest(t)
	ask := func(g capability.Grant, what string) string {
		t.Helper()
		out, err := m.Call(context.Background(), Call{Args: []string{what}, Bindings: bind(t, g)})
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out.Output))
	}
	if a, b := ask(capability.Grant{}, "random"), ask(capability.Grant{}, "random"); a != b {
		t.Errorf("without a grant two calls read %s and %s", a, b)
	}
	if a, b := ask(capability.Grant{Random: true}, "random"), ask(capability.Grant{Random: true}, "random"); a == b {
		t.Errorf("with a grant two calls read the same %s", a)
	}
	if a, b := ask(capability.Grant{}, "now"), ask(capability.Grant{}, "now"); a != b || !strings.HasPrefix(a, "2022-01-01T00:00:0") {
		t.Errorf("without a grant two calls see %s and %s", a, b)
	}
	before := time.Now().Truncate(time.Millisecond)
	now, err := time.Parse(time.RFC3339Nano, ask(capability.Grant{Clock: true}, "now"))
	if err != nil {
		t.Fatal(err)
	}
	if now.Before(before) || now.After(time.Now()) {
		t.Errorf("with a grant the guest sees %v, not the time between %v and %v", now, before, time.Now())
	}
}

// A call sees nothing of earlier calls.
func TestCallsShareNoState(t *testing.T) {
	m := goGuest(t)
	for range 3 {
		out, err := m.Call(context.Background(), Call{Args: []string{"canary", "left behind"}, Bindings: bind(t, capability.Grant{})})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(string(out.Output)); got != "clean" {
			t.Fatalf("a call found %q of an earlier one", got)
		}
	}
}

func TestEndingDeterminesReason(t *testing.T) {
	m := goGuest(t)
	tests := []struct {
		name   string
		args   []string
		grant  capability.Grant
		limits Limits
		want   Reason
		limit  Limit
		text   string // part of the message
	}{
		{"success", []string{"exit", "0"}, capability.Grant{}, Limits{}, "", "", ""},
		{"failure", []string{"exit", "3"}, capability.Grant{}, Limits{}, Failed, "", "exit status 3"},
		{"a failure that looks like the engine's deadline", []string{"exit", "4026531839"}, capability.Grant{}, Limits{}, Failed, "", "exit status"},
		{"a failure that looks like the engine's cancellation", []string{"exit", "4294967295"}, capability.Grant{}, Limits{}, Failed, "", "exit status"},
		{"a panic of the guest", []string{"panic"}, capability.Grant{}, Limits{}, Failed, "", "exit status 2"},
		{"too much output, and a guest that ignores the error", []string{"flood-stdout"}, capability.Grant{}, Limits{Output: 1000}, ResourceExhausted, LimitOutput, "1000 bytes"},
		{"output up to the ceiling", []string{"env"}, capability.Grant{Env: map[string]string{"A": "34567"}}, Limits{Output: 8}, "", "", ""},
		{"output one beyond the ceiling", []string{"env"}, capability.Grant{Env: map[string]string{"A": "345678"}}, Limits{Output: 8}, ResourceExhausted, LimitOutput, "limits.output"},
		{"too much memory", []string{"memory"}, capability.Grant{}, Limits{Memory: 16 << 20}, ResourceExhausted, LimitMemory, "limits.memory"},
		{"less memory than the module starts with", []string{"env"}, capability.Grant{}, Limits{Memory: 1 << 20}, ResourceExhausted, LimitMemory, "at least"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := m.Call(context.Background(), Call{Args: tt.args, Bindings: bind(t, tt.grant), Limits: tt.limits})
			if got := reasonOf(t, err); got != tt.want {
				t.Fatalf("got %q (%v), want %q\n%s", got, err, tt.want, out.Stderr)
			}
			if err == nil {
				return
			}
			var e *Error
			errors.As(err, &e)
			if e.Limit != tt.limit || !strings.Contains(e.Message, tt.text) {
				t.Errorf("got limit %q, message %q", e.Limit, e.Message)
			}
			if len(out.Output) > 0 {
				t.Errorf("a failed call gave output %q", out.Output)
			}
			if strings.Contains(e.Message, "goroutine") || strings.Contains(e.Message, "secret") {
				t.Errorf("the message reveals too much: %q", e.Message)
			}
		})
	}
}

func TestErrorStreamKeepsItsEnd(t *testing.T) {
	m := goGuest(t)
	out, err := m.Call(context.Background(), Call{Args: []string{"flood-stderr"}, Bindings: bind(t, capability.Grant{}), Limits: Limits{Stderr: 20}})
	if got := reasonOf(t, err); got != Failed {
		t.Fatalf("got %v", err)
	}
	if got := string(out.Stderr); !strings.HasSuffix("line 998\nline 999\n", got) && !strings.HasSuffix(got, "line 998\nline 999\n") {
		t.Errorf("kept %q", got)
	}
	if len(out.Stderr) != 20 || out.StderrDropped == 0 {
		t.Errorf("kept %d bytes and dropped %d", len(out.Stderr), out.StderrDropped)
	}
}

// A call ends at its deadline regardless of what the guest does, and the process continues.
func TestHostileGuestsEndAtDeadline(t *testing.T) {
	r := newRuntime(t, Options{})
	start := uint32(0)
	none := []wasmtest.FuncType{{}}
	export := func(i uint32) []wasmtest.Export { return []wasmtest.Export{{Name: "_start", Index: i}} }
	loop := []byte{wasmtest.Loop, wasmtest.Empty, wasmtest.Br, 0, wasmtest.End}
	tests := []struct {
		name   string
		module wasmtest.Module
		want   []Reason
	}{
		{"endless loop", wasmtest.Module{Types: none, Funcs: []wasmtest.Func{{Body: loop}}, Exports: export(0)}, []Reason{Timeout}},
		{"call tree of 2^40 without a loop", callTree(40), []Reason{Timeout}},
		{"endless loop in the start section", wasmtest.Module{
			Types: none, Funcs: []wasmtest.Func{{Body: loop}, {}}, Exports: export(1), Start: &start,
		}, []Reason{Timeout}},
		{"recursion without end", wasmtest.Module{
			Types: none, Funcs: []wasmtest.Func{{Body: wasmtest.CallFunc(0)}}, Exports: export(0),
		}, []Reason{ResourceExhausted, Timeout}},
		{"growing memory without end", wasmtest.Module{
			Types: none, Memory: []uint32{1}, Exports: export(0),
			Funcs: []wasmtest.Func{{Body: wasmtest.Code(
				[]byte{wasmtest.Loop, wasmtest.Empty}, wasmtest.Const(1), []byte{wasmtest.MemoryGrow, 0, wasmtest.Drop, wasmtest.Br, 0, wasmtest.End},
			)}},
		}, []Reason{Timeout}},
		{"growing a table without end", tableBomb(), []Reason{Timeout}},
		{"chain of memory fills", fillChain(400), []Reason{Timeout, ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := load(t, r, tt.module.Bytes())
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			defer cancel()
			_, err := m.Call(ctx, Call{Bindings: bind(t, capability.Grant{})})
			got := reasonOf(t, err)
			for _, want := range tt.want {
				if got == want {
					return
				}
			}
			t.Errorf("got %q (%v), want one of %q", got, err, tt.want)
		})
	}
}

// callTree is a chain of functions, each of which calls the next one twice.
func callTree(depth uint32) wasmtest.Module {
	m := wasmtest.Module{Types: []wasmtest.FuncType{{}}, Exports: []wasmtest.Export{{Name: "_start", Index: 0}}}
	for i := range depth {
		m.Funcs = append(m.Funcs, wasmtest.Func{Body: wasmtest.Code(wasmtest.CallFunc(i+1), wasmtest.CallFunc(i+1))})
	}
	m.Funcs = append(m.Funcs, wasmtest.Func{})
	return m
}

// tableBomb grows a table of references in a loop.
func tableBomb() wasmtest.Module {
	const refNull, tableGrow = 0xd0, 0x0f
	return wasmtest.Module{
		Types: []wasmtest.FuncType{{}}, Tables: [][]uint32{{0}}, Exports: []wasmtest.Export{{Name: "_start"}},
		Funcs: []wasmtest.Func{{Body: wasmtest.Code(
			[]byte{wasmtest.Loop, wasmtest.Empty, refNull, wasmtest.FuncRef}, wasmtest.Const(1<<20),
			[]byte{0xfc, tableGrow, 0, wasmtest.Drop, wasmtest.Br, 0, wasmtest.End},
		)}},
	}
}

// fillChain fills 16 MiB n times without a loop.
func fillChain(n int) wasmtest.Module {
	const memoryFill = 0x0b
	var body []byte
	for range n {
		body = wasmtest.Code(body, wasmtest.Const(0), wasmtest.Const(1), wasmtest.Const(16<<20), []byte{0xfc, memoryFill, 0})
	}
	return wasmtest.Module{
		Types: []wasmtest.FuncType{{}}, Memory: []uint32{256}, Exports: []wasmtest.Export{{Name: "_start"}},
		Funcs: []wasmtest.Func{{Body: body}},
	}
}

func TestSleepEndsAtDeadline(t *testing.T) {
	m := goGuest(t)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := m.Call(ctx, Call{Args: []string{"sleep", "1h"}, Bindings: bind(t, capability.Grant{Clock: true})})
	if got := reasonOf(t, err); got != Timeout {
		t.Errorf("got %q (%v), want %q", got, err, Timeout)
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v is not the error of a context's deadline", err)
	}
}

func TestCancelledCallEnds(t *testing.T) {
	m := goGuest(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Call(ctx, Call{Args: []string{"loop"}, Bindings: bind(t, capability.Grant{})}); reasonOf(t, err) != Cancelled {
		t.Errorf("a cancelled context: got %v", err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	b := bind(t, capability.Grant{})
	go func() {
		_, err := m.Call(ctx, Call{Args: []string{"loop"}, Bindings: b})
		ended <- err
	}()
	cancel()
	if err := <-ended; reasonOf(t, err) != Cancelled || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelling a running call: got %v", err)
	}
}

// blockingClock hangs in the host, as a file system can, until it is released.
type blockingClock struct {
	hostfuncs.Clock
	entered, release chan struct{}
}

func (c *blockingClock) Sleep(context.Context, time.Duration) {
	select {
	case c.entered <- struct{}{}:
	default:
	}
	<-c.release
}

func TestConcurrentCallsSucceed(t *testing.T) {
	m := goGuest(t)
	var wg sync.WaitGroup
	for i := range 8 {
		b := bind(t, capability.Grant{})
		wg.Go(func() {
			want := strings.Repeat("x", i)
			out, err := m.Call(context.Background(), Call{Args: []string{"cat"}, Input: []byte(want), Bindings: b})
			if err != nil || string(out.Output) != want {
				t.Errorf("call %d: got %q, %v", i, out.Output, err)
			}
		})
	}
	wg.Wait()
}
