package wasm

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/runtime"
)

// printsData is a command that writes the content of /tool/words/a.txt.
func printsData() wasmtest.Module {
	const (
		atName, atVector, atCount, atFD, atText = 64, 16, 32, 36, 256
		name                                    = "words/a.txt"
	)
	i32, i64 := byte(wasmtest.I32), byte(wasmtest.I64)
	m := command(
		// The preopens are /, which has no file of this name, and /tool.
		wasmtest.Const(4), wasmtest.Const(0), wasmtest.Const(atName), wasmtest.Const(int32(len(name))), wasmtest.Const(0),
		[]byte{wasmtest.I64Const, 2, wasmtest.I64Const, 0}, wasmtest.Const(0), wasmtest.Const(atFD), wasmtest.CallFunc(0), []byte{wasmtest.Drop},
		wasmtest.Const(atFD), []byte{wasmtest.I32Load, 2, 0}, wasmtest.Const(atVector), wasmtest.Const(1), wasmtest.Const(atCount), wasmtest.CallFunc(1), []byte{wasmtest.Drop},
		wasmtest.Const(1), wasmtest.Const(atVector), wasmtest.Const(1), wasmtest.Const(atCount), wasmtest.CallFunc(2), []byte{wasmtest.Drop},
	)
	m.Types = append(m.Types,
		wasmtest.FuncType{Params: []byte{i32, i32, i32, i32, i32, i64, i64, i32, i32}, Results: []byte{i32}},
		wasmtest.FuncType{Params: []byte{i32, i32, i32, i32}, Results: []byte{i32}})
	const wasi = "wasi_snapshot_preview1"
	m.Imports = []wasmtest.Import{{Module: wasi, Name: "path_open", Type: 1}, {Module: wasi, Name: "fd_read", Type: 2}, {Module: wasi, Name: "fd_write", Type: 2}}
	m.Exports[0].Index = 3
	m.Data = []wasmtest.Data{{Offset: atName, Bytes: []byte(name)}, {Offset: atVector, Bytes: []byte{0, 1, 0, 0, 3, 0, 0, 0}}}
	return m
}

func TestModuleSeesItsData(t *testing.T) {
	dir := t.TempDir()
	manifest := "manifest = 1\nname = \"demo\"\nversion = \"1.0.0\"\ndescription = \"A demo.\"\nmodule.path = \"demo.wasm\"\nmodule.data = \"lib\"\n"
	for name, content := range map[string]string{"tool.toml": manifest, "demo.wasm": string(printsData().Bytes()), "lib/words/a.txt": "one"} {
		write(t, dir, name, content)
	}
	r := runtime.New(runtime.Options{})
	t.Cleanup(func() { _ = r.Close() })
	// load returns a new executor of the directory, or the error of reading the data.
	load := func() (*Executor, error) {
		directory, err := manifests.OpenDirectory(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = directory.Close() })
		m, err := manifests.Read(directory, "tool.toml")
		if err != nil {
			return nil, err
		}
		files := manifests.FilesOf(directory, "tool.toml", m)
		e := New(Options{Runtime: r, Manifest: m, Read: files.Module, ReadData: func(context.Context) (map[string][]byte, error) { return files.Data() }, Source: "tool.toml"})
		t.Cleanup(func() { _ = e.Close() })
		return e, e.Prepare(t.Context())
	}
	stamp := func() string {
		directory, err := manifests.OpenDirectory(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer directory.Close()
		m, err := manifests.Read(directory, "tool.toml")
		if err != nil {
			t.Fatal(err)
		}
		return manifests.Stamp(directory, "tool.toml", m)
	}
	digests, stamps := make(map[string]bool), make(map[string]bool)
	for _, change := range []struct{ name, content, want string }{
		{"lib/words/a.txt", "one", "one"}, {"lib/words/a.txt", "two", "two"}, {"lib/b.txt", "", "two"}, {"lib/words/a.txt", "three", "thr"},
	} {
		write(t, dir, change.name, change.content)
		e, err := load()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := execute(t, e, "{}", capability.Grant{}); got != change.want || err != nil {
			t.Errorf("with %s = %q: got %q, %v", change.name, change.content, got, err)
		}
		digest, err := e.Digest(t.Context())
		if err != nil || digests[digest] || stamps[stamp()] {
			t.Errorf("with %s = %q: the digest or the stamp is not new, %v", change.name, change.content, err)
		}
		digests[digest], stamps[stamp()] = true, true
	}

	for _, bad := range []struct {
		want   string
		change func()
	}{
		{`"lib" cannot be used: "words/link" is a link; put the file itself there`, func() {
			_ = os.Symlink(filepath.Join(dir, "demo.wasm"), filepath.Join(dir, "lib", "words", "link"))
		}},
		{`"lib" has no files`, func() {
			_ = os.RemoveAll(filepath.Join(dir, "lib"))
			_ = os.MkdirAll(filepath.Join(dir, "lib", "empty"), 0o777)
		}},
		{`"lib" cannot be used: "big" is larger than the limit`, func() {
			write(t, dir, "lib/big", "")
			_ = os.Truncate(filepath.Join(dir, "lib", "big"), manifests.MaxDataBytes+1)
		}},
		{`"lib" does not exist`, func() { _ = os.RemoveAll(filepath.Join(dir, "lib")) }},
		{`"lib" is not a directory`, func() { write(t, dir, "lib", "") }},
	} {
		bad.change()
		if _, err := load(); err == nil || !strings.Contains(err.Error(), bad.want) || !strings.Contains(err.Error(), "tool.toml:6:") {
			t.Errorf("got %v, want an error with %s", err, bad.want)
		}
	}
}

// write writes a file below dir.
func write(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}
