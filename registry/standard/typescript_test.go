package standard_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/runtime"
)

// esbuildOptions are the options of a registry in which the runtime typescript was added.
func esbuildOptions(t testing.TB) standard.Options {
	t.Helper()
	archive := os.Getenv("WASMTOOL_ESBUILD")
	if archive == "" {
		t.Skip("needs the archive of esbuild: run 'npm pack @esbuild/wasi-preview1@0.27.2', and set WASMTOOL_ESBUILD to the file")
	}
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	o := standard.Options{StateDir: t.TempDir()}
	if err := standard.Runtimes(o).Add("typescript", file); err != nil {
		t.Fatal(err)
	}
	return o
}

// An import finds a file in TypeScript under the names that authors of TypeScript write.
func TestImportsOfTypeScript(t *testing.T) {
	manifest := strings.NewReplacer("[script]\npath", "[module]\nruntime = \"js\"\ndata = \"lib\"\nargs").Replace(fmt.Sprintf(scriptTool, "imports", "", "", ""))
	reg, _ := openScripts(t, standard.Options{}, map[string]map[string]string{"imports": {
		"tool.toml": strings.Replace(manifest, `args = ""`, `args = ["/tool/main.js"]`, 1),
		"lib/main.js": `import a from "./a"; import b from "./b.js"; import c from "./c.d"; import dir from "./dir"; import both from "./both.js";
try { await import("./no"); } catch (e) { console.log(a, b, c, dir, both, (await import("./a.ts")).default === a, e.message); }`,
		"lib/a.ts": "export default {a: 1}", "lib/b.ts": "export default 'b'", "lib/c.d.ts": "export default 'c'", "lib/dir/index.ts": "export default 'dir'",
		"lib/both.ts": "export default 'not this'", "lib/both.js": "export default 'both'",
	}})
	if got := answer(reg, "imports"); got != "{a: 1} b c dir both true cannot find the module /tool/no: does not exist" {
		t.Error(got)
	}
}

// Scripts in TypeScript run as JavaScript, and mistakes have their place in the source.
func TestTypeScript(t *testing.T) {
	tools := scripts("tool.ts", map[string]string{
		"types": `import { text, type Content } from "wasmtool";
interface Args { a: string }
type Pair<T, U = T> = readonly [T, U];
declare const unknown: never;
abstract class Base<T> {
  constructor(protected readonly value: T, public n?: number) {}
  abstract get(): T;
}
class Box extends Base<string> { override get(): string { return this.value! } }
function swap<A, B>([a, b]: Pair<A, B>): Pair<B, A>;
function swap(pair: any) { return [pair[1], pair[0]] }
export const run = ({ a }: Args): Content => text(swap([1, new Box(a).get()] satisfies Pair<number, string>).join(" ") as string);`,
		"enums": `enum Color { Red = 1, Green, Blue = "b" }
const enum Size { Small = 3 }
namespace Shapes { export const sides = 4 }
export const run = () => [Color.Green, Color[2], Color.Blue, Size.Small, Shapes.sides];`,
		"later": `function upper(f: any, c: ClassMethodDecoratorContext) { return function (this: any) { return f.call(this).toUpperCase() } }
class A { @upper name() { return "x" } }
export function run() {
  const closed: string[] = [];
  { using file = { [Symbol.dispose]: () => closed.push("closed") }; }
  return [new A().name(), ...closed];
}`,
		"program\nprogram = true": "const { a } = JSON.parse(readInput()) as { a: string };\nconsole.log(a satisfies string);",
		"throws": `interface A {
  a: string
}

function check(
  text: string,   // a comment
): void {
  const words: string[] = ` + "`a\n  b ${text}`.split(' ');\n" + `  if (words.length)
    throw new Error("too many words");
}

export function run(args: A): void {
  check(args.a);
}`,
		"syntax":  "interface A { }\nexport const run = () => {\n  return 1 as ;\n}\nexport const other: number = 1 1;",
		"jsx":     "export const run = () =>\n  <b>x</b>;",
		"default": "export default function run() {}",
		"missing": "import { a } from './none';\nexport const run = () => a;",
	})
	tools["parts"] = map[string]string{
		"tool.toml": strings.Replace(fmt.Sprintf(scriptTool, "parts", "tool.ts", "", ""), `"tool.ts"`, `"src/main.ts"`, 1),
		"src/main.ts": `import { a } from "./lib/a"; import { b } from "./lib/b.ts"; import { c } from "./c.js"; import type { T } from "./types";
import vendored from "vendored"; import list from "./data/list.json";
import { sys } from "wasmtool:sys";
export const run = (): T => [a, b, c, vendored, list, sys.text(sys.readFile("/tool/data/x.ts"))];`,
		"src/lib/a.ts": "import { b } from './b';\nexport const a: string = 'a' + b;", "src/lib/b.ts": "export const b = 'b' as const;",
		"src/c.js": "export const c = 'c'", "src/types.ts": "export type T = unknown[];", "src/wasmtool.d.ts": "declare module 'wasmtool';\nnot read",
		"src/vendor/vendored/index.js": "export default 'v'", "src/vendor/vendored/src/x.ts": "not read", "src/data/list.json": "[1]", "src/data/x.ts": "not read",
	}
	tools["mistake"] = map[string]string{
		"tool.toml":   tools["parts"]["tool.toml"],
		"src/main.ts": "export { run } from './lib/a';", "src/lib/a.ts": "/* ü */ export const run = () => 'ü' 'é';",
	}
	tools["mistake"]["tool.toml"] = strings.Replace(tools["mistake"]["tool.toml"], `"parts"`, `"mistake"`, 1)
	reg, unsaved := openScripts(t, esbuildOptions(t), tools)
	for name, want := range map[string][]string{
		"types":   {"Zürich 1"},
		"enums":   {`[2,"Green","b",3,4]`},
		"later":   {`["X","closed"]`},
		"program": {"Zürich"},
		"parts":   {`["ab","b","c","v",[1],"not read"]`},
		"throws":  {"execution", "Error: too many words\n    at check (/tool/tool.ts:11:15)\n    at run (/tool/tool.ts:15:9)"},
		"syntax":  {"invalid_module", "/syntax/tool.ts:3:15: Unexpected \";\""},
		"jsx":     {"invalid_module", "/jsx/tool.ts:2:"},
		"mistake": {"invalid_module", "/mistake/src/lib/a.ts:1:38: Expected \";\" but found \"'é'\""},
		"default": {"execution", "tool.ts exports no function run"},
		"missing": {"execution", "cannot find the module /tool/none"},
	} {
		for range 2 {
			got := answer(reg, name)
			for _, part := range want {
				if len(want) == 1 && got != part || !strings.Contains(got, part) {
					t.Errorf("%s: got %q, want %q", name, got, part)
				}
			}
		}
	}
	if n := unsaved.Load(); n > 0 {
		t.Errorf("%d starts were not saved: %v", n, unsaved.last.Load())
	}
}

// What esbuild wrote is kept in the cache of modules, so a later start does not run it.
func TestTypeScriptIsKept(t *testing.T) {
	o := esbuildOptions(t)
	var esbuild []bool
	o.Runtime.Events.Compile = func(e runtime.CompileEvent) { esbuild = append(esbuild, strings.HasPrefix(e.Digest, "ed4ef442")) }
	// No earlier test has this source.
	tools := scripts("tool.ts", map[string]string{"a": "export const run = (args: {a: string}): string => args.a // " + t.TempDir()})
	for _, want := range []bool{true, false} {
		esbuild = nil
		reg, _ := openScripts(t, o, tools)
		if got := answer(reg, "a"); got != "Zürich" || slices.Contains(esbuild, true) != want {
			t.Fatalf("got %q, and whether the modules are esbuild: %v", got, esbuild)
		}
	}
	o.StateDir = ""
	reg, _ := openScripts(t, o, tools)
	if got := answer(reg, "a"); !strings.Contains(got, "a/tool.toml:8:8: script.path: needs the runtime typescript 0.27.2 (4 MiB), which is not here; run 'wasmtool runtime add typescript'") {
		t.Errorf("without esbuild: %s", got)
	}
}

// The guest that transforms scripts has the limits of every tool.
func TestTypeScriptLimits(t *testing.T) {
	o := esbuildOptions(t)
	o.Runtime.MaxFuel = 500_000_000
	reg, _ := openScripts(t, o, scripts("tool.ts", map[string]string{
		"small": "export const run = (): string => 'ran'",
		"large": strings.Repeat("export const a = [{ b: (c) => c.d }];\n", 50_000),
	}))
	if got := answer(reg, "small"); got != "ran" {
		t.Error(got)
	}
	if got := answer(reg, "large"); !strings.Contains(got, `invalid_module`) || !strings.Contains(got, `large/tool.toml:8:8: script.path: "tool.ts" cannot become JavaScript: it takes more than a minute or 256 MiB of memory; split it`) {
		t.Error(got)
	}
}
