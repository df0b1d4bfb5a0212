package child

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// kindOf returns the kind of err. It fails the test unless err is an *Error as documented.
func kindOf(t testing.TB, err error) Kind {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%T is not an *Error: %v", err, err)
	}
	if e.Message == "" || strings.Contains(e.Message, "/") || strings.ContainsFunc(e.Message, func(r rune) bool { return r < ' ' }) {
		t.Errorf("the message %q is empty, has a path or more than a line", e.Message)
	}
	if len(e.Detail) > maxDetailBytes {
		t.Errorf("the detail has %d bytes", len(e.Detail))
	}
	return e.Kind
}

// codeIn returns the only file below a directory.
func codeIn(t testing.TB, dir string) fs.FileInfo {
	t.Helper()
	var found []fs.FileInfo
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		found = append(found, info)
		return err
	})
	if err != nil || len(found) != 1 {
		t.Fatalf("found %d files (%v), want one with code", len(found), err)
	}
	return found[0]
}

func tinyModule() []byte {
	return wasmtest.Module{
		Types: []wasmtest.FuncType{{}}, Funcs: []wasmtest.Func{{Body: []byte{wasmtest.Nop}}},
		Exports: []wasmtest.Export{{Name: "run"}},
	}.Bytes()
}

// slowModule takes the engine minutes to compile: the time is quadratic in the number of ifs in a
// function.
func slowModule() []byte {
	const ifThen = 0x04
	one := wasmtest.Code([]byte{wasmtest.LocalGet, 0, ifThen, wasmtest.Empty, wasmtest.Nop, wasmtest.End})
	return wasmtest.Module{
		Types: []wasmtest.FuncType{{Params: []byte{wasmtest.I32}}},
		Funcs: []wasmtest.Func{{Body: []byte(strings.Repeat(string(one), 200_000))}},
	}.Bytes()
}

func TestParentFindsCodeOfChild(t *testing.T) {
	dir := t.TempDir()
	if err := Compile(context.Background(), options("engine"), tinyModule(), dir); err != nil {
		t.Fatal(err)
	}
	left := codeIn(t, dir)
	if err := compileWith(tinyModule(), dir); err != nil {
		t.Fatal(err)
	}
	// The engine replaces the file whenever it compiles.
	if !os.SameFile(codeIn(t, dir), left) {
		t.Error("the parent compiled again")
	}
}

func TestCompileReportsOutcome(t *testing.T) {
	invalid := wasmtest.Module{
		Types: []wasmtest.FuncType{{Results: []byte{wasmtest.I32}}}, Funcs: []wasmtest.Func{{Body: []byte{wasmtest.Nop}}},
	}.Bytes()
	const mib = 1 << 20
	for _, tt := range []struct {
		name string
		what string
		wasm []byte
		set  Options // all options except Command
		want Kind
		text string // part of the message
		long bool   // it takes seconds
	}{
		{name: "a module", what: "engine", wasm: tinyModule()},
		{name: "an empty module", what: "engine", wasm: wasmtest.Module{}.Bytes()},
		{name: "no module", what: "engine", want: Refused, text: "invalid magic number"},
		{name: "an invalid module", what: "engine", wasm: invalid, want: Refused, text: "invalid function[0]"},
		{name: "a module for minutes", what: "engine", wasm: slowModule(), set: Options{Timeout: 300 * time.Millisecond}, want: TooSlow, text: "longer than 300ms"},
		{name: "memory without end", what: "allocate", set: Options{MaxMemory: 512 * mib}, want: TooBig, text: "more than 512 MiB of memory"},
		{name: "more memory than there is", what: "allocate at once", want: TooBig, text: "memory"},
		{name: "much garbage", what: "make garbage", set: Options{MaxMemory: 1024 * mib}, long: true},
		{name: "a module that is larger than memory", what: "engine", wasm: make([]byte, MaxModuleBytes), set: Options{MaxMemory: MinMaxMemory}, want: TooBig},
		{name: "a module that is too large", what: "engine", wasm: make([]byte, MaxModuleBytes+1), want: Refused, text: "the limit is 268435456"},
		{name: "a panic", what: "panic", want: Refused, text: crashMessage},
		{name: "a panic in a goroutine", what: "panic elsewhere", want: Refused, text: crashMessage},
		{name: "a stack without end", what: "recurse", set: Options{MaxMemory: 4 << 30}, want: Refused, text: crashMessage, long: true},
		{name: "a full disk", what: "full disk", want: Unavailable, text: "the code cannot be stored: no space"},
		{name: "a large file", what: "big file", set: Options{MaxOutput: 4 * mib}},
		{name: "the directory in a message", what: "directory", want: Refused, text: crashMessage},
		{name: "odd characters", what: "odd text", want: Refused, text: "?[31mname ?? éé"},
		{name: "no reason", what: "no text", want: Refused, text: crashMessage},
		{name: "a short time", what: "engine", set: Options{Timeout: -1}, want: Unavailable, text: "Options.Timeout"},
		{name: "a long time", what: "engine", set: Options{Timeout: 2 * time.Hour}, want: Unavailable, text: "Options.Timeout"},
		{name: "little memory", what: "engine", set: Options{MaxMemory: 1}, want: Unavailable, text: "Options.MaxMemory"},
		{name: "all memory", what: "engine", set: Options{MaxMemory: 1 << 63}, want: Unavailable, text: "Options.MaxMemory"},
		{name: "all output", what: "engine", set: Options{MaxOutput: 1 << 63}, want: Unavailable, text: "Options.MaxOutput"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.long {
				testlevel.Long(t, "the child fills gigabytes of memory")
			}
			tt.set.Command = options(tt.what).Command
			if tt.set.Timeout == 0 {
				tt.set.Timeout = 5 * time.Minute
			}
			err := Compile(context.Background(), tt.set, tt.wasm, t.TempDir())
			if got := kindOf(t, err); got != tt.want {
				t.Fatalf("got %q, want %q: %#v", got, tt.want, err)
			}
			if err != nil && !strings.Contains(err.Error(), tt.text) {
				t.Errorf("the message %q lacks %q", err, tt.text)
			}
		})
	}
}

func TestProgramsThatDoNotServeAreUnavailable(t *testing.T) {
	for what := range strangers {
		t.Run(what, func(t *testing.T) {
			// The module is larger than the buffer of a pipe, so the parent still writes it when
			// the child ends.
			if got := kindOf(t, Compile(context.Background(), options(what), make([]byte, 1<<20), t.TempDir())); got != Unavailable {
				t.Errorf("got %q, want %q", got, Unavailable)
			}
		})
	}
	missing := filepath.Join(t.TempDir(), "missing")
	for name, tt := range map[string]struct {
		command []string
		dir     string
	}{
		"no command":                    {nil, t.TempDir()},
		"a command that is not a path":  {[]string{filepath.Base(os.Args[0])}, t.TempDir()},
		"a command that is missing":     {[]string{missing}, t.TempDir()},
		"a command that is a directory": {[]string{t.TempDir()}, t.TempDir()},
		"a directory that is missing":   {options("engine").Command, missing},
		"no directory":                  {options("engine").Command, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := kindOf(t, Compile(context.Background(), Options{Command: tt.command}, tinyModule(), tt.dir)); got != Unavailable {
				t.Errorf("got %q, want %q", got, Unavailable)
			}
		})
	}
}

// A crash after the greeting is caused by the module. It must not be reported as Unavailable,
// because a caller may then compile in its own process.
func TestCrashAfterGreetingIsNotUnavailable(t *testing.T) {
	for what, want := range map[string]Kind{
		"greets and exits 3":   Refused,
		"replies and exits 3":  Refused,
		"greets and is killed": TooBig,
	} {
		t.Run(what, func(t *testing.T) {
			if runtime.GOOS == "windows" && want == TooBig {
				t.Skip("Windows does not report how a process ended")
			}
			if got := kindOf(t, Compile(context.Background(), options(what), nil, t.TempDir())); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestCrashIsReportedInDetail(t *testing.T) {
	var e *Error
	err := Compile(context.Background(), options("panic elsewhere"), nil, t.TempDir())
	if !errors.As(err, &e) || !strings.Contains(e.Detail, "panic: in /some/path") || strings.Contains(e.Message, "/some/path") {
		t.Errorf("got %#v, want the panic in Detail and nowhere else", err)
	}
}

func TestChildSeesNoEnvironment(t *testing.T) {
	t.Setenv(secretVariable, "hunter2")
	want := `0 variables, the secret is ""`
	if runtime.GOOS == "windows" {
		want = `1 variables, the secret is ""` // SYSTEMROOT, which most Windows programs need
	}
	if err := Compile(context.Background(), options("environment"), nil, t.TempDir()); err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestChildUsesGivenNumberOfProcessors(t *testing.T) {
	for n, want := range map[int]string{1: "1 processors", 3: "3 processors"} {
		o := options("processors")
		o.Processors = n
		if err := Compile(context.Background(), o, nil, t.TempDir()); err == nil || err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// phone is a listener that waits for connections of test processes.
type phone struct {
	t        *testing.T
	listener *net.TCPListener
}

func newPhone(t *testing.T) phone {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return phone{t, listener.(*net.TCPListener)}
}

func (p phone) number() string { return p.listener.Addr().String() }

// answer waits until a process connects, and returns the connection.
func (p phone) answer() net.Conn {
	p.t.Helper()
	_ = p.listener.SetDeadline(time.Now().Add(time.Minute))
	conn, err := p.listener.Accept()
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		p.t.Fatal(err)
	}
	return conn
}

// gone fails the test unless the process at the other end has ended or ends soon.
func gone(t *testing.T, conn net.Conn) {
	t.Helper()
	_, err := conn.Read(make([]byte, 1))
	if err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the process is still running: %v", err)
	}
}

func TestTimingSlowChildIsKilled(t *testing.T) {
	testlevel.Timing(t, "a child has to start within the two seconds after which it is killed")
	p := newPhone(t)
	o := options("spin", p.number())
	o.Timeout = 2 * time.Second
	result := make(chan error, 1)
	go func() { result <- Compile(context.Background(), o, nil, t.TempDir()) }()
	line := p.answer()
	if got := kindOf(t, <-result); got != TooSlow {
		t.Errorf("got %q, want %q", got, TooSlow)
	}
	gone(t, line)
}

func TestCancelledCompilationEnds(t *testing.T) {
	for _, what := range []string{"spin", "start another"} {
		t.Run(what, func(t *testing.T) {
			p := newPhone(t)
			ctx, cancel := context.WithCancel(context.Background())
			result := make(chan error, 1)
			go func() { result <- Compile(ctx, options(what, p.number()), nil, t.TempDir()) }()
			line := p.answer()
			cancel()
			err := <-result
			if got := kindOf(t, err); got != Cancelled || !errors.Is(err, context.Canceled) {
				t.Errorf("got %q, want %q: %v", got, Cancelled, err)
			}
			gone(t, line)
		})
	}
	t.Run("before it starts", func(t *testing.T) {
		ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
		defer cancel()
		err := Compile(ctx, options("spin", "nowhere"), nil, t.TempDir())
		if got := kindOf(t, err); got != Cancelled || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %q, want %q: %v", got, Cancelled, err)
		}
	})
}

// Where the kernel does not kill a child whose parent has ended, the child ends after its timeout.
func TestOrphanedChildEndsAfterTimeout(t *testing.T) {
	p := newPhone(t)
	command := options("spin", p.number()).Command
	child := exec.Command(command[0], command[1:]...)
	child.Dir = t.TempDir()
	child.Stdin = bytes.NewReader(job{timeout: time.Second, memory: MinMaxMemory, output: 1}.header())
	var said bytes.Buffer
	child.Stdout = &said
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	gone(t, p.answer())
	_ = child.Wait()
	if code := child.ProcessState.ExitCode(); code != 1 || said.String() != greeting {
		t.Errorf("the child exits with %d after %q, want 1 and no reply", code, said.String())
	}
}

func TestConcurrentCompilations(t *testing.T) {
	results := make(chan error)
	const n = 8
	for range n {
		dir := t.TempDir()
		go func() { results <- Compile(context.Background(), options("engine"), tinyModule(), dir) }()
	}
	for range n {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}
