package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/wasmtool/wasmtool/internal/guesttest"
	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	wasmruntime "github.com/wasmtool/wasmtool/runtime"
)

func TestMain(m *testing.M) {
	testscript.Main(sharing{m}, map[string]func(){
		"wasmtool": func() {
			compiler := wasmruntime.SelfCompiler()
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			os.Exit(Main(ctx, os.Args[1:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, compiler))
		},
	})
}

// shared is the wasmtool command as users get it, and a cache with the built-in tools. Linking the
// command takes two seconds of processor time, and reading the cache another second.
var shared struct {
	sync.Mutex
	dir, program, cache string
}

// sharing runs the tests, and then deletes the program that they shared.
type sharing struct{ *testing.M }

func (s sharing) Run() int {
	status := s.M.Run()
	if shared.dir != "" {
		_ = os.RemoveAll(shared.dir) // otherwise it stays in the temporary directory
	}
	return status
}

// sharedProgram returns the path of the shared command, and the directory for WASMTOOL_CACHE.
func sharedProgram(t *testing.T) (program, cache string) {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.cache == "" {
		var err error
		if shared.dir, err = os.MkdirTemp("", "wasmtool-cli-"); err != nil {
			t.Fatal(err)
		}
		shared.program = guesttest.Program(t, shared.dir)
		shared.cache = guesttest.ModuleCache(t, shared.program)
	}
	return shared.program, shared.cache
}

// conditions has the variables of the environment that must be set for parts of scripts: the
// archives of Python and esbuild, and a directory with packages of Debian.
var conditions = map[string]string{"python": "WASMTOOL_PYTHON", "packages": "WASMTOOL_PYTHON_PACKAGES", "esbuild": "WASMTOOL_ESBUILD"}

func TestScripts(t *testing.T) {
	t.Parallel()
	guest := guesttest.BuildGo(t, filepath.Join("testdata", "guest"))
	program, cache := sharedProgram(t)
	debugging, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "testdata", "debugging"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "..", "..", "testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("WASMTOOL_CACHE", cache)
			env.Setenv("DEBUGGING", debugging)
			for _, name := range conditions {
				env.Setenv(name, os.Getenv(name))
			}
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
			env.Setenv("PATH", filepath.Dir(program)+string(os.PathListSeparator)+env.Getenv("PATH"))
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name == "long" {
				return testlevel.Size(0, 1) == 1 || namesScripts(), nil
			}
			if conditions[name] == "" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return os.Getenv(conditions[name]) != "", nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    cmdExits,
			"guest":    func(ts *testscript.TestScript, neg bool, args []string) { cmdGuest(ts, neg, args, guest) },
			"readable": cmdReadable,
			"server":   cmdServer,
			"wasm":     cmdWasm,
		},
	})
}

// namesScripts reports whether -run names scripts. A script that is named runs to its end. Among
// all scripts, a script stops at its line "[!long] stop", unless long tests are requested.
func namesScripts() bool {
	return strings.Contains(flag.Lookup("test.run").Value.String(), "/")
}

// cmdExits implements the script command "exits STATUS PROGRAM [ARGS...]". It runs a program and
// fails the script if the program exits with another status.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM [ARGS...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// cmdReadable implements the script command "readable WIDE NARROW COLUMNS". The files are what two
// terminals show of the same commands. It fails the script if a row of NARROW is longer than
// COLUMNS, if it has a part of a word of WIDE, or if a status stays on the terminal.
func cmdReadable(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: readable WIDE NARROW COLUMNS")
	}
	columns, err := strconv.Atoi(args[2])
	ts.Check(err)
	words := make(map[string]bool)
	for _, word := range strings.Fields(shown(ts.ReadFile(args[0]))) {
		words[word] = true
	}
	for row := range strings.Lines(shown(ts.ReadFile(args[1]))) {
		row = strings.TrimRight(row, "\n")
		fields := strings.Fields(row)
		if utf8.RuneCountInString(row) > columns && len(fields) > 1 {
			ts.Fatalf("%d columns do not hold %q", columns, row)
		}
		if strings.ContainsAny(row, "\r\x1b") || strings.Contains(row, "compiling") {
			ts.Fatalf("a status stays on the terminal: %q", row)
		}
		for _, word := range fields {
			if !words[word] && word != `\` { // the end of a row of a command
				ts.Fatalf("%q is a part of a word: %q", word, row)
			}
		}
	}
}

// times matches the dates and times of a list, which differ if a minute ends between two lists.
var times = regexp.MustCompile(`\d{4}-\d\d-\d\d|\d\d:\d\d`)

var (
	erased = regexp.MustCompile(`[^\n]*\r\x1b\[K`)
	styles = regexp.MustCompile(`\x1b\[\d*m`)
)

// shown returns what stays on a terminal, without the times.
func shown(output string) string {
	output = erased.ReplaceAllString(strings.ReplaceAll(output, "\r\n", "\n"), "")
	return times.ReplaceAllString(styles.ReplaceAllString(output, ""), "(time)")
}

// cmdGuest implements the script command "guest DIR MODE [ARG...]". It creates a tool from the test
// guest in DIR. The manifest includes the lines of DIR/more.toml if that file exists.
func cmdGuest(ts *testscript.TestScript, neg bool, args []string, module []byte) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: guest DIR MODE [ARG...]")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o777))
	ts.Check(os.WriteFile(filepath.Join(dir, "guest.wasm"), module, 0o666))
	more, err := os.ReadFile(filepath.Join(dir, "more.toml"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		ts.Check(err)
	}
	list := ""
	for _, a := range args[1:] {
		list += strconv.Quote(a) + ", "
	}
	manifest := fmt.Sprintf("manifest = 1\nname = %q\nversion = \"1.0.0\"\ndescription = \"A tool for tests.\"\nmodule.path = \"guest.wasm\"\nmodule.args = [%s]\n%s",
		filepath.Base(dir), list, more)
	ts.Check(os.WriteFile(filepath.Join(dir, "tool.toml"), []byte(manifest), 0o666))
}

// cmdWasm implements the script command "wasm KIND FILE". It writes a small module of this kind.
func cmdWasm(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: wasm KIND FILE")
	}
	m := wasmtest.Module{
		Types: []wasmtest.FuncType{{}}, Funcs: []wasmtest.Func{{}},
		Memory: []uint32{1, 16}, Exports: []wasmtest.Export{{Name: "_start"}, {Name: "memory", Kind: 2}},
	}
	switch args[0] {
	case "command":
	case "longname":
		m.Exports = append(m.Exports, wasmtest.Export{Name: strings.Repeat("long_", 20)})
	case "trap":
		m.Funcs[0].Body = []byte{wasmtest.Unreachable}
	case "nostart":
		m.Exports = m.Exports[1:]
	case "plugin": // an Extism plug-in
		m.Types = append(m.Types, wasmtest.FuncType{Results: []byte{wasmtest.I64}}, wasmtest.FuncType{Params: []byte{wasmtest.I64, wasmtest.I64}}, wasmtest.FuncType{Results: []byte{wasmtest.I32}})
		for i, name := range []string{"input_offset", "input_length", "output_set"} {
			m.Imports = append(m.Imports, wasmtest.Import{Module: "extism:host/env", Name: name, Type: uint32([]int{1, 1, 2}[i])})
		}
		m.Funcs = []wasmtest.Func{{Type: 3, Body: wasmtest.Code(wasmtest.CallFunc(0), wasmtest.CallFunc(1), wasmtest.CallFunc(2), wasmtest.Const(0))}}
		m.Exports = []wasmtest.Export{{Name: "echo", Index: 3}, {Name: "memory", Kind: 2}}
	// an Extism plug-in with several tools, which all return the same result
	case "servlet", "liar":
		m = servlet(args[0] == "liar")
	case "imports", "launches": // "launches" calls its import
		m.Imports = []wasmtest.Import{{Module: "env", Name: "launch_missiles"}}
		m.Exports[0].Index = 1
		if args[0] == "launches" {
			m.Funcs[0].Body = wasmtest.CallFunc(0)
		}
	case "emscripten":
		m.Imports = []wasmtest.Import{{Module: "env", Name: "emscripten_resize_heap"}}
		m.Exports = m.Exports[1:]
	case "component":
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte("\x00asm\x0d\x00\x01\x00"), 0o666))
		return
	default:
		ts.Fatalf("unknown kind %q", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), m.Bytes(), 0o666))
}

// cmdServer implements the script command "server VARIABLE". It starts an HTTP server and stores
// the URL of the server in the variable. The server runs until the script ends.
func cmdServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: server VARIABLE")
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /items/{id}", func(w http.ResponseWriter, r *http.Request) {
		switch id := r.PathValue("id"); id {
		case "none":
			http.Error(w, "no item for "+r.Header.Get("X-Token"), http.StatusNotFound)
		case "limited":
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		case "broken":
			w.WriteHeader(http.StatusInternalServerError)
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"item": {"id": %q, "n": 9007199254740993}}`, id)
		}
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Method, " ")
		_, _ = io.Copy(w, r.Body) // if the copy is incomplete, the script fails
	})
	mux.HandleFunc("GET /page", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<title>A page</title><h1>Head</h1><p>See <a href="items/7">item 7</a>.<script>track()</script>`)
	})
	mux.Handle("GET /away", http.RedirectHandler("http://127.0.0.1:1/", http.StatusFound))
	// A response in the format of Brave Search.
	mux.HandleFunc("GET /res/v1/web/search", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Subscription-Token") == "" {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		fmt.Fprintf(w, `{"web": {"results": [{"title": "About %s", "url": "https://example.com/", "description": "Asked with %s"}]}}`, r.FormValue("q"), r.Header.Get("X-Subscription-Token"))
	})
	server := httptest.NewServer(mux)
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

// Ctrl-C stops the tool at once, and the exit status is exitStopped.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no interrupt to send to one process")
	}
	dir := filepath.Join(t.TempDir(), "loop")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	loop := wasmtest.Module{
		Types: []wasmtest.FuncType{{}}, Exports: []wasmtest.Export{{Name: "_start"}},
		Funcs: []wasmtest.Func{{Body: []byte{wasmtest.Loop, wasmtest.Empty, wasmtest.Br, 0, wasmtest.End}}},
	}
	manifest := "manifest = 1\nname = \"loop\"\nversion = \"1.0.0\"\ndescription = \"Loops.\"\ntimeout = \"1h\"\nmodule.path = \"loop.wasm\"\n"
	for name, data := range map[string][]byte{"loop.wasm": loop.Bytes(), "tool.toml": []byte(manifest)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("wasmtool", "run", dir, "--input", "-", "--cache", "off")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// A pipe buffers less than 1 MiB. Once this write returns, the process must therefore have
	// started to read.
	if _, err := io.WriteString(stdin, strings.Repeat(" ", 1<<20)+"{}"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(stdin.Close(), cmd.Process.Signal(os.Interrupt)); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != exitStopped || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("got %v (status %d)\n%s", err, got, &stderr)
	}
}

// servlet returns a plug-in with the tool "say.Hello" or, if lies is true, a plug-in whose
// description of its tools is invalid.
func servlet(lies bool) wasmtest.Module {
	described, answer := `{"tools":[{"name":"say.Hello","description":"Says hello.","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}]}`, `{"content":[{"type":"text","text":"hello"}]}`
	if lies {
		described = `{"tools":"none of your business"}`
	}
	l := byte(wasmtest.I64)
	m := wasmtest.Module{
		Types:   []wasmtest.FuncType{{Params: []byte{l}, Results: []byte{l}}, {Params: []byte{l, wasmtest.I32}}, {Params: []byte{l, l}}, {Results: []byte{wasmtest.I32}}},
		Memory:  []uint32{1},
		Exports: []wasmtest.Export{{Name: "memory", Kind: 2}},
	}
	for i, name := range []string{"alloc", "store_u8", "output_set"} {
		m.Imports = append(m.Imports, wasmtest.Import{Module: "extism:host/env", Name: name, Type: uint32(i)})
	}
	long := func(v int) []byte { return wasmtest.S64([]byte{wasmtest.I64Const}, int64(v)) }
	const localSet, add64 = 0x21, 0x7c
	for i, text := range []string{described, answer} {
		body := wasmtest.Code(long(len(text)), wasmtest.CallFunc(0), []byte{localSet, 0})
		for at := range len(text) {
			body = wasmtest.Code(body, []byte{wasmtest.LocalGet, 0}, long(at), []byte{add64}, wasmtest.Const(int32(text[at])), wasmtest.CallFunc(1))
		}
		body = wasmtest.Code(body, []byte{wasmtest.LocalGet, 0}, long(len(text)), wasmtest.CallFunc(2), wasmtest.Const(0))
		m.Funcs = append(m.Funcs, wasmtest.Func{Type: 3, Locals: []byte{l}, Body: body})
		m.Exports = append(m.Exports, wasmtest.Export{Name: []string{"describe", "call"}[i], Index: uint32(3 + i)})
	}
	return m
}
