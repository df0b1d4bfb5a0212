package scripts

import (
	"encoding/json"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/internal/corpora"
)

// test262Run evaluates a test, and prints how it ended.
const test262Run = `const { source, negative, isAsync } = JSON.parse(readInput());
const log = console.log;
let ended = !isAsync;
globalThis.print = (text) => { if (text === "Test262:AsyncTestComplete") ended = true; else log(text); };
setTimeout(() => log(ended ? "passed" : "not ended"));
try {
  (0, eval)(source);
  if (negative) log("no error");
} catch (e) {
  if (!negative || e?.name !== negative) log(String(e));
}
`

// The interpreter of JavaScript passes a sample of test262, every 23rd test, apart from those in
// testdata/test262.txt. The sample leaves out tests of modules and with several files, tests that
// need functions of a shell or several realms ($262), Temporal, Intl and annexes. The suite is a
// clone of tc39/test262; the list is for its commit be13516fb644 of August 2026. Tests run in
// sloppy mode unless they are only for strict mode.
func TestTest262(t *testing.T) {
	dir := corpora.Dir(t, "test262")
	lab := open(t, setup{}, map[string]map[string]string{"test262": javaScript.tool("test262", test262Run, "program = true")})
	lab.timeout = time.Minute
	var results corpora.Results
	number := 0
	for _, part := range []string{"language", "built-ins"} {
		err := filepath.WalkDir(filepath.Join(dir, "test", part), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".js") || strings.HasSuffix(path, "_FIXTURE.js") {
				return err
			}
			if number++; number%23 != 0 {
				return nil
			}
			source := readFile(t, path)
			head, _, _ := strings.Cut(source, "---*/")
			if notInSample.MatchString(source) {
				return nil
			}
			name, err := filepath.Rel(filepath.Join(dir, "test"), path)
			if err != nil {
				return err
			}
			input, err := json.Marshal(test262Input(t, dir, head, source))
			if err != nil {
				return err
			}
			o := lab.call(t, "", "test262", string(input))
			passed := o.code == "" && strings.TrimSpace(o.text) == "passed"
			if !passed {
				t.Logf("  %s: %.200s", filepath.ToSlash(name), strings.ReplaceAll(o.everything(), "\n", " "))
			}
			results.Add(filepath.ToSlash(name), passed)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d tests passed, and %d failed", len(results.Passed), len(results.Failed))
	results.Check(t, "testdata/test262.txt")
}

var (
	notInSample = regexp.MustCompile(`flags:.*\b(module|CanBlockIsFalse)\b|\$262|detachArrayBuffer|_FIXTURE|Temporal`)
	includesOf  = regexp.MustCompile(`includes:\s*\[([^\]]*)\]`)
	negativeOf  = regexp.MustCompile(`(?s)negative:.*?type:\s*(\w+)`)
)

// test262Input returns the arguments for a test with a head of metadata.
func test262Input(t *testing.T, dir, head, source string) map[string]any {
	t.Helper()
	has := func(flag string) bool { return regexp.MustCompile(`flags:.*\b` + flag + `\b`).MatchString(head) }
	files := []string{"assert.js", "sta.js"}
	if m := includesOf.FindStringSubmatch(head); m != nil {
		for name := range strings.SplitSeq(m[1], ",") {
			files = append(files, strings.TrimSpace(name))
		}
	}
	if has("async") {
		files = append(files, "doneprintHandle.js")
	}
	if has("raw") {
		files = nil
	}
	text := ""
	if has("onlyStrict") {
		text = "'use strict';\n"
	}
	for _, name := range files {
		text += readFile(t, filepath.Join(dir, "harness", name)) + "\n"
	}
	input := map[string]any{"source": text + source, "isAsync": has("async")}
	if m := negativeOf.FindStringSubmatch(head); m != nil {
		input["negative"] = m[1]
	}
	return input
}
