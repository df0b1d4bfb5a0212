package runtimes_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/corpora"
	"github.com/wasmtool/wasmtool/internal/guesttest"
	"github.com/wasmtool/wasmtool/registry/runtimes"
	"github.com/wasmtool/wasmtool/runtime"
)

// runner evaluates a test of test262, and prints what it throws. A script runs in an indirect eval,
// because the interpreter evaluates only modules from files.
const runner = `import { sys } from "wasmtool:sys";
const { harness, source, module } = JSON.parse(sys.text(sys.read(0)));
globalThis.print = (s) => sys.write(1, s + "\n");
globalThis.$262 = { evalScript: (0, eval), global: globalThis, gc() {}, detachArrayBuffer: (b) => { b.transfer(); } };
try {
  (0, eval)(harness);
  if (module) await import(module);
  else (0, eval)(source);
} catch (e) {
  print("threw " + e?.constructor?.name + " " + String(e));
}
`

// every is the step in which TestTest262 goes through the tests, by path.
const every = 8

// about is the part of a test's front matter that says how to run it.
type about struct {
	Flags, Includes []string
	Features        []string
	Negative        struct{ Phase, Type string }
}

// unsupported are features beyond what QuickJS-ng claims, and what needs a second global object.
// Scripts of the suite run in an eval, where import() has no file to start from.
var unsupported = []string{"await-dictionary", "cross-realm", "decorators", "dynamic-import", "import-bytes", "import-defer", "source-phase-imports", "tail-call-optimization", "Temporal"}

// others are directories of the suite with such features.
var others = regexp.MustCompile(`^test/(annexB|intl402|staging|built-ins/(Temporal|Atomics|SharedArrayBuffer))/`)

var (
	frontMatter = regexp.MustCompile(`(?s)/\*---(.*?)---\*/`)
	constants   = regexp.MustCompile(`(?m)^(const|let) `) // an eval keeps them to itself
)

// TestTest262 runs an eighth of the tests of ECMAScript, each in an interpreter of its own. The
// list of failures belongs to the commit be13516fb6441b950ba8a3df97eb34062c186972.
func TestTest262(t *testing.T) {
	suite := corpora.Dir(t, "test262")
	data := map[string][]byte{"main.js": []byte(runner)}
	var all []string
	err := fs.WalkDir(os.DirFS(suite), "test", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir() || !strings.HasSuffix(path, ".js") && !strings.HasSuffix(path, ".json") || others.MatchString(path):
		case strings.Contains(path, "_FIXTURE"):
			data[path], err = os.ReadFile(filepath.Join(suite, path))
		default:
			if all = append(all, path); strings.HasPrefix(path, "test/language/module-code/") {
				data[path], err = os.ReadFile(filepath.Join(suite, path))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	tests := map[string]about{}
	for i := 0; i < len(all); i += every {
		if data[all[i]], err = os.ReadFile(filepath.Join(suite, all[i])); err != nil {
			t.Fatal(err)
		}
		var a about
		if m := frontMatter.FindSubmatch(data[all[i]]); m == nil || yaml.Unmarshal(m[1], &a) != nil {
			t.Fatalf("%s has no front matter", all[i])
		}
		if !slices.ContainsFunc(a.Features, func(f string) bool { return slices.Contains(unsupported, f) }) {
			tests[all[i]] = a
		}
	}
	js, err := runtimes.NewStore("", nil).Read("js")
	if err != nil {
		t.Fatal(err)
	}
	r := runtime.New(runtime.Options{CacheDir: guesttest.ModuleDir(t)})
	defer r.Close()
	interpreter, err := r.Load(t.Context(), js)
	if err != nil {
		t.Fatal(err)
	}
	defer interpreter.Close()
	scripts, err := runtime.NewData(data)
	if err != nil {
		t.Fatal(err)
	}
	module, err := interpreter.WithData(scripts, runtime.DataOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer module.Close()
	var results corpora.Results
	for _, path := range slices.Sorted(maps.Keys(tests)) {
		err := test262(t, module, suite, path, string(data[path]), tests[path])
		if err != nil {
			t.Logf("%s: %v", path, err)
		}
		results.Add(strings.TrimPrefix(path, "test/"), err == nil)
	}
	results.Check(t, filepath.Join("testdata", "test262.txt"))
}

// test262 runs one test. The error says what it did wrong.
func test262(t *testing.T, module *runtime.Module, suite, path, text string, a about) error {
	t.Helper()
	harness := ""
	if !slices.Contains(a.Flags, "raw") {
		for _, name := range append([]string{"assert.js", "sta.js", "doneprintHandle.js"}, a.Includes...) {
			b, err := os.ReadFile(filepath.Join(suite, "harness", name))
			if err != nil {
				t.Fatal(err)
			}
			harness += constants.ReplaceAllString(string(b), "var ") + "\n"
		}
	}
	in := map[string]string{"harness": harness, "source": text}
	if slices.Contains(a.Flags, "module") {
		in["module"] = "/tool/" + path
	}
	if slices.Contains(a.Flags, "onlyStrict") {
		in["source"] = "'use strict';\n" + text
	}
	input, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	bindings, err := hostfuncs.Bind(capability.Grant{}, files.Options{}, hostfuncs.Services{})
	if err != nil {
		t.Fatal(err)
	}
	defer bindings.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	out, err := module.Call(ctx, runtime.Call{Args: []string{"/tool/main.js"}, Input: input, Bindings: bindings, Limits: runtime.Limits{Memory: 256 << 20}})
	threw, _, _ := strings.Cut(strings.TrimSpace(string(out.Output)), "\n")
	var ended *runtime.Error
	switch { // exit status 1 alone is a promise that the test rejects and leaves
	case a.Negative.Type != "":
		if !strings.HasPrefix(threw, "threw "+a.Negative.Type+" ") {
			return fmt.Errorf("no %s at %s, but %s %s", a.Negative.Type, a.Negative.Phase, threw, out.Stderr)
		}
	case err != nil && !(errors.As(err, &ended) && ended.Reason == runtime.Failed):
		return fmt.Errorf("%w: %s", err, out.Stderr)
	case slices.Contains(a.Flags, "async"):
		if threw != "Test262:AsyncTestComplete" {
			return fmt.Errorf("it writes %q", out.Output)
		}
	case threw != "":
		return fmt.Errorf("%s", threw)
	}
	return nil
}
