package rewrite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// allFeatures are all proposals that wazero can enable.
const allFeatures = api.CoreFeaturesV2 | experimental.CoreFeaturesThreads | experimental.CoreFeaturesTailCall |
	experimental.CoreFeaturesExtendedConst | experimental.CoreFeaturesExceptionHandling |
	experimental.CoreFeaturesTypedFunctionReferences

// corpusFile is a module of wazero's tests, which include the official test suite. Modules are read
// from the module cache and not copied into this repository.
type corpusFile struct {
	name string // path below wazero's integration tests
	wasm []byte
}

func corpus(t testing.TB) []corpusFile {
	t.Helper()
	out, err := exec.Command(testlevel.Program(t, "go"), "list", "-m", "-f", "{{.Dir}}", "github.com/tetratelabs/wazero").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(strings.TrimSpace(string(out)), "internal", "integration_test")
	var files []corpusFile
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".wasm" {
			return err
		}
		wasm, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files = append(files, corpusFile{name: strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(root)+"/"), wasm: wasm})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 7_000 {
		t.Fatalf("the corpus has %d files, want the whole of it", len(files))
	}
	return files
}

// newRuntime returns an interpreter with all features. It compiles quickly and validates like the
// compiler.
func newRuntime(t testing.TB) wazero.Runtime {
	t.Helper()
	r := wazero.NewRuntimeWithConfig(context.Background(), wazero.NewRuntimeConfigInterpreter().
		WithCoreFeatures(allFeatures).WithMemoryLimitPages(maxPages).WithDebugInfoEnabled(false))
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	return r
}

// compiles reports whether the engine accepts a module.
func compiles(r wazero.Runtime, wasm []byte) error {
	c, err := r.CompileModule(context.Background(), wasm)
	if err != nil {
		return err
	}
	return c.Close(context.Background())
}

// everything enables all options of Rewrite that change code.
var everything = Options{Meter: true, Checkpoint: true, ExportState: true, ExportStart: true, SplitSelects: true}

func TestCorpusStaysValid(t *testing.T) {
	r := newRuntime(t)
	options := map[string]Options{
		"plain": {}, "split": {SplitSelects: true}, "metered": {Meter: true}, "all": everything,
	}
	accepted := 0
	for _, f := range corpus(t) {
		before := compiles(r, f.wasm)
		_, inspectErr := Inspect(f.wasm)
		requireTyped(t, f.name, inspectErr)
		if before != nil {
			for _, o := range options {
				_, _, err := Rewrite(f.wasm, o)
				requireTyped(t, f.name, err)
			}
			continue
		}
		accepted++
		if inspectErr != nil {
			t.Errorf("%s: the engine accepts the module, Inspect does not: %v", f.name, inspectErr)
			continue
		}
		for what, o := range options {
			out, _, err := Rewrite(f.wasm, o)
			if err != nil {
				if !refusedOnPurpose(f.name, err) {
					t.Errorf("%s (%s): the engine accepts the module, Rewrite does not: %v", f.name, what, err)
				}
				continue
			}
			if err := compiles(r, out); err != nil {
				t.Errorf("%s (%s): the engine no longer accepts it: %v", f.name, what, err)
			}
		}
	}
	if accepted < 2_500 {
		t.Errorf("the engine accepts only %d of the corpus", accepted)
	}
}

// refusedOnPurpose reports whether Rewrite intentionally refuses a valid module of the corpus. The
// reason is shared memory or, if the module is metered, exceptions.
func refusedOnPurpose(name string, err error) bool {
	var e *Error
	if !errors.As(err, &e) || e.Kind != Unsupported {
		return false
	}
	return strings.Contains(e.Message, "uses exceptions") ||
		strings.Contains(e.Message, "shared memory") && (strings.Contains(name, "/threads/") || name == "fuzzcases/testdata/2131.wasm")
}

func requireTyped(t *testing.T, name string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("%s: error of type %T: %v", name, err, err)
		return
	}
	if e.Kind == 0 || e.Message == "" || strings.HasSuffix(e.Message, ".") {
		t.Errorf("%s: unhelpful error %+v", name, *e)
	}
}
