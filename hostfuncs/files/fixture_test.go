package files_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// canary is content that no guest may ever read.
const canary = "CANARY: from outside the grant"

// read grants a directory for reading at /NAME.
func read(name, dir string, deny ...string) capability.GrantedFS {
	return capability.GrantedFS{FS: capability.FS{Mount: name, Mode: capability.ModeRead, Deny: deny}, Dir: dir}
}

// write creates files below dir, with their parent directories.
func write(t testing.TB, dir string, fsys map[string]string) {
	t.Helper()
	for name, content := range fsys {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// symlink creates a link, or skips the test if the host does not permit that.
func symlink(t testing.TB, target, link string) {
	t.Helper()
	if err := os.Symlink(target, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

func grants(g ...capability.GrantedFS) []capability.GrantedFS { return g }

// newFS opens the grants and closes them at the end of the test.
func newFS(t testing.TB, grants ...capability.GrantedFS) *files.FS {
	t.Helper()
	return newFSWith(t, files.Options{}, grants...)
}

func newFSWith(t testing.TB, o files.Options, grants ...capability.GrantedFS) *files.FS {
	t.Helper()
	fsys, err := files.New(grants, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := fsys.Close(); err != nil {
			t.Error(err)
		}
	})
	return fsys
}

// readFile reads a whole guest file.
func readFile(v files.View, name string) (string, error) {
	f, err := v.Open(name, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	return string(content), err
}

// list returns the sorted names in a guest directory.
func list(t testing.TB, v files.View, name string) []string {
	t.Helper()
	f, err := v.Open(name, files.OpenDirectory)
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

// noHostPath fails the test if the text of err contains the host directory dir.
func noHostPath(t testing.TB, err error, dir string) {
	t.Helper()
	if err != nil && strings.Contains(err.Error(), dir) {
		t.Errorf("the error text holds a host path: %v", err)
	}
}

// readWrite grants a directory for writing at /NAME.
func readWrite(name, dir string, deny ...string) capability.GrantedFS {
	g := read(name, dir, deny...)
	g.Mode = capability.ModeWrite
	return g
}

// scratch grants a private directory at /tmp.
func scratch() capability.GrantedFS { return readWrite(capability.ScratchMount, "") }

// create is the set of flags with which programs create a file or replace its whole content.
const create = files.OpenWrite | files.OpenCreate | files.OpenTruncate

// writeFile writes a whole guest file.
func writeFile(v files.View, name, content string) error {
	f, err := v.Open(name, create)
	if err != nil {
		return err
	}
	if _, err := f.Write([]byte(content)); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

// closed closes the FS and waits until the leftovers of the call are removed.
func closed(t testing.TB, fsys *files.FS) {
	t.Helper()
	if err := fsys.Close(); err != nil {
		t.Error(err)
	}
	<-fsys.Done()
}

// holds fails the test unless the host file has the given content.
func holds(t testing.TB, file, want string) {
	t.Helper()
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%s: got %q, %v, want %q", filepath.Base(file), got, err, want)
	}
}

// missing fails the test unless the host file is missing.
func missing(t testing.TB, file string) {
	t.Helper()
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is there: %v", filepath.Base(file), err)
	}
}

// filesIn returns the sorted names of all files below a host directory, including files that a
// guest cannot see.
func filesIn(t testing.TB, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			var rel string
			rel, err = filepath.Rel(dir, name)
			found = append(found, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	return found
}
