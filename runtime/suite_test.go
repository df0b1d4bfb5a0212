package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/corpora"
)

// suiteCase says how a program of the wasi-testsuite is run, and what it must do.
type suiteCase struct {
	Args     []string
	Env      map[string]string
	Root     string // the directory that is mounted at /, next to the program
	ExitCode int    `json:"exit_code"`
	Stdout   string
}

// TestWASISuite runs the programs for preview 1 of the wasi-testsuite, which its branch
// prod/testsuite-base has. Each gets a copy of its directory. A program that does not end within
// ten seconds fails.
func TestWASISuite(t *testing.T) {
	suite := corpora.Dir(t, "wasi-testsuite")
	programs, err := filepath.Glob(filepath.Join(suite, "tests", "*", "testsuite", "wasm32-wasip1", "*.wasm"))
	if err != nil || len(programs) == 0 {
		t.Fatalf("%s has no programs (%v); check out the branch prod/testsuite-base", suite, err)
	}
	rt := newRuntime(t, Options{})
	var results corpora.Results
	for _, program := range programs {
		language, _, _ := strings.Cut(strings.TrimPrefix(program, filepath.Join(suite, "tests")+string(filepath.Separator)), string(filepath.Separator))
		name := language + "/" + strings.TrimSuffix(filepath.Base(program), ".wasm")
		err := runSuiteCase(t, rt, program)
		if err != nil {
			t.Logf("%s: %v", name, err)
		}
		results.Add(name, err == nil)
	}
	results.Check(t, filepath.Join("testdata", "suite_differences.txt"))
}

// runSuiteCase runs one program. The error says what it did wrong.
func runSuiteCase(t *testing.T, rt *Runtime, program string) error {
	t.Helper()
	wasm, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	var c suiteCase
	switch text, err := os.ReadFile(strings.TrimSuffix(program, ".wasm") + ".json"); {
	case errors.Is(err, os.ErrNotExist): // the defaults apply
	case err != nil:
		t.Fatal(err)
	default:
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatal(err)
		}
	}
	grant := capability.Grant{Env: c.Env, Clock: true, Random: true}
	if c.Root != "" {
		root := t.TempDir()
		if err := os.CopyFS(root, os.DirFS(filepath.Join(filepath.Dir(program), c.Root))); err != nil {
			t.Fatal(err)
		}
		grant.FS = []capability.GrantedFS{{FS: capability.FS{Mount: "root", At: "/", Mode: capability.ModeWrite}, Dir: root}}
	}
	m, err := rt.Load(t.Context(), wasm)
	if err != nil {
		return err
	}
	defer m.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	out, err := m.Call(ctx, Call{Args: c.Args, Bindings: bind(t, grant)})
	var ended *Error
	code := 0
	if errors.As(err, &ended) && ended.Reason == Failed {
		code, err = int(ended.ExitCode), nil
	}
	switch {
	case err != nil:
		return fmt.Errorf("%w\n%s", err, out.Stderr)
	case code != c.ExitCode:
		return fmt.Errorf("it ends with %d, not %d\n%s", code, c.ExitCode, out.Stderr)
	case c.Stdout != "" && string(out.Output) != c.Stdout:
		return fmt.Errorf("it writes %q, not %q", out.Output, c.Stdout)
	}
	return nil
}
