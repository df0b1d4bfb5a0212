package manifests

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// scripted is the beginning of a manifest with a script.
const scripted = `manifest = 1
name = "demo"
version = "1.0.0"
description = "A demo."

[script]
path = "tool.py"
`

func TestScriptKeys(t *testing.T) {
	for text, want := range map[string]struct {
		module Module
		memory uint64
	}{
		scripted: {Module{Runtime: "python", Output: OutputResult}, DefaultPythonMemory},
		scripted + "[limits]\nmemory = \"64MiB\"":                {Module{Runtime: "python", Output: OutputResult}, 64 << 20},
		strings.Replace(scripted, ".py", ".ts", 1):               {Module{Runtime: "js", Output: OutputResult}, DefaultMemory},
		scripted + "[result]\ntype = \"object\"":                 {Module{Runtime: "python", Output: OutputResult}, DefaultPythonMemory},
		scripted + "program = true\n[result]\ntype = \"object\"": {Module{Runtime: "python", Output: OutputJSON}, DefaultPythonMemory},
		scripted + "program = true\nstdin = \"none\"\noutput = \"json\"": {
			Module{Runtime: "python", Stdin: Stdin{Kind: StdinNone}, Output: OutputJSON}, DefaultPythonMemory,
		},
	} {
		m := mustDecode(t, text)
		if got := m.Module; got.Runtime != want.module.Runtime || got.Stdin != want.module.Stdin || got.Output != want.module.Output || m.Limits.Memory != want.memory {
			t.Errorf("%s\ngives %+v with %d bytes of memory", text, got, m.Limits.Memory)
		}
	}
	for line, want := range map[string]string{
		`path = "tool.rb"`:           `script.path: "tool.rb" is not a script that can run; name a file that ends with .py, .js, .mjs or .ts`,
		`path = "../tool.py"`:        "leaves the manifest's directory",
		`path = "/tool.py"`:          "is absolute",
		`path = ".hidden/tool.py"`:   "is hidden or in a directory that scripts do not see; rename it",
		`path = "node_modules/a.js"`: "is hidden or in a directory that scripts do not see",
		`preload = ["a,b"]`:          `script.preload[0]: "a,b" is not the name of a module`,
		`args = ["x"]`:               "script.args: is only for a script that reads its standard input; leave it out, or write program = true",
		`stdin = "none"`:             "script.stdin: is only for a script",
		"output = \"json\"":          "script.output: is only for a script",
		"program = true\noutput = \"text\"\n[result]\ntype = \"object\"":               `script.output: [result] cannot describe "text"`,
		"[module]\npath = \"a.wasm\"":                                                  "script: the manifest has [module] as well; keep one of the two",
		"[describe]\nargs = [\"x\"]":                                                   "describe: a script cannot describe itself",
		"[[permissions.fs]]\nmount = \"workspace\"\nmode = \"read\"\nat = \"/tool/x\"": "overlap",
	} {
		text := scripted + line + "\n"
		if strings.HasPrefix(line, "path") {
			text = strings.Replace(scripted, `path = "tool.py"`, line, 1)
		}
		if _, err := Decode("tool.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "\n") > 0 {
			t.Errorf("%s\ngives %v\nwant %s", line, err, want)
		}
	}
}

// A script sees what it may import, and the files of vendor and data, but nothing else that lies
// next to it.
func TestScriptSeesItsFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"tool.toml", "notes.py", "src/tool.py", "src/helper.py", "src/sub/x.py", "src/sub/y.txt", "src/.env", "src/.git/a.py", "src/__pycache__/a.py",
		"src/node_modules/a.py", "src/README.md", "src/a.js", "src/vendor/p/p.py", "src/vendor/p/data.bin", "src/vendor/.hidden", "src/data/a.csv", "src/database/a.csv",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		content := strings.Replace(scripted, "tool.py", "src/tool.py", 1)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	directory, err := OpenDirectory(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer directory.Close()
	m, err := Read(directory, "tool.toml")
	if err != nil {
		t.Fatal(err)
	}
	files, err := ReadData(directory, "tool.toml", m)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"data/a.csv", "helper.py", "sub/x.py", "tool.py", "vendor/p/data.bin", "vendor/p/p.py"}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("the script sees %q", got)
	}
	before := Stamp(directory, "tool.toml", m)
	for name, changes := range map[string]bool{"src/.env": false, "src/README.md": false, "src/helper.py": true} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("changed"), 0o666); err != nil {
			t.Fatal(err)
		}
		if after := Stamp(directory, "tool.toml", m); (after != before) != changes {
			t.Errorf("a change of %s changes the stamp: %t", name, after != before)
		} else {
			before = after
		}
	}
	if err := os.Remove(filepath.Join(dir, "src/tool.py")); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(directory, "tool.toml"); err == nil || !strings.Contains(err.Error(), `script.path: "src/tool.py" does not exist`) {
		t.Errorf("without the script: %v", err)
	}
}
