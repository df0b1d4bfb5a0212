package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/guest"
)

// twoMounts returns the files of a call with the mounts /workspace and /notes, which works in
// directory.
func twoMounts(t *testing.T, directory string) (Dir, error) {
	t.Helper()
	root, notes := t.TempDir(), t.TempDir()
	for _, name := range []string{".gitignore", "top.go", "src/main.go", "src/deep/deep.go", "src/skipped/x.go", "src/log/a.go"} {
		put(t, root, name, "skipped/\n/src/log/\n")
	}
	put(t, notes, "a.md", "a")
	put(t, notes, ".gitignore", "/b.md\n")
	put(t, notes, "b.md", "b")
	put(t, notes, "sub/c.md", "c")
	return OpenDir(root).With("/notes", notes).At(guest.Call{WorkingDirectory: directory})
}

func TestResolve_fromWorkingDirectory(t *testing.T) {
	for _, test := range []struct{ directory, value, want string }{
		{"/workspace/src", "main.go", "main.go"},
		{"/workspace/src", ".", "."},
		{"/workspace/src", "/workspace/src", "."},
		{"/workspace/src", "/workspace/src/deep/deep.go", "deep/deep.go"},
		{"/workspace/src", "../top.go", "/workspace/top.go"},
		{"/workspace/src", "..", "/workspace"},
		{"/workspace/src/", "main.go", "main.go"},
		{"/workspace/src/deep/..", "main.go", "main.go"},
		{"/workspace/src", "../../notes/a.md", "/notes/a.md"},
		{"/workspace/src", "/notes/a.md", "/notes/a.md"},
		{"/notes", "a.md", "a.md"},
		{"/notes", "/workspace/top.go", "/workspace/top.go"},
		{"", "/notes", "/notes"},
		{"", "src/main.go", "src/main.go"},
	} {
		dir, err := twoMounts(t, test.directory)
		if err != nil {
			t.Fatalf("%s: %v", test.directory, err)
		}
		name, err := Resolve(dir, "path", test.value)
		if err != nil || name != test.want {
			t.Errorf("%s in %s: got %q, %v; want %q", test.value, test.directory, name, err, test.want)
		}
		if _, err := fs.Stat(dir, name); err != nil {
			t.Errorf("%s in %s: %v", test.value, test.directory, err)
		}
		if again, err := Resolve(dir, "path", name); err != nil || again != name {
			t.Errorf("the name %s, given as a path, leads to %s, %v", name, again, err)
		}
	}
	dir, _ := twoMounts(t, "/workspace/src")
	for value, want := range map[string]string{
		"../..":        "path: ../.. is outside the workspaces /workspace and /notes; give a path relative to /workspace/src or under /workspace or /notes",
		"/etc/passwd":  "path: /etc/passwd is outside the workspaces /workspace and /notes; paths of the host",
		"/workspaces":  "is outside",
		"/notes/../x":  "is outside",
		"../../notesx": "is outside",
		"":             "is empty; give a path relative to /workspace/src or under",
	} {
		if _, err := Resolve(dir, "path", value); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", value, err, want)
		}
	}
}

func TestAt_refusesWhatIsNoDirectory(t *testing.T) {
	for _, directory := range []string{"/workspace/missing", "/workspace/top.go", "/", "/etc", "/workspacex", "src", "/workspace/../etc", "/tmp"} {
		_, err := twoMounts(t, directory)
		want := "the working directory of the call, " + directory + ", is not a directory under /workspace or /notes"
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", directory, err, want)
		}
	}
}

func TestAt_takesMountsOfCall(t *testing.T) {
	dir, err := OpenDir(t.TempDir()).At(guest.Call{Mounts: []guest.Mount{{Path: "/workspace", Mode: "write"}, {Path: "/notes", Mode: "read"}}})
	if name, resolveErr := Resolve(dir, "path", "/notes/a"); err != nil || resolveErr != nil || name != "/notes/a" {
		t.Errorf("got %s, %v, %v", name, err, resolveErr)
	}
}

func TestWalker_inPlaces(t *testing.T) {
	for _, test := range []struct{ directory, path, want string }{
		{"/workspace/src", ".", "deep/deep.go main.go"}, // the .gitignore above applies
		{"/workspace/src", "deep", "deep/deep.go"},
		{"/workspace/src", "..", "/workspace/src/deep/deep.go /workspace/src/main.go /workspace/top.go"},
		{"/workspace/src", "/notes", "/notes/a.md /notes/sub/c.md"},
		{"", "/notes/sub", "/notes/sub/c.md"},
		{"/notes", ".", "a.md sub/c.md"},
		{"", ".", "src/deep/deep.go src/main.go top.go"},
	} {
		dir, err := twoMounts(t, test.directory)
		if err != nil {
			t.Fatal(err)
		}
		start, err := Resolve(dir, "path", test.path)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		err = Walker{FS: dir, Start: start, Unread: &Unread{}, LeftOut: &LeftOut{}}.Walk(func(name string, _ fs.DirEntry) error {
			got = append(got, name)
			return nil
		})
		if err != nil || strings.Join(got, " ") != test.want {
			t.Errorf("%s in %s: got %q, %v; want %s", test.path, test.directory, got, err, test.want)
		}
	}
}

func TestDir_writesInPlaces(t *testing.T) {
	dir, err := twoMounts(t, "/workspace/src")
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{"new/a.txt", "../b.txt", "/notes/x/c.txt"} {
		name, was, err := dir.Target("path", value)
		if err != nil || was != nil {
			t.Fatalf("%s: got %v, %v", value, was, err)
		}
		if _, err := dir.Write("path", name, nil, []byte(value)); err != nil {
			t.Fatal(err)
		}
		name, was, content, err := dir.Read("path", value, 100)
		if err != nil || string(content) != value {
			t.Errorf("%s: got %q, %v", value, content, err)
		}
		if err := dir.Remove("path", name, was); err != nil {
			t.Error(err)
		}
	}
}

func TestExplain_inPlaces(t *testing.T) {
	dir, err := twoMounts(t, "/workspace/src")
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		"mian.go":       "path: mian.go does not exist in /workspace/src; did you mean main.go?",
		"src/main.go":   "path: src/main.go does not exist in /workspace/src; did you mean /workspace/src/main.go?",
		"../tap.go":     "path: /workspace/tap.go does not exist; did you mean /workspace/top.go?",
		"/notes/b.mb":   "path: /notes/b.mb does not exist; did you mean /notes/b.md?",
		"/notes/zzzz":   "path: /notes/zzzz does not exist",
		"main.go/x":     "path: main.go/x can't be read: main.go is a file, not a directory",
		"/notes/a.md/x": "path: /notes/a.md/x can't be read: /notes/a.md is a file, not a directory",
	} {
		name, err := Resolve(dir, "path", value)
		if err != nil {
			t.Fatal(err)
		}
		_, err = fs.Stat(dir, name)
		if got := Explain(dir, "path", name, err).Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// FuzzResolve_places checks that no value leads out of the mounts, and that names are stable.
func FuzzResolve_places(f *testing.F) {
	for _, seed := range []string{"..", "../../notes", "/notes/../workspace", "//notes", "/workspace/src/../..", "a/./b", "/notesx"} {
		f.Add("/workspace/src", seed)
		f.Add("/notes", seed)
	}
	base := f.TempDir()
	for _, name := range []string{"workspace/src", "notes"} {
		if err := os.MkdirAll(filepath.Join(base, name), 0o700); err != nil {
			f.Fatal(err)
		}
	}
	all := OpenDir(filepath.Join(base, "workspace")).With("/notes", filepath.Join(base, "notes"))
	f.Fuzz(func(t *testing.T, directory, value string) {
		dir, err := all.At(guest.Call{WorkingDirectory: directory})
		if err != nil {
			return
		}
		name, err := Resolve(dir, "path", value)
		if err != nil {
			return
		}
		full := dir.join(name)
		if rel, err := filepath.Rel(base, full); err != nil || !slices.Contains([]string{"workspace", "notes"}, strings.Split(filepath.ToSlash(rel), "/")[0]) {
			t.Errorf("%q in %q leads to %q", value, directory, full)
		}
		if again, err := Resolve(dir, "path", name); err != nil || again != name {
			t.Errorf("%q in %q: %q leads to %q, %v", value, directory, name, again, err)
		}
	})
}
