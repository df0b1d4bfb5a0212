package standard_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// exits returns a module that exits with a status, to tell modules apart.
func exits(status int32) string {
	return string(wasmtest.Module{
		Types:   []wasmtest.FuncType{{Params: []byte{0x7f}}, {}},
		Imports: []wasmtest.Import{{Module: "wasi_snapshot_preview1", Name: "proc_exit"}},
		Funcs:   []wasmtest.Func{{Type: 1, Body: wasmtest.Code(wasmtest.Const(status), wasmtest.CallFunc(0))}},
		Memory:  []uint32{1},
		Exports: []wasmtest.Export{{Name: "_start", Index: 1}, {Name: "memory", Kind: 2}},
	}.Bytes())
}

func manifestOf(name, more string) string {
	return "manifest = 1\nname = \"" + name + "\"\nversion = \"1.0.0\"\ndescription = \"Ends.\"\nmodule.path = \"m.wasm\"\n" + more
}

// watching is a registry with a directory of tools.
type watching struct {
	t        *testing.T
	dir      string
	file     config.File
	tools    *registry.Registry
	folders  *standard.Directories
	reloader *standard.Reloader
}

// newWatching returns a watching with the tools one and two, which exit with 1 and 2. DIR in the
// operator's file stands for their directory.
func newWatching(t *testing.T, operator string) *watching {
	t.Helper()
	w := &watching{t: t, dir: t.TempDir()}
	operator = strings.ReplaceAll(operator, "DIR", filepath.ToSlash(w.dir))
	w.write("one/tool.toml", manifestOf("one", ""))
	w.write("one/m.wasm", exits(1))
	w.write("two/tool.toml", manifestOf("two", ""))
	w.write("two/m.wasm", exits(2))
	w.file = config.File{Path: filepath.Join(t.TempDir(), "wasmtool.toml"), Name: "wasmtool.toml"}
	w.operator(operator)
	read, err := config.Load(w.file, os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	o := standard.Options{
		Config: read,
		Sources: standard.Sources{
			NoBuiltins:  true,
			OnLoadError: func(err error) { t.Error(err) },
		},
		NoCache:  true,
		StateDir: t.TempDir(),
		Runtime:  runtime.Options{CompileCommand: compiler},
	}
	if len(read.ToolDirectories()) == 0 {
		o.Sources.Directories = []string{w.dir}
	}
	if w.tools, w.folders, err = standard.Open(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.tools.Close() })
	w.reloader = standard.NewReloader(w.tools, o, w.file, os.LookupEnv)
	return w
}

// operator writes the operator's file.
func (w *watching) operator(text string) {
	w.t.Helper()
	if err := os.WriteFile(w.file.Path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *watching) write(name, text string) {
	w.t.Helper()
	file := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *watching) remove(name string) {
	w.t.Helper()
	if err := os.RemoveAll(filepath.Join(w.dir, name)); err != nil {
		w.t.Fatal(err)
	}
}

// look checks once, and returns one line for each reported change.
func (w *watching) look() []string {
	var told []string
	for _, c := range w.reloader.ReloadDirectories(w.t.Context(), w.folders) {
		told = append(told, strings.ReplaceAll(c.String(), filepath.ToSlash(w.dir)+"/", ""))
	}
	return told
}

// wantLook checks once and expects these parts of lines to be reported.
func (w *watching) wantLook(want ...string) {
	w.t.Helper()
	got := w.look()
	if !slices.EqualFunc(got, want, strings.Contains) {
		w.t.Errorf("told %q, want %q", got, want)
	}
}

// wantExit calls a tool and expects an exit status; 0 means that the tool does not exist.
func (w *watching) wantExit(name string, want int) {
	w.t.Helper()
	_, err := w.tools.Execute(w.t.Context(), tool.Call{Tool: name, Arguments: []byte("{}")})
	e, ok := err.(*tool.Error)
	switch {
	case !ok:
		w.t.Errorf("%s: got %v", name, err)
	case want == 0 && e.Code != tool.CodeNotFound,
		want != 0 && (e.Details.ExitCode == nil || int(*e.Details.ExitCode) != want):
		w.t.Errorf("%s: got %v, want status %d", name, err, want)
	}
}

func TestToolsAreTakenOverWhenTheyAreWhole(t *testing.T) {
	for name, operator := range map[string]string{"of options": "", "of the file": "tool_directories = ['DIR']\n"} {
		t.Run(name, func(t *testing.T) { takesOverWhatIsWhole(t, newWatching(t, operator)) })
	}
}

func takesOverWhatIsWhole(t *testing.T, w *watching) {
	t.Helper()
	w.wantLook()
	w.wantExit("one", 1)
	w.wantExit("two", 2)

	// The module changes, and is written in two parts.
	whole := exits(3)
	w.write("one/m.wasm", whole[:len(whole)-4])
	w.wantLook()
	w.write("one/m.wasm", whole)
	w.wantLook()
	w.wantExit("one", 1)
	w.wantLook("one was replaced (one/tool.toml)")
	w.wantExit("one", 3)
	w.wantLook()

	// The definition changes; the difference is reported.
	w.write("one/tool.toml", manifestOf("one", "dangerous = true\n"))
	w.wantLook()
	w.wantLook("one was replaced (one/tool.toml)\n  dangerous: false -> true")

	// One tool is added, and one is removed.
	w.write("three/tool.toml", manifestOf("three", ""))
	w.wantLook()
	w.write("three/m.wasm", exits(4))
	w.remove("two")
	w.wantLook()
	w.wantExit("two", 2)
	w.wantExit("three", 0)
	w.wantLook("two was removed (two/tool.toml)", "three was added (three/tool.toml)")
	w.wantExit("two", 0)
	w.wantExit("three", 4)

	// A tool is renamed, and keeps the old name as an alias.
	w.write("three/tool.toml", manifestOf("four", "aliases = [\"three\"]\n"))
	w.wantLook()
	w.wantLook("four was replaced (three/tool.toml)\n  name: three -> four")
	w.wantExit("three", 4)
	w.wantLook()
}

// If another directory takes the place of a tool directory, its tools are loaded. If the tool
// directory is missing for a moment, its tools stay registered.
func TestFoldersThatAreMoved(t *testing.T) {
	w := newWatching(t, "")
	old := w.dir + ".old"
	if err := os.Rename(w.dir, old); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(old) })
	w.wantLook("not loaded:")
	w.wantLook()
	w.wantExit("one", 1)
	w.write("two/tool.toml", manifestOf("two", ""))
	w.write("two/m.wasm", exits(5))
	w.wantLook()
	w.wantLook("one was removed", "two was replaced")
	w.wantExit("two", 5)
}

func TestToolsThatAreNoGoodChangeNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		manifest, module string
		looks            int // number of checks until the change is reported
		want             string
	}{
		"manifest":   {"manifest = 1\nname = \"one\"\n", exits(9), 2, "one stays as it was: one/tool.toml"},
		"schema":     {manifestOf("one", "parameters = { type = \"objct\" }\n"), exits(9), 2, "one stays as it was: one/tool.toml"},
		"half":       {manifestOf("one", ""), exits(9)[:30], 2, "one stays as it was:"},
		"form":       {manifestOf("one", ""), string(wasmtest.Module{}.Bytes()), 2, "one stays as it was:"},
		"taken name": {manifestOf("two", ""), exits(9), 2, "the name \"two\" already belongs to the tool two"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWatching(t, "")
			w.wantExit("one", 1)
			w.write("one/tool.toml", tt.manifest)
			w.write("one/m.wasm", tt.module)
			for range tt.looks - 1 {
				w.wantLook()
			}
			w.wantLook(tt.want)
			for range 3 { // reported only once
				w.wantLook()
			}
			w.wantExit("one", 1)
			w.wantExit("two", 2)
			if name == "taken name" {
				// Another tool has the new name. When that tool is gone, the changed tool is
				// loaded.
				w.remove("two")
				w.wantLook()
				w.wantLook("two was removed")
				w.wantLook("two was replaced")
				w.wantExit("two", 9)
				return
			}
			w.write("one/tool.toml", manifestOf("one", ""))
			w.write("one/m.wasm", exits(8))
			w.wantLook()
			w.wantLook("one was replaced")
			w.wantExit("one", 8)
		})
	}
}

// The module of a tool is read at its first call. If the files have changed since the tool was
// loaded, the call fails.
func TestModuleOfAnotherManifestDoesNotRun(t *testing.T) {
	w := newWatching(t, "")
	w.write("one/m.wasm", exits(3)+"\x00\x02\x01a") // with a custom section
	_, err := w.tools.Execute(t.Context(), tool.Call{Tool: "one", Arguments: []byte("{}")})
	if tool.CodeOf(err) != tool.CodeInvalidModule || !strings.Contains(err.Error(), "changed after it was loaded") {
		t.Errorf("got %v", err)
	}
	w.look()
	w.wantLook("one was replaced")
	w.wantExit("one", 3)
}

// wantCode calls a tool and expects it to fail with this code.
func (w *watching) wantCode(name string, want tool.Code) {
	w.t.Helper()
	if _, err := w.tools.Execute(w.t.Context(), tool.Call{Tool: name, Arguments: []byte("{}")}); tool.CodeOf(err) != want {
		w.t.Errorf("%s: got %v, want %s", name, err, want)
	}
}

// The operator's rules apply to new tools before they can be called, under all their names.
func TestRulesHoldForToolsThatCome(t *testing.T) {
	w := newWatching(t, "[policy]\ndeny = [\"two\"]\n")
	w.wantCode("two", tool.CodeDisabled)
	w.remove("two")
	w.look()
	w.wantLook("two was removed")
	w.write("three/tool.toml", manifestOf("three", "aliases = [\"two\"]\n"))
	w.write("three/m.wasm", exits(3))
	w.look()
	w.wantLook("three was added")
	w.wantCode("two", tool.CodeDisabled)
	w.wantCode("three", tool.CodeDisabled)
}

// The operator's file stays usable when a tool that it names is gone: other tools are added and
// changed, the tool can come back, and the file can be read again.
func TestRulesOutliveAToolThatTheyName(t *testing.T) {
	for name, operator := range map[string]string{
		"deny":  "[policy]\ndeny = [\"two\"]\n",
		"allow": "[policy]\nallow = [\"one\", \"three\"]\n[[policy.rules]]\neffect = \"deny\"\ntools = [\"two\"]\n",
		"tool":  "[tools.two]\nenabled = false\n",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWatching(t, operator)
			w.wantCode("two", tool.CodeDisabled)
			w.remove("two")
			w.look()
			w.wantLook("two was removed (two/tool.toml)")
			w.write("three/tool.toml", manifestOf("three", ""))
			w.write("three/m.wasm", exits(3))
			w.write("one/m.wasm", exits(4))
			w.look()
			w.wantLook("one was replaced", "three was added")
			w.wantExit("one", 4)
			w.wantExit("three", 3)
			w.operator(operator + "[env]\nLANG = \"C\"\n")
			if got, err := w.reloader.Reload(t.Context()); err != nil || !got.Changed || len(got.Warnings) != 1 {
				t.Errorf("got %+v, %v", got, err)
			}
			w.write("two/tool.toml", manifestOf("two", ""))
			w.write("two/m.wasm", exits(2))
			w.look()
			w.wantLook("two was added")
			w.wantCode("two", tool.CodeDisabled)
		})
	}
}

// A tool that makes the operator's file invalid is not loaded, and the line is reported.
func TestAToolThatTheFileDoesNotFitStaysOut(t *testing.T) {
	w := newWatching(t, "[policy]\ndeny = [\"one\"]\n[tools.two]\nauto_execute = true\n")
	w.remove("two")
	w.write("one/tool.toml", manifestOf("one", "aliases = [\"two\"]\n"))
	w.look()
	w.wantLook("two was removed (two/tool.toml)", "wasmtool.toml:3: tools.two: \"two\" is an alias, which the tool's author chose; write its name one")
	w.wantCode("one", tool.CodeDisabled)
	w.wantCode("two", tool.CodeNotFound)
}

// The report of a removed tool contains the error that removing it caused.
func TestToolChangeTellsItsError(t *testing.T) {
	c := standard.ToolChange{Kind: standard.ToolRemoved, Tool: "two", Source: "two/tool.toml", Err: errors.New("the rules stay as they were")}
	if got, want := c.String(), "two was removed (two/tool.toml), but: the rules stay as they were"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A script that comes or changes is taken over like a module. Its interpreter is not a file of the
// tool.
func TestScriptsThatComeAndChange(t *testing.T) {
	w := newWatching(t, "")
	w.write("three/tool.js", "export const run = () => 'first'")
	w.write("three/tool.toml", strings.Replace(manifestOf("three", ""), `module.path = "m.wasm"`, `script.path = "tool.js"`, 1))
	w.wantLook() // until the files stay as they are
	w.wantLook("three was added")
	if got := answer(w.tools, "three"); got != "first" {
		t.Error(got)
	}
	w.write("three/tool.js", "export const run = () => 'later'")
	w.wantLook()
	w.wantLook("three was replaced")
	if got := answer(w.tools, "three"); got != "later" {
		t.Error(got)
	}
}

func TestWatchDirectories(t *testing.T) {
	w := newWatching(t, "")
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var told []string
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			w.reloader.WatchDirectories(ctx, w.folders, time.Second, func(c standard.ToolChange) {
				mu.Lock()
				defer mu.Unlock()
				told = append(told, fmt.Sprint(c.Kind, " ", c.Tool))
			})
		}()
		w.remove("two")
		time.Sleep(5 * time.Second)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if !slices.Equal(told, []string{"removed two"}) {
			t.Errorf("told %q", told)
		}
		cancel()
		<-ended
	})
}
