package standard_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// directories is a directory with an operator's file, and tools in "tools" and "more".
type directories struct {
	t    *testing.T
	dir  string
	file config.File
}

func newDirectories(t *testing.T) directories {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := directories{t, dir, config.File{Path: filepath.Join(dir, "etc", "wasmtool.toml"), Name: "etc/wasmtool.toml"}}
	for name, text := range map[string]string{
		"tools/one/tool.toml": manifestOf("one", ""), "tools/one/m.wasm": exits(1),
		"more/two/tool.toml": manifestOf("two", ""), "more/two/m.wasm": exits(2),
	} {
		d.write(name, text)
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d directories) write(name, text string) {
	d.t.Helper()
	path := filepath.Join(d.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func (d directories) config(operator string) *config.Config {
	d.t.Helper()
	d.write("etc/wasmtool.toml", operator)
	read, err := config.Load(d.file, os.LookupEnv)
	if err != nil {
		d.t.Fatal(err)
	}
	return read
}

// sources returns the manifests of the registered tools.
func sources(tools *registry.Registry) (found []string) {
	for _, info := range tools.Tools().List(catalogue.Filter{}) {
		found = append(found, info.Source)
	}
	slices.Sort(found)
	return found
}

// Permissions are granted by name to the tools of these directories, so other users must not be
// able to write there.
func TestToolDirectoriesAreTheOperators(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are those of Unix")
	}
	d := newDirectories(t)
	if err := os.Chmod(filepath.Join(d.dir, "more"), 0o777); err != nil {
		t.Fatal(err)
	}
	var told []string
	tools, err := standard.New(standard.Options{
		Config: d.config(`tool_directories = ["../more", "../tools"]` + "\n"),
		Sources: standard.Sources{
			NoBuiltins:  true,
			OnLoadError: func(err error) { told = append(told, err.Error()) },
		},
		NoCache:  true,
		StateDir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	if got := sources(tools); !slices.Equal(got, []string{"tools/one/tool.toml"}) {
		t.Errorf("got %q", got)
	}
	if text := strings.Join(told, "\n"); !strings.HasPrefix(text, "etc/wasmtool.toml:1: tool_directories: more can be changed by other users") || !strings.Contains(text, "chmod go-w") {
		t.Errorf("told %q", text)
	}
}

// The tool_directories of the operator's file are loaded after Sources.Directories, once for each
// directory, and are reported under their names in the file.
func TestToolDirectories(t *testing.T) {
	d := newDirectories(t)
	abs := filepath.ToSlash(filepath.Join(d.dir, "more"))
	for name, tt := range map[string]struct {
		operator string
		folders  []string
		sources  standard.Sources
		want     []string
		told     string // the error of a tool that does not load
	}{
		"relative to the file": {operator: `["../tools"]`, want: []string{"tools/one/tool.toml"}},
		"absolute":             {operator: `["../tools", '` + abs + `']`, want: []string{abs + "/two/tool.toml", "tools/one/tool.toml"}},
		"beside Folders":       {operator: `["../tools"]`, folders: []string{abs}, want: []string{abs + "/two/tool.toml", "tools/one/tool.toml"}},
		"the same folder":      {operator: `["../more/../more"]`, folders: []string{abs}, want: []string{abs + "/two/tool.toml"}},
		"one that is not there": {
			operator: `["../none", "../tools"]`, want: []string{"tools/one/tool.toml"},
			told: "etc/wasmtool.toml:1: tool_directories: none: ",
		},
		"one without tools": {
			operator: `["../empty", "../tools"]`, want: []string{"tools/one/tool.toml"},
			told: "etc/wasmtool.toml:1: tool_directories: empty: no tool found",
		},
		"left out":      {operator: `["../tools"]`, sources: standard.Sources{NoDirectories: true}},
		"a single tool": {operator: `["../tools"]`, sources: standard.Sources{NoDirectories: true, Tool: abs + "/two"}, want: []string{abs + "/two/tool.toml"}},
	} {
		t.Run(name, func(t *testing.T) {
			var told []string
			o := standard.Options{Sources: tt.sources}
			o.Config, o.NoCache, o.StateDir = d.config("tool_directories = "+tt.operator+"\n"), true, t.TempDir()
			o.Sources.Directories, o.Sources.NoBuiltins = tt.folders, true
			o.Sources.OnLoadError = func(err error) { told = append(told, err.Error()) }
			tools, err := standard.New(o)
			if err != nil {
				t.Fatal(err)
			}
			defer tools.Close()
			if got := sources(tools); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if text := strings.Join(told, "\n"); !strings.HasPrefix(text, tt.told) || (tt.told == "") != (text == "") || strings.Contains(text, d.dir) {
				t.Errorf("told %q, want %q", text, tt.told)
			}
			o.Sources.OnLoadError = nil
			if strict, err := standard.New(o); (tt.told != "") != (err != nil) {
				t.Errorf("told nobody: %v", err)
			} else if err == nil {
				_ = strict.Close()
			}
		})
	}
}

// A change of the directories needs a new Registry, and no tool may write to the directories that
// the file names before or after.
func TestReloadOfToolDirectories(t *testing.T) {
	d := newDirectories(t)
	writes := "[[permissions.fs]]\nmount = \"data\"\nmode = \"write\"\n"
	d.write("tools/writer/tool.toml", manifestOf("writer", writes))
	d.write("tools/writer/m.wasm", exits(3))
	mounts := func(dir string) string {
		return "[mounts]\ndata = { path = '../" + dir + "', mode = \"write\" }\n[tools.writer]\nauto_execute = true\n"
	}
	o := standard.Options{
		Config:   d.config("tool_directories = [\"../tools\"]\n" + mounts("empty")),
		Sources:  standard.Sources{NoBuiltins: true},
		NoCache:  true,
		StateDir: t.TempDir(),
	}
	tools, err := standard.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	reloader := standard.NewReloader(tools, o, d.file, os.LookupEnv)
	for i, tt := range []struct {
		directory, mount string
		pending          []string
		want             tool.Code
	}{
		{"tools", "empty", nil, tool.CodeExecution}, // exit status 3
		{"tools", "tools", nil, tool.CodePermissionDenied},
		{"tools", "tools/one", nil, tool.CodePermissionDenied},
		{"tools", "more", nil, tool.CodeExecution},
		{"more", "more", []string{"tool_directories"}, tool.CodePermissionDenied},
		{"more", "tools", []string{"tool_directories"}, tool.CodePermissionDenied},
		{"more", ".", []string{"tool_directories"}, tool.CodePermissionDenied},
		{"tools", "more", nil, tool.CodeExecution},
	} {
		d.config("tool_directories = [\"../" + tt.directory + "\"]\n" + mounts(tt.mount))
		read, err := reloader.Reload(t.Context())
		if err != nil || !slices.Equal(read.Pending, tt.pending) {
			t.Errorf("%d: got %+v, %v, want %q", i, read, err, tt.pending)
		}
		if _, err := tools.Execute(t.Context(), tool.Call{Tool: "writer"}); tool.CodeOf(err) != tt.want {
			t.Errorf("%d: %s mounted, with tools in %s: got %v, want %s", i, tt.mount, tt.directory, err, tt.want)
		}
	}
}
