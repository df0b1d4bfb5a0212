package hostfuncs_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// canary is what no guest may ever read.
const canary = "CANARY: from outside the grant"

// read grants a directory for reading at /NAME.
func read(name, dir string, deny ...string) capability.GrantedFS {
	return capability.GrantedFS{FS: capability.FS{Mount: name, Mode: capability.ModeRead, Deny: deny}, Dir: dir}
}

// write makes files below dir, with the directories they need.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// symlink makes a link, or skips the test where the host lets it make none.
func symlink(t testing.TB, target, link string) {
	t.Helper()
	if err := os.Symlink(target, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

func grants(g ...capability.GrantedFS) []capability.GrantedFS { return g }

// newFS opens the grants and closes them with the test.
func newFS(t testing.TB, grants ...capability.GrantedFS) *hostfuncs.FS {
	t.Helper()
	return newFSWith(t, hostfuncs.Options{}, grants...)
}

func newFSWith(t testing.TB, o hostfuncs.Options, grants ...capability.GrantedFS) *hostfuncs.FS {
	t.Helper()
	files, err := hostfuncs.NewFS(grants, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := files.Close(); err != nil {
			t.Error(err)
		}
	})
	return files
}

// readFile reads a guest file whole.
func readFile(v hostfuncs.View, name string) (string, error) {
	f, err := v.Open(name, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	return string(content), err
}

// list returns the sorted names in a guest directory.
func list(t testing.TB, v hostfuncs.View, name string) []string {
	t.Helper()
	f, err := v.Open(name, hostfuncs.OpenDirectory)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	entries, err := f.ReadDir(0)
	if err != nil {
		t.Fatal(err)
	}
	return names(entries)
}

func names(entries []fs.DirEntry) []string {
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	slices.Sort(names)
	return names
}

// noHostPath fails when an error text tells where on the host the test lives.
func noHostPath(t testing.TB, err error, dir string) {
	t.Helper()
	if err != nil && strings.Contains(err.Error(), dir) {
		t.Errorf("the error text holds a host path: %v", err)
	}
}
