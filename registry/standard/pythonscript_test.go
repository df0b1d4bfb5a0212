package standard_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// scriptTool is the manifest of a tool with a script. The verbs are the name, the file of the
// script, further keys of [script], and further tables.
const scriptTool = `manifest = 1
name = %q
version = "1.0.0"
description = "Runs a script."
timeout = "5s"

[script]
path = %q
%s

[permissions]
random = true
kv = "write"
tools = ["text", "value"]

[parameters]
type = "object"

[parameters.properties.a]
type = "string"
default = "Zürich"
%s
`

// tinyPNG is an image of one pixel.
const tinyPNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// scripts returns the files of tools with one script each, whose names may have further keys of
// [script] after a line feed.
func scripts(file string, all map[string]string) map[string]map[string]string {
	tools := make(map[string]map[string]string)
	for name, script := range all {
		name, keys, _ := strings.Cut(name, "\n")
		tools[name] = map[string]string{"tool.toml": fmt.Sprintf(scriptTool, name, file, keys, ""), file: script}
	}
	return tools
}

// answer runs a tool and returns the text of its result or error.
func answer(reg *registry.Registry, name string) string {
	result, err := reg.Execute(context.Background(), tool.Call{Tool: name, Arguments: []byte("{}")})
	text := strings.TrimSpace(result.Text())
	if err != nil {
		var e *tool.Error
		_ = errors.As(err, &e)
		return string(e.Code) + ": " + e.Message + "\n" + e.Details.Stderr + "\n" + text
	}
	for _, block := range result.Content[min(1, len(result.Content)):] {
		text += fmt.Sprintf(" + %s %s", block.Type, block.MIMEType)
	}
	return text
}

// A function gets the arguments and returns the result; a program reads and writes its streams.
func TestPythonScripts(t *testing.T) {
	tools := scripts("tool.py", map[string]string{
		"text":    "def run(args): return 'naïve ' + args['a']",
		"value":   "def run(args): return {'list': [1, 2.5, None, True, 'é'], 'n': args['a']}",
		"nothing": "def run(args): pass",
		"image":   "import base64, wasmtool\ndef run(args): return ['seen', wasmtool.image(base64.b64decode('" + tinyPNG + "'))]",
		"whole":   "import wasmtool\ndef run(args): return wasmtool.Result('short', {'n': 1}, title='A title')",
		"prints":  "def run(args):\n    print('a note')\n    return 'done'",
		"store": `import wasmtool
def run(args):
    kv = wasmtool.kv
    kv.put("a", b"\xff\x00"), kv.put("b", "text")
    swapped = kv.swap("b", "text", "new"), kv.swap("b", "text", "other"), kv.swap("c", None, "made")
    kv.delete("a"), kv.delete("c")
    return [repr(kv.get("a")), repr(kv.get("a", 1)), repr(kv.get("b")), swapped, kv.list(), kv.list("b", "b")]
`,
		"encodes": `import json, wasmtool
def run(args):
    cycle = []
    cycle.append([cycle])
    same = {"a": [], "é": None}
    got = []
    for value in [cycle, float("nan"), [{1, 2}], {"a": b"x"}, {(1, 2): 3}, same, [same, same], "\ud800\n", 1e300, {1: True, None: 2.5}]:
        results = set()
        for encode in (json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode, wasmtool._encode, wasmtool._encode):
            try:
                results.add(ascii(encode(value)))
            except Exception as e:
                results.add(repr(e))
        got.append(len(results))
    wasmtool.kv.put("large", "x" * 1_000_000)
    return [got, len(wasmtool.kv.get("large"))]
`,
		"calls": `import wasmtool
def run(args):
    got = wasmtool.call("value")
    try:
        wasmtool.call("prints")
    except wasmtool.HostError as e:
        return [got.value, got.structured, wasmtool.call("text", {"a": "Bern"}).value, e.kind]
`,
		"reports": `import wasmtool
def run(args):
    wasmtool.log("a line", "warning"), wasmtool.progress(1, 2, "half"), wasmtool.update("Working", {"n": 1}, "so far")
    return [wasmtool.context()["tool"], wasmtool.secret_exists("TOKEN")]
`,
		"refused": `import wasmtool
def run(args):
    try:
        wasmtool.http("GET", "http://127.0.0.1/")
    except wasmtool.HostError as e:
        return [e.kind, e.sent]
`,
		"program\nprogram = true\nargs = [\"--city={a}\", \"x\"]": `import argparse, json, sys
parser = argparse.ArgumentParser()
parser.add_argument("--city"); parser.add_argument("rest")
if __name__ == "__main__":
    options = parser.parse_args()
    print(options.city, options.rest, json.load(sys.stdin), sys.argv[0])
`,
		"early\nprogram = true":   "print('all there is')\nraise SystemExit",
		"at_exit\nprogram = true": "import atexit\natexit.register(print, 'last')\nprint('first')",
		"preload\npreload = [\"sqlite3\", \"xml.dom.minidom\"]": `import sys
before = sorted({"sqlite3", "xml.dom.minidom"} & set(sys.modules))
def run(args): return before
`,
	})
	tools["parts"] = map[string]string{
		"tool.toml":                       strings.Replace(fmt.Sprintf(scriptTool, "parts", "tool.py", "", ""), `"tool.py"`, `"src/main.py"`, 1),
		"src/main.py":                     "from helpers.words import run",
		"src/helpers/words.py":            "import vendored\ndef run(args):\n    import os\n    return [vendored.NAME, open('/tool/data/list.txt').read(), sorted(os.listdir('/tool'))]",
		"src/vendor/vendored/__init__.py": "NAME = 'vendored'",
		"src/data/list.txt":               "a list", "src/.env": "SECRET=1", "src/notes.txt": "not seen", "src/__pycache__/x.py": "",
		"top.py": "not seen",
	}
	tools["typed"] = map[string]string{
		"tool.toml": fmt.Sprintf(scriptTool, "typed", "tool.py", "", "\n[result]\ntype = \"string\""),
		"tool.py":   "def run(args): return 'typed'",
	}
	tools["files"] = map[string]string{
		"tool.toml": fmt.Sprintf(scriptTool, "files", "tool.py", "", workspaceTables),
		"tool.py": `from wasmtool import files
def refused(f):
    try:
        f()
        return "allowed"
    except OSError:
        return "refused"
def run(args):
    files.write("/tmp/a.txt", b"one"), files.write("/tmp/a.txt", "two")
    return [files.text("/tool/data/words.txt"), files.text("note.txt"), len(files.read("/workspace/note.txt")), files.list(), files.list("sub"),
        files.text("/tmp/a.txt"), files.list("/tmp"), refused(lambda: files.write("new.txt", "")), refused(lambda: files.list("/etc")), refused(lambda: files.list("../../etc"))]
`,
		"data/words.txt": "words",
	}
	reg, unsaved := openPython(t, tools)
	for name, want := range map[string]string{
		"files":   filesResult,
		"text":    "naïve Zürich",
		"value":   `{"list":[1,2.5,null,true,"é"],"n":"Zürich"}`,
		"nothing": "",
		"image":   "seen + image image/png",
		"whole":   "short",
		"prints":  "done",
		"store":   `["None","1","b'new'",[true,false,true],["b"],[]]`,
		"encodes": `[[1,1,1,1,1,1,1,1,1,1],1000000]`,
		"calls":   `[{"list":[1,2.5,null,true,"é"],"n":"Zürich"},{"list":[1,2.5,null,true,"é"],"n":"Zürich"},"naïve Bern","permission_denied"]`,
		"reports": `["reports",false]`,
		"refused": `["denied",false]`,
		"program": "Zürich x {'a': 'Zürich'} /tool/tool.py",
		"early":   "all there is",
		"at_exit": "first\nlast",
		"preload": `["sqlite3","xml.dom.minidom"]`,
		"parts":   `["vendored","a list",[".boot","data","helpers","main.py","vendor"]]`,
		"typed":   `"typed"`,
	} {
		for range 2 {
			if got := answer(reg, name); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	}
	if n := unsaved.Load(); n > 0 {
		t.Errorf("%d starts were not saved: %v", n, unsaved.last.Load())
	}
}

// Each kind of mistake and attack has one clear error.
func TestPythonScriptErrors(t *testing.T) {
	tools := scripts("tool.py", map[string]string{
		"syntax":                        "def run(args):\n    return (\n",
		"no_run":                        "def main(args): return 1",
		"missing":                       "import requests\ndef run(args): pass",
		"temporary":                     "import tempfile\ndef run(args): return tempfile.gettempdir()",
		"ctypes":                        "def run(args):\n    import ctypes",
		"preload\npreload = [\"lxml\"]": "def run(args): pass",
		"raises":                        "def inner(): raise ValueError('a bad value')\ndef run(args): inner()",
		"unhandled":                     "import wasmtool\ndef run(args): wasmtool.http('GET', 'http://127.0.0.1/')",
		"own_error":                     "import wasmtool\ndef run(args): raise wasmtool.Error('no such city: ' + args['a'])",
		"set":                           "def run(args): return {1, 2}",
		"nan":                           "def run(args): return float('nan')",
		"cycle":                         "def run(args):\n    x = []\n    x.append(x)\n    return x",
		"deep":                          "def run(args):\n    x = []\n    for _ in range(100000): x = [x]\n    return x",
		"surrogate":                     "def run(args): return {'a': '\\ud800'}",
		"raise_surrogate":               "import wasmtool\ndef run(args): raise wasmtool.Error('\\ud800')",
		"async":                         "async def run(args): pass",
		"exits":                         "import sys\ndef run(args): sys.exit(0)",
		"os_exit":                       "import os\ndef run(args): os._exit(0)",
		"fork":                          "import os\ndef run(args): os.fork()",
		"socket":                        "import socket\ndef run(args): socket.create_connection(('127.0.0.1', 80))",
		"builtins":                      "import builtins\ndef run(args):\n    for name in list(vars(builtins)): delattr(builtins, name)\n    return 1",
		"spins":                         "def run(args):\n    while True: pass",
		"recurses":                      "def run(args): run(args)",
		"bomb":                          "def run(args): return len([bytearray(1 << 20) for _ in range(1 << 20)])",
		"big":                           "def run(args): return 'x' * (4 << 20)",
		"prints\nprogram = true":        "while True: print('x' * 100000)",
		"status\nprogram = true":        "import sys\nprint('wrong', file=sys.stderr)\nsys.exit(3)",
		"import_exits":                  "import sys\nsys.exit('at import')\ndef run(args): pass",
	})
	for _, file := range []string{"json.py", "random/__init__.py", "wasmtool.py"} {
		name, _, _ := strings.Cut(strings.TrimSuffix(file, ".py"), "/")
		tools["named_"+name] = map[string]string{
			"tool.toml": fmt.Sprintf(scriptTool, "named_"+name, "tool.py", "", ""), "tool.py": "def run(args): pass", file: "",
		}
	}
	reg, _ := openPython(t, tools)
	for name, want := range map[string][]string{
		"syntax":          {"execution", `File "/tool/tool.py", line 2`, "SyntaxError: '(' was never closed"},
		"no_run":          {"execution", "tool.py defines no function run; write 'def run(args):', or program = true"},
		"missing":         {"execution", "No module named 'requests'", "put the module requests next to tool.py", "native code"},
		"temporary":       {"execution", "No usable temporary directory", `permissions.fs = [{ mount = "tmp", mode = "write" }]`},
		"ctypes":          {"execution", "No module named 'ctypes'", "does not work in the sandbox"},
		"preload":         {"execution", "preload: lxml cannot be imported: No module named 'lxml'"},
		"raises":          {"execution", `File "/tool/tool.py", line 1, in inner`, "ValueError: a bad value"},
		"unhandled":       {"execution", "line 2, in run", "^\nwasmtool.HostError: "},
		"own_error":       {"execution", "no such city: Zürich"},
		"set":             {"execution", "the result of run is not JSON: Object of type set is not JSON serializable"},
		"nan":             {"execution", "not JSON", "Out of range float"},
		"cycle":           {"execution", "not JSON", "Circular"},
		"deep":            {"execution", "not JSON", "recursion"},
		"surrogate":       {"execution", "half of a surrogate pair"},
		"raise_surrogate": {"execution", `\ud800`},
		"async":           {"execution", "run is an async function"},
		"exits":           {"execution", "the script ended with exit(0)"},
		"os_exit":         {"invalid_output", "the tool ended without a result"},
		"fork":            {"execution", "os.fork"},
		"socket":          {"execution", "Error"},
		"spins":           {"timeout"},
		"recurses":        {"execution", "RecursionError"},
		"bomb":            {"execution", "MemoryError"},
		"big":             {"resource_exhausted", "output"},
		"prints":          {"resource_exhausted", "output"},
		"status":          {"execution", "exit status 3\nwrong"},
		"import_exits":    {"execution", "at import"},
		"named_json":      {"execution", "json.py has the name of a module of Python"},
		"named_random":    {"execution", "random has the name of a module of Python"},
		"named_wasmtool":  {"execution", "wasmtool.py has the name of a module of Python or of wasmtool"},
	} {
		got := answer(reg, name)
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: got %q, want %q", name, got, part)
			}
		}
		if strings.Contains(got, "boot") {
			t.Errorf("%s: the error shows how the script is started: %s", name, got)
		}
	}
	if got := answer(reg, "builtins"); !strings.Contains(got, "execution") && got != "1" {
		t.Errorf("deleted builtins: %s", got)
	}
}

// Calls share no random value, whatever a script does with its generators while it starts. A script
// that uses random numbers while it starts gets a new interpreter for each call.
func TestPythonRandom(t *testing.T) {
	reg, unsaved := openPython(t, scripts("tool.py", map[string]string{
		"draws": "import random, os, uuid, secrets, tempfile\ndef run(args): return [random.random(), os.urandom(8).hex(), str(uuid.uuid4()), secrets.token_hex(8), next(tempfile._get_candidate_names()), random.Random().random()]",
		"early": "import random\nx = random.random()\ndef run(args): return [x]",
		"own":   "import random\nrng = random.Random()\ndef run(args): return [rng.random()]",
		"kept":  "from random import random, choice\ndef run(args): return [random(), choice(range(1 << 30))]",
		"seed":  "import random\nrandom.seed(42)\nx = random.random()\ndef run(args): return [x, random.random()]",
	}))
	if first, second := answer(reg, "seed"), answer(reg, "seed"); first != second || unsaved.Load() > 0 {
		t.Errorf("after seed(42), calls return %s and %s, and %d starts are unsaved", first, second, unsaved.Load())
	}
	seen := map[string]bool{}
	for name, calls := range map[string]int{"draws": 1000, "kept": 20, "early": 2, "own": 2} {
		before := unsaved.Load()
		for range calls {
			for _, value := range strings.Split(answer(reg, name), ",") {
				if seen[value] {
					t.Fatalf("%s: the value %s came twice", name, value)
				}
				seen[value] = true
			}
		}
		if saved := unsaved.Load() == before; saved != (name == "draws" || name == "kept") {
			t.Errorf("%s: saved is %t", name, saved)
		}
	}
}
