package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func put(t *testing.T, dir, name, content string) {
	t.Helper()
	full := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// listing returns the paths of all files below dir.
func listing(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if name != "." {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestDir_target(t *testing.T) {
	root := t.TempDir()
	put(t, root, "a.txt", "a")
	put(t, root, "d/b.txt", "b")
	dir := OpenDir(root)
	for value, want := range map[string]string{
		"a.txt":                "a.txt",
		"/workspace/d/b.txt":   "d/b.txt",
		"d/../a.txt":           "a.txt",
		"new.txt":              "new.txt",
		"x/y/../new.txt":       "x/new.txt",
		"a.txt/below.txt":      "a.txt/below.txt", // Write reports the error
		"wasmtool-tmp-mine.md": "wasmtool-tmp-mine.md",
	} {
		name, info, err := dir.Target("path", value)
		if err != nil || name != want {
			t.Errorf("%s: got %s, %v; want %s", value, name, err, want)
		}
		if _, err := os.Stat(filepath.Join(root, want)); (info != nil) != (err == nil) {
			t.Errorf("%s: got the description %v", value, info)
		}
	}
	for value, want := range map[string]string{
		"":                 "the argument \"path\" is empty",
		"../a.txt":         "outside the workspace",
		"/etc/passwd":      "outside the workspace",
		"a\x00":            "NUL",
		".":                "path: . is a directory; give the path of a file",
		"d":                "path: d is a directory",
		"d/":               "path: d/ is a directory",
		"new/":             "path: new/ is a directory",
		"d/.wasmtool-tmp-": "path: names that begin with .wasmtool-tmp- are reserved",
	} {
		if _, _, err := dir.Target("path", value); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", value, err, want)
		}
	}
}

func TestDir_links(t *testing.T) {
	root := t.TempDir()
	put(t, root, "d/a.txt", "a")
	for link, target := range map[string]string{"link.txt": "d/a.txt", "dangling": "/nowhere", "dirlink": "d"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Skip("no links here:", err)
		}
	}
	dir := OpenDir(root)
	for value, want := range map[string]string{
		"link.txt": "path: link.txt is a link to d/a.txt; give the path of the file itself",
		"dangling": "path: dangling is a link to /nowhere; give",
		"dirlink":  "path: dirlink is a link to d; give",
	} {
		if _, _, err := dir.Target("path", value); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", value, err, want)
		}
	}
	name, info, err := dir.Target("path", "dirlink/a.txt")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Write("path", name, info, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(root, "d", "a.txt")); err != nil || string(got) != "new" {
		t.Errorf("through a linked directory: got %q, %v", got, err)
	}
}

// TestDir_linksThatRefuseWriting explains the error of a workspace with denied paths, which can be
// read through links and not written.
func TestDir_linksThatRefuseWriting(t *testing.T) {
	root := t.TempDir()
	put(t, root, "d/e/a.txt", "a")
	for link, target := range map[string]string{"dirlink": "d", "d/e/up": ".."} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Skip("no links here:", err)
		}
	}
	dir := OpenDir(root)
	for name, want := range map[string]string{
		"dirlink/new":     "path: dirlink/new can't be written: dirlink is a link to d; give the path of its target",
		"d/e/up/e/up/new": "path: d/e/up/e/up/new can't be written: d/e/up is a link to ..; give the path of its target",
		"d/e/a.txt":       "path: d/e/a.txt can't be written: " + syscall.EACCES.Error(),
		"a.txt":           "path: a.txt can't be written: " + syscall.EACCES.Error(),
	} {
		err := &fs.PathError{Op: "open", Path: name, Err: syscall.EACCES}
		if got := dir.explainWrite("path", name, err).Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestDir_write(t *testing.T) {
	root := t.TempDir()
	put(t, root, "a.txt", "old")
	put(t, root, ".wasmtool-tmp-0", "of another call")
	dir := OpenDir(root)
	for _, test := range []struct {
		path string
		made []string
	}{
		{"a.txt", nil},
		{"b.txt", nil},
		{"x/y/z.txt", []string{"x", "x/y"}},
		{"x/w/z.txt", []string{"x/w"}},
	} {
		name, info, err := dir.Target("path", test.path)
		if err != nil {
			t.Fatal(err)
		}
		made, err := dir.Write("path", name, info, []byte("content of "+test.path))
		if err != nil || !slices.Equal(made, test.made) {
			t.Errorf("%s: got %q, %v; want the directories %q", test.path, made, err, test.made)
		}
		if got, err := os.ReadFile(filepath.Join(root, test.path)); err != nil || string(got) != "content of "+test.path {
			t.Errorf("%s: holds %q, %v", test.path, got, err)
		}
	}
	want := []string{".wasmtool-tmp-0", "a.txt", "b.txt", "x", "x/w", "x/w/z.txt", "x/y", "x/y/z.txt"}
	if got := listing(t, root); !slices.Equal(got, want) {
		t.Errorf("there is %q, want %q", got, want)
	}
}

// After an error, all files are as before.
func TestDir_writeErrors(t *testing.T) {
	for name, test := range map[string]struct {
		path    string
		prepare func(t *testing.T, root string) // runs after Target
		want    string
	}{
		"below a file":      {path: "a.txt/x/b.txt", want: "path: a.txt/x/b.txt can't be written: a.txt is a file, not a directory"},
		"changed meanwhile": {path: "a.txt", prepare: func(t *testing.T, root string) { put(t, root, "a.txt", "longer than before") }, want: "path: a.txt can't be written: the file changed in the meantime; read it again"},
		"touched meanwhile": {
			path: "a.txt",
			prepare: func(t *testing.T, root string) {
				if err := os.Chtimes(filepath.Join(root, "a.txt"), time.Time{}, time.Unix(1, 0)); err != nil {
					t.Fatal(err)
				}
			},
			want: "the file changed in the meantime",
		},
		"created meanwhile": {path: "b.txt", prepare: func(t *testing.T, root string) { put(t, root, "b.txt", "") }, want: "the file changed in the meantime"},
		"removed meanwhile": {
			path: "a.txt",
			prepare: func(t *testing.T, root string) {
				if err := os.Remove(filepath.Join(root, "a.txt")); err != nil {
					t.Fatal(err)
				}
			},
			want: "path: a.txt can't be written: ",
		},
		"name too long": {path: "x/y/" + strings.Repeat("n", 1000), want: "can't be written: "},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			put(t, root, "a.txt", "old")
			target, info, err := OpenDir(root).Target("path", test.path)
			if err != nil {
				if !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), root) {
					t.Errorf("got %v, want an error with %q", err, test.want)
				}
				return
			}
			if test.prepare != nil {
				test.prepare(t, root)
			}
			before := listing(t, root)
			_, err = OpenDir(root).Write("path", target, info, []byte("new"))
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), root) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
			if after := listing(t, root); !slices.Equal(after, before) {
				t.Errorf("the tree is now %q; before it was %q", after, before)
			}
		})
	}
}

func TestDir_readOnly(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("permissions do not bind root, and are others on Windows")
	}
	root := t.TempDir()
	put(t, root, "file.txt", "old")
	put(t, root, "directory/a.txt", "old")
	for name, mode := range map[string]fs.FileMode{"file.txt": 0o444, "directory": 0o555} {
		full := filepath.Join(root, name)
		if err := os.Chmod(full, mode); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(full, 0o755)
	}
	dir := OpenDir(root)
	for _, path := range []string{"file.txt", "directory/a.txt", "directory/b.txt", "directory/c/d.txt"} {
		name, info, err := dir.Target("path", path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = dir.Write("path", name, info, []byte("new"))
		if want := "path: " + path + " can't be written: permission denied"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if got, err := os.ReadFile(filepath.Join(root, "file.txt")); err != nil || string(got) != "old" {
		t.Errorf("the read-only file contains %q, %v", got, err)
	}
}

func TestDir_noWorkspace(t *testing.T) {
	dir := OpenDir(filepath.Join(t.TempDir(), "missing"))
	if _, err := dir.Write("path", "a.txt", nil, nil); err == nil || !strings.Contains(err.Error(), "there is no workspace") {
		t.Errorf("got %v, want an error that there is no workspace", err)
	}
}
