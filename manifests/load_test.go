package manifests

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

const moduleBytes = "\x00asm\x01\x00\x00\x00"

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func withModule(path string) string { return head + "module.path = \"" + path + "\"\n" }

func withDigest(path, digest string) string {
	return withModule(path) + "module.sha256 = \"" + digest + "\"\n"
}

// tree is the content of a directory: files by path. A value "-> target" is a link, and a path
// that ends with "/" is a directory.
type tree map[string]string

// write creates the tree in a new directory. Next to that directory are secrets that no test may
// read.
func (files tree) write(t *testing.T) string {
	t.Helper()
	outer := t.TempDir()
	put(t, filepath.Join(outer, "outside.wasm"), moduleBytes)
	put(t, filepath.Join(outer, "outside.json"), `{"type":"object"}`)
	dir := filepath.Join(outer, "loaded")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		target, isLink := strings.CutPrefix(content, "-> ")
		switch {
		case strings.HasSuffix(name, "/"):
			if err := os.MkdirAll(file, 0o777); err != nil {
				t.Fatal(err)
			}
		case isLink:
			if err := os.Symlink(target, file); err != nil {
				t.Skipf("no links here: %v", err)
			}
		default:
			put(t, file, content)
		}
	}
	return dir
}

func put(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func openDirectory(t *testing.T, dir string) *Directory {
	t.Helper()
	directory, err := OpenDirectory(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := directory.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return directory
}

func TestLoad(t *testing.T) {
	digest := digestOf(moduleBytes)
	for _, tc := range []struct {
		name     string
		files    tree
		manifest string
	}{
		{"beside", tree{"tool.toml": withModule("m.wasm"), "m.wasm": moduleBytes}, "tool.toml"},
		{"below", tree{"tool.toml": withModule("./bin/m.wasm"), "bin/m.wasm": moduleBytes}, "tool.toml"},
		{"named manifest", tree{"a/other.toml": withModule("m.wasm"), "a/m.wasm": moduleBytes}, "a/other.toml"},
		{"digest", tree{"tool.toml": withDigest("m.wasm", strings.ToUpper(digest)), "m.wasm": moduleBytes}, "tool.toml"},
		{"shared module", tree{"grep/tool.toml": withDigest("../files.wasm", digest), "files.wasm": moduleBytes}, "grep/tool.toml"},
		{"link inside the own directory", tree{"a/tool.toml": withModule("m.wasm"), "a/m.wasm": "-> x/real.wasm", "a/x/real.wasm": moduleBytes}, "a/tool.toml"},
		{"link inside the loaded directory, with digest", tree{"a/tool.toml": withDigest("m.wasm", digest), "a/m.wasm": "-> ../real.wasm", "real.wasm": moduleBytes}, "a/tool.toml"},
		{"linked directory", tree{"a": "-> b", "b/tool.toml": withModule("m.wasm"), "b/m.wasm": moduleBytes}, "a/tool.toml"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, wasm, err := Load(openDirectory(t, tc.files.write(t)), tc.manifest)
			if err != nil {
				t.Fatal(err)
			}
			if string(wasm) != moduleBytes || m.Name != "demo" || m.Parameters == nil {
				t.Errorf("loaded %+v and %q", m, wasm)
			}
		})
	}
}

func TestLoadBad(t *testing.T) {
	digest := digestOf(moduleBytes)
	at := "tool.toml:5:15: module.path: "
	for _, tc := range []struct {
		name  string
		files tree
		want  string
	}{
		{"no manifest", tree{"a.txt": ""}, "tool.toml: does not exist; a tool is a directory with a tool.toml and its module"},
		{"misspelt manifest", tree{"Tool.tml": ""}, `tool.toml: does not exist; did you mean "Tool.tml"?`},
		{"manifest is a directory", tree{"tool.toml/": ""}, "tool.toml: is a directory; name a regular file"},
		{"manifest too large", tree{"tool.toml": strings.Repeat("#", MaxManifestBytes+1)}, "tool.toml: is larger than the limit of 256KiB"},
		{"manifest by a link out", tree{"tool.toml": "-> ../outside.wasm"}, "tool.toml: leads out of the loaded directory through a link; put the file itself into the directory"},
		{"missing", tree{"tool.toml": withModule("m.wasm")}, at + `"m.wasm" does not exist`},
		{"misspelt", tree{"tool.toml": withModule("bin/modle.wasm"), "bin/module.wasm": "", "bin/x": ""}, at + `"bin/modle.wasm" does not exist; did you mean "module.wasm"?`},
		{"a file as directory", tree{"tool.toml": withModule("x/m.wasm"), "x": ""}, at + `"x/m.wasm" does not exist`},
		{"dangling link", tree{"tool.toml": withModule("m.wasm"), "m.wasm": "-> nothing"}, at + `"m.wasm" does not exist`},
		{"directory", tree{"tool.toml": withModule("m.wasm"), "m.wasm/": ""}, at + `"m.wasm" is a directory; name a regular file`},
		{"link out", tree{"tool.toml": withModule("m.wasm"), "m.wasm": "-> ../outside.wasm"}, at + `"m.wasm" leads out of the loaded directory through a link; put the file itself into the directory`},
		{"link out, with digest", tree{"tool.toml": withDigest("m.wasm", digest), "m.wasm": "-> ../outside.wasm"}, at + `"m.wasm" leads out of the loaded directory through a link; put the file itself into the directory`},
		{"absolute link", tree{"tool.toml": withModule("m.wasm"), "m.wasm": "-> /etc/hostname"}, at + `"m.wasm" leads out of the loaded directory through a link; put the file itself into the directory`},
		{"directory link out", tree{"tool.toml": withModule("d/outside.wasm"), "d": "-> .."}, at + `"d/outside.wasm" leads out of the loaded directory through a link; put the file itself into the directory`},
		{"path out", tree{"tool.toml": withDigest("../outside.wasm", digest)}, at + `"../outside.wasm" leaves the loaded directory; load a directory that contains both, or put the module next to the manifest`},
		{"device by a link", tree{"tool.toml": withModule("m.wasm"), "m.wasm": "-> /dev/zero"}, at + `"m.wasm" leads out of the loaded directory through a link; put the file itself into the directory`},
		{"other digest", tree{"tool.toml": withDigest("m.wasm", digest), "m.wasm": "x"}, `tool.toml:6:17: module.sha256: is not the digest of the module "m.wasm"; if the module is right, write "` + digestOf("x") + `"`},
		{"with errors of the file", tree{"tool.toml": withModule("m.wasm") + "x = 1"}, at + "\"m.wasm\" does not exist\n" +
			"tool.toml:6:1: x: unknown key; the keys here are manifest, name, version, title, icon, description, category, tags, aliases, timeout, dangerous, confirm, polling, changes, shell, module, script, rest, mcp, describe, limits, settings, permissions, parameters, parameters_file, result, examples"},
		{"missing schema", tree{"tool.toml": withModule("m.wasm") + `parameters_file = "p.json"`, "m.wasm": ""}, `tool.toml:6:19: parameters_file: "p.json" does not exist`},
		{"schema by a link out", tree{"tool.toml": withModule("m.wasm") + `parameters_file = "p.json"`, "m.wasm": "", "p.json": "-> ../outside.json"}, `tool.toml:6:19: parameters_file: "p.json" is a link that leaves the manifest's directory; put the file itself into that directory`},
		{"schema and [parameters]", tree{"tool.toml": withModule("m.wasm") + "parameters_file = \"p.json\"\n[parameters]\ntype = \"object\"", "m.wasm": ""}, `tool.toml:6:19: parameters_file: the manifest has [parameters] as well; keep one of the two`},
		{"placeholder against the schema", tree{"tool.toml": withModule("m.wasm") + "parameters_file = \"p.json\"\nconfirm = \"{qury}\"", "m.wasm": "", "p.json": `{"type":"object","properties":{"query":{}}}`}, `tool.toml:7:11: confirm: "{qury}" is not a parameter; did you mean "{query}"?`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := tc.files.write(t)
			m, wasm, err := Load(openDirectory(t, dir), "tool.toml")
			var errs Errors
			if !errors.As(err, &errs) || m != nil || wasm != nil {
				t.Fatalf("Load = %v, %q, %v, want Errors", m, wasm, err)
			}
			if err.Error() != tc.want {
				t.Errorf("error:\n%v\nwant:\n%s", err, tc.want)
			}
			if strings.Contains(err.Error(), filepath.Dir(dir)) {
				t.Errorf("the error names a host path: %v", err)
			}
			// Read does not open the module, so it cannot report a wrong digest.
			if m, err := Read(openDirectory(t, dir), "tool.toml"); (err == nil) != strings.Contains(tc.want, "module.sha256") || (m == nil) != (err != nil) {
				t.Errorf("Read = %v, %v", m, err)
			}
		})
	}
}

func TestLoadLinkOutOfTheOwnDirectory(t *testing.T) {
	files := tree{"a/tool.toml": withModule("m.wasm"), "a/m.wasm": "-> ../real.wasm", "real.wasm": moduleBytes}
	_, _, err := Load(openDirectory(t, files.write(t)), "a/tool.toml")
	want := `a/tool.toml:5:15: module.path: "m.wasm" is a link that leaves the manifest's directory; add sha256 with the digest of the module, or put the module itself into that directory`
	if err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
}

func TestLoadManifestPath(t *testing.T) {
	directory := openDirectory(t, tree{"tool.toml": minimal}.write(t))
	for _, path := range []string{"", ".", "..", "../loaded/tool.toml", "/tool.toml", "./tool.toml", "a//b"} {
		if _, _, err := Load(directory, path); err == nil || !strings.Contains(err.Error(), "is not a path inside the loaded directory") {
			t.Errorf("Load(%q) = %v, want a refusal of the path", path, err)
		}
	}
	want := `nothing/tool.toml: does not exist; a tool is a directory with a tool.toml and its module`
	if _, _, err := Load(directory, "nothing/tool.toml"); err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
}

func TestLoadModuleTooLarge(t *testing.T) {
	dir := tree{"tool.toml": withModule("m.wasm"), "m.wasm": ""}.write(t)
	if err := os.Truncate(filepath.Join(dir, "m.wasm"), MaxModuleBytes+1); err != nil {
		t.Skipf("no sparse file: %v", err)
	}
	want := `tool.toml:5:15: module.path: "m.wasm" is larger than the limit of 64MiB`
	if _, _, err := Load(openDirectory(t, dir), "tool.toml"); err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
}

func TestLoadParametersFile(t *testing.T) {
	schema := `{"type":"object","properties":{"query":{"type":["string","null"],"default":null}}}`
	files := tree{
		"tool.toml": withModule("m.wasm") + "parameters_file = \"schemas/p.json\"\nmodule.args = [\"{query}\"]",
		"m.wasm":    moduleBytes, "schemas/p.json": schema,
	}
	m, err := Read(openDirectory(t, files.write(t)), "tool.toml")
	if err != nil {
		t.Fatal(err)
	}
	parameters := m.Parameters.Parameters()
	if len(parameters) != 1 || parameters[0].Name != "query" {
		t.Errorf("parameters = %+v, want query", parameters)
	}
}

// The messages about schemas themselves are tested in package jsonschema.
func TestLoadBadParametersFile(t *testing.T) {
	for schema, want := range map[string]string{
		"{\n  x}": `tool.toml:6:19: parameters_file: "p.json": invalid JSON in the schema at line 2, column 3: `,
		`{"type":"object","properties":{"a":{"type":"strng"}}}`: `tool.toml:6:19: parameters_file: "p.json" at /properties/a/type: `,
		`{}`: `tool.toml:6:19: parameters_file: "p.json": `,
	} {
		files := tree{"tool.toml": withModule("m.wasm") + `parameters_file = "p.json"`, "m.wasm": "", "p.json": schema}
		_, _, err := Load(openDirectory(t, files.write(t)), "tool.toml")
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("schema %s gives %v, want one error that starts with %s", schema, err, want)
		}
	}
}

func TestLoadEmbedded(t *testing.T) {
	fsys := fstest.MapFS{
		"grep/tool.toml": {Data: []byte(withDigest("../files.wasm", digestOf(moduleBytes)))},
		"files.wasm":     {Data: []byte(moduleBytes)},
		"bad/tool.toml":  {Data: []byte(withDigest("../../files.wasm", digestOf(moduleBytes)))},
		"lost/tool.toml": {Data: []byte(withModule("lost.wasm"))},
	}
	directory := EmbeddedDirectory(fsys)
	if _, wasm, err := Load(directory, "grep/tool.toml"); err != nil || string(wasm) != moduleBytes {
		t.Errorf("Load = %q, %v", wasm, err)
	}
	if _, _, err := Load(directory, "bad/tool.toml"); err == nil || !strings.Contains(err.Error(), "leaves the loaded directory") {
		t.Errorf("error = %v, want a refusal to leave the directory", err)
	}
	if _, _, err := Load(directory, "lost/tool.toml"); err == nil || !strings.Contains(err.Error(), `"lost.wasm" does not exist`) {
		t.Errorf("error = %v, want a missing file", err)
	}
	paths, err := directory.Manifests()
	if want := []string{"bad/tool.toml", "grep/tool.toml", "lost/tool.toml"}; err != nil || !reflect.DeepEqual(paths, want) {
		t.Errorf("Manifests = %q, %v, want %q", paths, err, want)
	}
}

func TestReadAndReadModule(t *testing.T) {
	dir := tree{"tool.toml": withDigest("m.wasm", digestOf(moduleBytes)), "m.wasm": moduleBytes}.write(t)
	directory := openDirectory(t, dir)
	m, err := Read(directory, "tool.toml")
	if err != nil {
		t.Fatal(err)
	}
	if wasm, err := ReadModule(directory, "tool.toml", m); err != nil || string(wasm) != moduleBytes {
		t.Errorf("ReadModule = %q, %v", wasm, err)
	}
	module := filepath.Join(dir, "m.wasm")
	put(t, module, "x")
	if _, err := Read(directory, "tool.toml"); err != nil {
		t.Errorf("Read = %v, though it does not open the module", err)
	}
	want := `tool.toml:6:17: module.sha256: is not the digest of the module "m.wasm"; if the module is right, write "` + digestOf("x") + `"`
	if wasm, err := ReadModule(directory, "tool.toml", m); err == nil || err.Error() != want || wasm != nil {
		t.Errorf("ReadModule = %q, %v, want %s", wasm, err, want)
	}
	if err := os.Remove(module); err != nil {
		t.Fatal(err)
	}
	want = `tool.toml:5:15: module.path: "m.wasm" does not exist`
	if _, err := Read(directory, "tool.toml"); err == nil || err.Error() != want {
		t.Errorf("Read = %v, want %s", err, want)
	}
	var errs Errors
	if _, err := ReadModule(directory, "tool.toml", m); !errors.As(err, &errs) || err.Error() != want {
		t.Errorf("ReadModule = %v, want %s", err, want)
	}
}

// TestReadModuleOfUncheckedManifest reads modules of manifests that Read never returns.
func TestReadModuleOfUncheckedManifest(t *testing.T) {
	dir := tree{"a/tool.toml": minimal, "real.wasm": moduleBytes, "a/m.wasm": "-> ../../outside.wasm"}.write(t)
	directory := openDirectory(t, dir)
	for _, tc := range []struct{ manifest, module string }{
		{"a/tool.toml", ""},
		{"a/tool.toml", "."},
		{"a/tool.toml", "../real.wasm"},
		{"a/tool.toml", "../../outside.wasm"},
		{"a/tool.toml", "m.wasm"},
		{"a/tool.toml", filepath.ToSlash(filepath.Join(dir, "real.wasm"))},
		{"b/tool.toml", "m.wasm"},
		{"../outside.wasm", "outside.wasm"},
	} {
		m := &Manifest{Module: Module{Path: tc.module}}
		if wasm, err := ReadModule(directory, tc.manifest, m); err == nil || strings.Contains(err.Error(), filepath.Dir(dir)+" ") {
			t.Errorf("module %q of %s: %q, %v, want a refusal", tc.module, tc.manifest, wasm, err)
		}
	}
}

func TestManifests(t *testing.T) {
	dir := tree{
		"tool.toml": "", "b/tool.toml": "", "a/tool.toml": "", "a/deep/tool.toml": "", ".git/tool.toml": "",
		"none/": "", "file": "", "c/tool.toml/": "", "link": "-> a", "linkfile": "-> file", "out": "-> ..",
	}.write(t)
	got, err := openDirectory(t, dir).Manifests()
	if err != nil {
		t.Fatal(err)
	}
	// "out" and "c" are listed, although Load refuses both. The manifest of "c" is a directory.
	want := []string{"a/tool.toml", "b/tool.toml", "c/tool.toml", "link/tool.toml", "out/tool.toml", "tool.toml"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Manifests = %q, want %q", got, want)
	}
	directory := openDirectory(t, dir)
	if _, _, err := Load(directory, "out/tool.toml"); err == nil || !strings.Contains(err.Error(), "leads out of the loaded directory") {
		t.Errorf("error = %v, want a refusal to leave the directory", err)
	}
}

func TestOpenDirectory(t *testing.T) {
	dir := tree{"tool.toml": minimal}.write(t)
	for path, want := range map[string]string{
		filepath.Join(dir, "nothing"):   "nothing: does not exist",
		filepath.Join(dir, "tool.toml"): "tool.toml: is not a directory; name the directory that contains tool.toml",
	} {
		directory, err := OpenDirectory(path)
		var e *Error
		if !errors.As(err, &e) || directory != nil || err.Error() != want {
			t.Errorf("OpenFolder = %v, %v, want %s", directory, err, want)
		}
	}
}
