package runtimes_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/runtimes"
)

// printed returns the output of esbuild with a source map.
func printed(js, mappings string) []byte {
	about := fmt.Sprintf(`{"version": 3, "sources": ["<stdin>"], "mappings": %q, "names": []}`, mappings)
	return fmt.Appendf(nil, "%s//# sourceMappingURL=data:application/json;base64,%s\n", js, base64.StdEncoding.EncodeToString([]byte(about)))
}

// esbuildOutputs are sources, and what esbuild 0.27.2 writes for them.
var esbuildOutputs = map[string]struct{ source, js, mappings, want string }{
	"types": {
		"// A comment\ninterface A { b: string }\n\nexport function f(a: A): string {\n\n  return a.b as string;\n}\n",
		"export function f(a){return a.b}\n", "AAGO,gBAAS,EAAE,EAAc,CAE9B,OAAO,EAAE,CACX",
		"\n\n\n       export function f(a)     {\n\n  return a.b}\n",
	},
	"template": {
		"const a: string = `x\n  ${f(\n  1)}\n\n`;\nlet b;\n",
		"const a=`x\n  ${f(1)}\n\n`;let b;\n", "AAAA,MAAM,EAAY;AAAA,IACd,EACF,CAAC,CAAC;AAAA;AAAA,EAGJ,IAAI",
		"const a=          `x\n  ${f(\n  1)}\n\n`;\nlet b;\n",
	},
	"line ends with a meaning": {
		"let i: number = 0; const f = async (x: any) => {\n  i\n++\n  i\n  for (;;) {\n    break\n    i}\n  return (\n    x) };\n\n++i\n",
		"let i=0;const f=async x=>{i;++i;for(;;){break;i}return x};++i;\n",
		"AAAA,IAAI,EAAY,EAAG,MAAM,EAAI,MAAO,GAAW,CAC7C,EACF,EACE,EACA,OAAS,CACP,MACA,CAAC,CACH,OACE,CAAG,EAEP,EAAE",
		"let i=          0; const f=  async  x=>        {\n  i;++i;\n\n\n  for(;;)  {\n    break;\n    i}\n  return x};++i;\n",
	},
	"wide characters": {
		"const a = \"💡ü\", b: string =\n  \"💡\", c = String.raw`💡`, d =\n  1\n",
		"const a=\"\\u{1F4A1}\\xFC\",b=\"\\u{1F4A1}\",c=String.raw`💡`,d=1;\n",
		"AAAA,MAAM,EAAI,gBAAO,EACf,YAAM,EAAI,OAAO,QAAS,EAC1B",
		"const a=  \"\\u{1F4A1}\\xFC\",b=\n  \"\\u{1F4A1}\",c=String.raw`💡`,d=\n  1;\n",
	},
	"only types":      {"export type A = string;\n", "", "", ""},
	"carriage return": {"type A = 1;\r\nlet a = `\r\n`;\r\n\r\nlet b = 1;\r\n", "let a=`\n`;let b=1;\n", "AACA,IAAI,EAAI;AAAA,EAGR,IAAI,EAAI", "\nlet a=  `\n`;\n\nlet b=  1;\n"},
}

// Each token of the JavaScript is where it is in the source, as far as the language allows that.
func TestJavaScriptKeepsPlaces(t *testing.T) {
	for name, tt := range esbuildOutputs {
		if got, err := runtimes.JavaScript([]byte(tt.source), printed(tt.js, tt.mappings)); string(got) != tt.want || err != nil {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	for _, output := range []string{"", "let a=1;\n", "//# sourceMappingURL=data:application/json;base64,?", "//# sourceMappingURL=data:application/json;base64,e30x"} {
		if got, err := runtimes.JavaScript(nil, []byte(output)); err == nil {
			t.Errorf("%q gives %q", output, got)
		}
	}
}

// A source map, however wrong, only adds white space, and not more than the source can have.
func FuzzJavaScript(f *testing.F) {
	for _, tt := range esbuildOutputs {
		f.Add(tt.source, tt.js, tt.mappings)
	}
	f.Add("", "a", "gggggggggggggggg,AAAA,////////////,AAA+/,A")
	f.Fuzz(func(t *testing.T, source, js, mappings string) {
		got, err := runtimes.JavaScript([]byte(source), printed(js, mappings))
		if err != nil {
			return // strings that JSON does not have
		}
		if len(got) > len(js)+len(source) {
			t.Errorf("%d bytes of JavaScript and %d of source give %d", len(js), len(source), len(got))
		}
		solid := func(s string) string { return strings.NewReplacer(" ", "", "\n", "").Replace(s) }
		if solid(string(got)) != solid(js) {
			t.Errorf("%q gives %q", js, got)
		}
	})
}

func TestSourceErrors(t *testing.T) {
	const stderr = "✘ [ERROR] Expected \";\" but found \"b\"\n\n    <stdin>:2:6:\n      2 │ \"ü\" b\n        ╵    ^\n\n  A note:\n\n    <stdin>:1:6:\n\n" +
		"✘ [ERROR] Unexpected end of file\n\n    <stdin>:9:2:\n\n✘ [ERROR] No place\n\n"
	const want = "x.ts:2:6: Expected \";\" but found \"b\"\nx.ts:9:3: Unexpected end of file"
	if got := runtimes.SourceErrors("x.ts", []byte("\n \"ü\" b\n"), []byte(stderr)); got.Error() != want {
		t.Errorf("got %v", got)
	}
	if got := runtimes.SourceErrors("x.ts", nil, []byte("out of memory")); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestIsTypeScript(t *testing.T) {
	for name, want := range map[string]bool{
		"tool.ts": true, "lib/x.ts": true, "tool.js": false, "wasmtool.d.ts": false, "vendor/p/p.ts": false, "data/x.ts": false, "database/x.ts": true, "ts": false,
	} {
		if got := runtimes.IsTypeScript(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// The types for editors have what the module wasmtool exports.
func TestTypesOfTheModule(t *testing.T) {
	names := func(file, pattern string) []string {
		text, err := os.ReadFile(filepath.FromSlash(file))
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
			all = append(all, found[1])
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	exported := names("boot/js/vendor/wasmtool/index.js", `(?m)^export (?:const|class|function) (\w+)`)
	typed := names("../../cmd/wasmtool/internal/starter/ts/wasmtool.d.ts", `(?m)^  (?:export )?(?:const|class|function) (\w+)`)
	if i := slices.Index(typed, "sys"); i >= 0 {
		typed = slices.Delete(typed, i, i+1) // of wasmtool:sys
	}
	if len(exported) < 10 || !slices.Equal(exported, typed) {
		t.Errorf("the module exports %v, and wasmtool.d.ts of cmd/wasmtool/internal/starter/ts has %v", exported, typed)
	}
}
