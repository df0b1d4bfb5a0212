package standard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// jsTool is the manifest of a tool that runs main.js of lib.
const jsTool = `manifest = 1
name = %q
version = "1.0.0"
description = "Runs a script."
timeout = %q

[script]
path = "lib/main.js"
program = %t

[limits]
memory = "32MiB"

[permissions]
random = %t
%s
[parameters]
type = "object"

[parameters.properties.numbers]
type = "array"
`

// openJS returns a registry with the given scripts as tools, by name, and the count of starts that
// are not saved. random grants real randomness.
func openJS(t testing.TB, o runtime.Options, random bool, scripts map[string]string) (*registry.Registry, *unsaved) {
	t.Helper()
	tools := make(map[string]map[string]string)
	for name, script := range scripts {
		timeout := "2m"
		if name == "spins" || name == "regex" {
			timeout = "300ms"
		}
		files := ""
		if name == "files" {
			files = "\n[[permissions.fs]]\nmount = \"tmp\"\nmode = \"write\"\n"
		}
		tools[name] = map[string]string{
			"tool.toml": fmt.Sprintf(jsTool, name, timeout, strings.Contains(script, "readInput"), random, files), "lib/main.js": script,
			"lib/data.json": `{"a":[1]}`, "lib/lib/double.js": "export const double = (n) => 2 * n",
			"lib/vendor/left/package.json": `{"main": "lib/left"}`, "lib/vendor/left/lib/left.js": "export default 'left'",
			"lib/vendor/@a/b/package.json": `{"exports": {"./sub": {"require": "./no.cjs", "import": "./b.mjs"}}}`,
			"lib/vendor/@a/b/b.mjs":        "export const sub = 'sub'",
			"lib/vendor/bad/package.json":  `{"main": "../../../etc/passwd"}`,
		}
	}
	return openScripts(t, standard.Options{Runtime: o}, tools)
}

// workspaceTables give a script its workspace to read, and a scratch directory.
const workspaceTables = `
[[permissions.fs]]
mount = "workspace"
mode = "read"

[[permissions.fs]]
mount = "tmp"
mode = "write"
`

const filesInJS = `const { files } = wasmtool;
const refused = (f) => { try { f(); return "allowed" } catch { return "refused" } };
export function run() {
  files.write("/tmp/a.txt", "one"), files.write("/tmp/a.txt", "two");
  return [files.text("/tool/data/words.txt"), files.text("note.txt"), [...files.read("/workspace/note.txt")].length, files.list(), files.list("sub"),
    files.text("/tmp/a.txt"), files.list("/tmp"), refused(() => files.write("new.txt", "")), refused(() => files.list("/etc")), refused(() => files.list("../.."))];
}`

const filesResult = `["words","a note",6,[{"name":"note.txt","type":"file"},{"name":"sub","type":"directory"}],[],"two",` +
	`[{"name":"a.txt","type":"file"}],"refused","refused","refused"]`

// A function returns every kind of result, and uses the functions of the host.
func TestJSFunction(t *testing.T) {
	const wide = "import * as wasmtool from 'wasmtool';\n"
	tools := scripts("tool.js", map[string]string{
		"text":    "export const run = (args) => 'naïve ' + args.a",
		"nothing": "export const run = () => {}",
		"image":   wide + "export const run = () => ['seen', wasmtool.image(Uint8Array.fromBase64('" + tinyPNG + "'))]",
		"whole":   wide + "export const run = () => new wasmtool.Result('short', {n: 1}, {title: 'A title'})",
		"error":   wide + "export const run = (args) => { throw new wasmtool.Error('no such city: ' + args.a) }",
		"store": wide + `export function run() {
  const { kv } = wasmtool;
  kv.put("a", new Uint8Array([255, 0])), kv.put("b", "text");
  const swapped = [kv.swap("b", "text", "new"), kv.swap("b", "text", "other"), kv.swap("c", undefined, "made")];
  const got = [[...kv.get("a")], kv.get("x"), new TextDecoder().decode(kv.get("b")), swapped, kv.list(), kv.list("b", "b")];
  for (const key of kv.list()) kv.delete(key);
  return [...got, kv.list()];
}`,
		"reports": wide + `export function run() {
  wasmtool.log("a line", "warning"), wasmtool.progress(1, 2, "half"), wasmtool.update("Working", {n: 1}, "so far");
  return [wasmtool.context().tool, wasmtool.secretExists("TOKEN")];
}`,
		"refused": wide + `export function run() {
  try { wasmtool.http("GET", "http://127.0.0.1/") } catch (e) { return [e instanceof wasmtool.HostError, e.kind, e.sent] }
}`,
		"early": wide + "wasmtool.log('at the start');\nexport const run = () => 1",
		"program\nprogram = true\nargs = [\"--city={a}\", \"x\"]\npreload = [\"wasmtool\"]": "console.log(scriptArgs, readInput())",
	})
	tools["typed"] = map[string]string{
		"tool.toml": fmt.Sprintf(scriptTool, "typed", "tool.js", "", "\n[result]\ntype = \"string\""),
		"tool.js":   "export const run = () => 'typed'",
	}
	tools["files"] = map[string]string{
		"tool.toml":      fmt.Sprintf(scriptTool, "files", "tool.js", "", workspaceTables),
		"tool.js":        wide + filesInJS,
		"data/words.txt": "words",
	}
	reg, unsaved := openScripts(t, standard.Options{}, tools)
	for name, want := range map[string]string{
		"files":   filesResult,
		"text":    "naïve Zürich",
		"nothing": "",
		"image":   "seen + image image/png",
		"whole":   "short",
		"error":   "execution: the tool reports a failure: no such city: Zürich\n\nno such city: Zürich",
		"store":   `[[255,0],null,"new",[true,false,true],["a","b","c"],[],[]]`,
		"reports": `["reports",false]`,
		"refused": `[true,"denied",false]`,
		"program": `["--city=Zürich", "x"] {"a":"Zürich"}`,
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
	if got := answer(reg, "early"); got != "1" || answer(reg, "early") != "1" || unsaved.Load() == 0 {
		t.Errorf("a start that uses the host gives %s, and is saved", got)
	}
}

// Scripts run in QuickJS, each call in an interpreter of its own. A call from a saved start equals
// a call that starts anew, in its output and its error.
func TestJS(t *testing.T) {
	results := map[string]struct{ script, want string }{
		"sorts":    {"export function run({numbers}) { return {sum: numbers.reduce((a, b) => a + b), words: 'naïve café'.match(/\\p{L}+/gu)} }", `{"sum":16,"words":["naïve","café"]}`},
		"awaits":   {"const wait = (ms) => new Promise((done) => setTimeout(done, ms));\nexport const run = async ({numbers}) => { await wait(5); await null; return numbers.length }", "4"},
		"text":     {"export const run = () => 'plain text'", "plain text"},
		"nothing":  {"export function run() { console.log('to diagnostics') }", ""},
		"program":  {"const {numbers} = JSON.parse(readInput()); setTimeout(() => console.log('after'), 1); console.log(numbers[0], [new Map([[1, {a: undefined}]]), 2n])", "3 [Map {1 => {a: undefined}}, 2n]\nafter"},
		"imports":  {"import {double} from './lib/double.js'; import data from './data.json' with {type: 'json'}; import left from 'left'; import {sub} from '@a/b/sub';\nexport const run = async ({numbers}) => [double(numbers[0]), data, left, sub, (await import('./lib/double.js')).double(2)]", `[6,{"a":[1]},"left","sub",4]`},
		"keeps":    {"let seen = 0; globalThis.mark = 'start';\nexport function run() { const r = [++seen, mark, JSON.mark]; mark = JSON.mark = 'call'; return r }", `[1,"start",null]`},
		"recurses": {"function f() { return f() + 1 }\nexport function run() { try { f() } catch (e) { return e instanceof RangeError } }", "true"},
		"nests":    {"let list = [];\nfor (let i = 0; i < 1e5; i++) list = [list];\nexport function run() { try { return `${list}` } catch (e) { return e.name } }", "RangeError"},
		"pattern":  {"export function run() { try { return /(a*)*b/.test('a'.repeat(8)) || new RegExp('('.repeat(1e5)) } catch (e) { return e.name } }", "SyntaxError"},
		"patches":  {"export function run() { JSON.stringify = () => 'no'; JSON.parse = null; RegExp.prototype.exec = String.prototype.isWellFormed = Array.prototype.push = () => { throw 1 }; for (const k of ['JSON', 'Object', 'Promise', 'Error', 'String']) delete globalThis[k]; return {a: 'ok'} }", `{"a":"ok"}`},
		"globals":  {"export function run() { return [typeof globalThis.host, typeof fetch, typeof process, typeof require, new TextDecoder().decode(new TextEncoder().encode('€\\ud800')), atob(btoa('a')), structuredClone({m: new Map([[1, [2]]])}).m.get(1), Object.keys(globalThis)] }", `["undefined","undefined","undefined","undefined","€�","a",[2],["performance"]]`},
		"reaches":  {"import {sys} from 'wasmtool:sys';\nexport function run() { const f = (g) => { try { g(); return 'reached' } catch (e) { return e.message } }; return [f(() => sys.readFile('/etc/passwd')), f(() => sys.readFile('/tool/../etc/passwd')), f(() => sys.open('/tool/x', 1)), f(() => sys.write(7, 'x'))] }", `["/etc/passwd: does not exist","/tool/../etc/passwd: not allowed","/tool/x: read-only","descriptor 7: is not open"]`},
		"leaves":   {"import {sys} from 'wasmtool:sys';\nexport function run() { const all = []; for (let i = 0; i < 20; i++) all.push(sys.open('/tool/data.json')); setInterval(() => {}, 1); return all[0] > 2 && new Set(all).size }", "20"},
		"asks":     {"import {sys} from 'wasmtool:sys';\nexport function run() { const f = sys.open('/tool/.host', 2), ask = (q) => { try { return sys.ask(f, q) } catch (e) { return e.message.replace(/\\d+/, 'N') } }; return [ask('{\"function\":\"secret_exists\",\"arguments\":{\"name\":\"é\\ud800\"}}\\n'), ask('[]\\n').error.kind, ask('no line'), ask(7), (() => { try { sys.ask(f + 9, 'x') } catch (e) { return e.message.replace(/\\d+/, 'N') } })()] }", `[{"value":false},"request","descriptor N: error 29 of WASI","descriptor N: error 29 of WASI","descriptor N: is not open"]`},
		"lines":    {"import {sys} from 'wasmtool:sys';\nexport function run() { const parts = ['', '\\n', ':', '1', '23', ')', ' at f (a.js:7:2)', ':4:5', '99999999', 'é', ' (native)']; let n = 1, checked = 0; const next = () => parts[(n = n * 48271 % 2147483647) % parts.length]; for (let i = 0; i < 2000; i++) { let s = ''; for (let j = i % 9; j > 0; j--) s += next(); const m = /:(\\d{1,9}):\\d+\\)?$/m.exec(s); if (sys.line(s) !== +(m?.[1] ?? 0)) return s; checked += m !== null } return [checked > 300, sys.line(new Error().stack), sys.line('')] }", "[true,2,0]"},
		"escapes":  {"import {sys} from 'wasmtool:sys';\nexport async function run() { const out = []; for (const name of ['../../etc/passwd', '/etc/passwd', 'file:///etc/passwd', 'bad', '../main.js', 'https://example.com/x.js', 'data:text/javascript,1', 'wasmtool:other']) out.push(await import(name).then(() => 'reached', () => 'refused')); return out.join() }", "refused,refused,refused,refused,refused,refused,refused,refused"},
		"replaces": {"import {sys} from 'wasmtool:sys';\nexport async function run() { try { sys.write = null } catch (e) { await sys.evaluate('export const sys = 1', 'wasmtool:sys'); return [e.name, (await import('wasmtool:sys')).sys === sys] } }", `["TypeError",true]`},
		"memory":   {"import {sys} from 'wasmtool:sys';\nexport function run() { let n = 0; for (let i = 0; i < 20; i++) { const a = new Uint8Array(1 << 20).fill(i); n += a[7] - i; new Array(1e4).fill({}).map(String) } return import('./lib/double.js').then((m) => n + m.double(2) + sys.text(sys.readFile('/tool/data.json'))) }", `4{"a":[1]}`},
		"files":    {"import {sys} from 'wasmtool:sys';\nexport function run() { const d = '/tmp/d'; sys.mkdir(d); sys.writeFile(d + '/a', 'é'); sys.rename(d + '/a', d + '/b'); const r = [sys.list(d), sys.stat(d + '/b').size, sys.text(sys.readFile(d + '/b')), sys.list('/tool/lib')]; try { sys.remove(d) } catch (e) { r.push(e.message) } sys.remove(d + '/b'); sys.remove(d); return r }", `[[{"name":"b","type":"file"}],2,"é",[{"name":"double.js","type":"file"}],"/tmp/d: is not empty"]`},
	}
	failures := map[string]struct {
		script string
		code   tool.Code
		text   string // in the error or in what was written to standard error
	}{
		"regex":     {"export function run() { return /^(a|a)*$/.test('a'.repeat(60) + 'b') }", tool.CodeTimeout, ""},
		"closes":    {"import {sys} from 'wasmtool:sys'; export function run() { for (let i = 1; i < 8; i++) try { sys.close(i) } catch {} return 1 }", tool.CodeExecution, ""},
		"exits":     {"import {sys} from 'wasmtool:sys'; export function run() { sys.exit(7) }", tool.CodeExecution, "exit status 7"},
		"ends":      {"import {sys} from 'wasmtool:sys'; export function run() { sys.exit(0) }", tool.CodeInvalidOutput, ""},
		"spins":     {"export function run() { for (;;); }", tool.CodeTimeout, ""},
		"bomb":      {"export function run() { const all = []; try { for (;;) all.push(new Uint8Array(1 << 20)) } catch { return 1 } }", tool.CodeResourceExhausted, "InternalError: out of memory\n    at run (/tool/main.js:1:"},
		"objects":   {"export function run() { const all = []; for (;;) all.push({all, text: `${all.length}`}) }", tool.CodeResourceExhausted, "memory"},
		"hoards":    {"export function run() { const all = []; for (;;) all.push(new TextEncoder().encode('x'.repeat(300)), crypto.randomUUID(), structuredClone([1])) }", tool.CodeResourceExhausted, "bytes of memory"},
		"strings":   {"export function run() { let s = 'x'; for (;;) s += s }", tool.CodeExecution, "InternalError: string too long"},
		"prints":    {"readInput(); for (;;) console.log('x'.repeat(100000))", tool.CodeResourceExhausted, "output"},
		"broken":    {"export function run( {", tool.CodeExecution, "SyntaxError: invalid property name\n    at /tool/main.js:1:23"},
		"throws":    {"function inner() { throw new TypeError('a bad value') }\nexport function run() { inner() }", tool.CodeExecution, "TypeError: a bad value\n    at inner (/tool/main.js:1:30)\n    at run (/tool/main.js:2:25)"},
		"rejects":   {"export function run() { Promise.reject(new Error('lost')); return 1 }", tool.CodeExecution, "Error: lost\n    at run (/tool/main.js:1:"},
		"starts":    {"throw new Error('at the start'); export function run() {}", tool.CodeExecution, "Error: at the start\n    at <anonymous> (/tool/main.js:1:11)"},
		"timer":     {"export function run() { setTimeout(() => { throw new Error('late') }); return new Promise(() => {}) }", tool.CodeExecution, "Error: late"},
		"hangs":     {"export function run() { return new Promise(() => {}) }", tool.CodeExecution, "waits for a promise that nothing will settle"},
		"missing":   {"import './no.js'; export function run() {}", tool.CodeExecution, "cannot find the module /tool/no.js"},
		"package":   {"import 'lodash'; export function run() {}", tool.CodeExecution, `cannot find the module "lodash", which /tool/main.js imports`},
		"node":      {"import 'node:fs'; export function run() {}", tool.CodeExecution, "scripts have no modules of Node.js"},
		"export":    {"import {no} from './lib/double.js'; export function run() {}", tool.CodeExecution, "'no' in module '/tool/lib/double.js'"},
		"constant":  {"export const run = 1", tool.CodeExecution, "main.js exports a run that is not a function"},
		"no_run":    {"export function main() {}", tool.CodeExecution, "main.js exports no function run; write"},
		"bigint":    {"export function run() { return {a: 1n} }", tool.CodeExecution, "run returned a value that is not JSON\n  because of TypeError"},
		"cycle":     {"export function run() { const a = []; a[0] = a; return a }", tool.CodeExecution, "circular"},
		"function":  {"export function run() { return run }", tool.CodeExecution, "run returned a function, which is not JSON"},
		"surrogate": {"export function run() { return ['\\ud800'] }", tool.CodeExecution, "a lone surrogate"},
		"proxy":     {"export function run() { return new Proxy({}, {ownKeys() { throw new Error('no keys') }}) }", tool.CodeExecution, "because of Error: no keys"},
		"tojson":    {"export function run() { return {toJSON() { throw new Error('no') }} }", tool.CodeExecution, "because of Error: no"},
		"error":     {"export function run() { return new Error('returned') }", tool.CodeExecution, "Error: returned"},
		"hidden":    {"export function run() { throw {get stack() { throw 1 }, toString() { throw 2 }} }", tool.CodeExecution, "an error that cannot be shown"},
		"deep":      {"function f() { f() }\nexport function run() { f() }", tool.CodeExecution, "RangeError: Maximum call stack size exceeded\n    at f (/tool/main.js:1:"},
	}
	scripts := map[string]string{}
	for name, tt := range results {
		scripts[name] = tt.script
	}
	for name, tt := range failures {
		scripts[name] = tt.script
	}
	saved, unsaved := openJS(t, runtime.Options{}, false, scripts)
	anew, _ := openJS(t, runtime.Options{MaxIdleBytes: -1}, false, scripts)
	fuel := map[string]uint64{}
	call := func(reg *registry.Registry, name string) (string, *tool.Error) {
		result, err := reg.Execute(context.Background(), tool.Call{Tool: name, Arguments: []byte(`{"numbers": [3, 1, 2, 10]}`)})
		var failed *tool.Error
		if err != nil && !errors.As(err, &failed) {
			t.Fatal(name, err)
		}
		if before, ok := fuel[name]; ok && err == nil && result.Call.Fuel != before {
			t.Errorf("%s: a call used %d units of fuel, and another %d", name, before, result.Call.Fuel)
		}
		fuel[name] = result.Call.Fuel
		return strings.TrimSpace(result.Text()), failed
	}
	for name, tt := range results {
		for _, reg := range []*registry.Registry{saved, saved, saved, anew} {
			if got, err := call(reg, name); got != tt.want || err != nil {
				t.Errorf("%s: got %s, %v", name, got, err)
			}
		}
	}
	if n := unsaved.Load(); n > 0 {
		t.Errorf("%d starts were not saved: %v", n, unsaved.last.Load())
	}
	for name, tt := range failures {
		var last string
		for _, reg := range []*registry.Registry{saved, saved, anew} {
			_, err := call(reg, name)
			if err == nil || err.Code != tt.code || !strings.Contains(err.Error()+err.Details.Stderr, tt.text) {
				t.Errorf("%s: got %v, %+v", name, err, err.Details)
				continue
			}
			text := err.Error() + err.Details.Stderr
			if strings.Contains(text, "boot") || strings.Contains(text, os.TempDir()) {
				t.Errorf("%s: the error names a file that is not the script's: %s", name, text)
			}
			if last != "" && text != last && tt.code == tool.CodeExecution {
				t.Errorf("%s: got %s, and before %s", name, text, last)
			}
			last = text
		}
	}
}

// Calls from one saved start share no random number. A start that draws one is not saved.
func TestJSRandom(t *testing.T) {
	reg, unsaved := openJS(t, runtime.Options{}, true, map[string]string{
		"calls":  "const { random } = Math;\nexport function run() { return [random(), Math.random(), crypto.randomUUID(), ...crypto.getRandomValues(new BigUint64Array(2))].map(String) }",
		"starts": "const id = Math.random();\nexport function run() { return [String(id)] }",
	})
	seen := map[string]bool{}
	call := func(name string) {
		result, err := reg.Execute(t.Context(), tool.Call{Tool: name})
		var values []string
		if err = errors.Join(err, json.Unmarshal([]byte(result.Text()), &values)); err != nil {
			t.Fatal(name, err)
		}
		for _, value := range values {
			if seen[value] {
				t.Fatalf("%s: %s twice", name, value)
			}
			seen[value] = true
		}
	}
	for range testlevel.Size(200, 1000) {
		call("calls")
	}
	if n := unsaved.Load(); n > 0 {
		t.Errorf("%d starts were not saved: %v", n, unsaved.last.Load())
	}
	for range 5 {
		call("starts")
	}
	if unsaved.Load() == 0 {
		t.Error("a start that draws a random number was saved")
	}
}

// BenchmarkJS compares a call of a script with starting node for it.
func BenchmarkJS(b *testing.B) {
	const script = "export function run({numbers}) { numbers.sort((a, b) => a - b); return (numbers[1] + numbers[2]) / 2 }"
	const input = `{"numbers": [3, 1, 2, 10]}`
	b.Run("call", func(b *testing.B) {
		reg, _ := openJS(b, runtime.Options{}, false, map[string]string{"median": script})
		call := func() {
			result, err := reg.Execute(b.Context(), tool.Call{Tool: "median", Arguments: []byte(input)})
			if err != nil || result.Text() != "2.5" {
				b.Fatal(result.Text(), err)
			}
		}
		call() // compiles and saves the interpreter
		for b.Loop() {
			call()
		}
	})
	b.Run("node", func(b *testing.B) {
		node := testlevel.Program(b, "node")
		for b.Loop() {
			c := exec.Command(node, "--input-type=module", "-e", script+"; console.log(run(JSON.parse((await import('fs')).readFileSync(0))))")
			c.Stdin = strings.NewReader(input)
			if out, err := c.Output(); err != nil || strings.TrimSpace(string(out)) != "2.5" {
				b.Fatal(string(out), err)
			}
		}
	})
}
