package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestDir_read(t *testing.T) {
	const maximum = 2 * smallFile
	root := t.TempDir()
	put(t, root, "d/a.txt", "a")
	for name, size := range map[string]int{
		"empty": 0, "small": smallFile - 1, "exactly": smallFile, "over": smallFile + 1, "most": maximum, "too large": maximum + 1,
	} {
		put(t, root, name, strings.Repeat("x", size))
	}
	dir := OpenDir(root)
	for value, want := range map[string]string{"d/a.txt": "d/a.txt", "d//./a.txt": "d/a.txt", "empty": "empty", "small": "small", "exactly": "exactly", "over": "over", "most": "most", "most/": "most"} {
		name, was, content, err := dir.Read("path", value, maximum)
		if err != nil || name != want {
			t.Errorf("%s: got %s, %v", value, name, err)
			continue
		}
		if have, err := os.ReadFile(filepath.Join(root, want)); err != nil || string(content) != string(have) || was.Size != int64(len(have)) {
			t.Errorf("%s: got %d bytes of %d, want %d, %v", value, len(content), was.Size, len(have), err)
		}
		_, target, err := dir.Target("path", value)
		if err != nil || was.Type != target.Type || was.Size != target.Size || !was.ModTime.Equal(target.ModTime) {
			t.Errorf("%s: got %+v, want %+v, %v", value, was, target, err)
		}
	}
	for value, want := range map[string]string{
		"":                  "the argument \"path\" is empty",
		".":                 "path: . is a directory; give the path of a file",
		"d":                 "path: d is a directory",
		"d/":                "path: d/ is a directory",
		"new/":              "path: new/ is a directory",
		"smal":              "path: smal does not exist in the workspace; did you mean small?",
		"small/x":           "path: small/x can't be read: small is a file, not a directory",
		"too large":         "path: too large has more than 32768 bytes, the limit of this tool",
		"d/../../a":         "outside the workspace",
		"d/.wasmtool-tmp-0": "are reserved for files that are being written",
	} {
		if _, _, content, err := dir.Read("path", value, maximum); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %q, %v, want an error with %q", value, content, err, want)
		}
	}
	if _, _, _, err := dir.Read("path", "small", 10); err == nil || !strings.Contains(err.Error(), "has more than 10 bytes") {
		t.Errorf("more than the limit: got %v", err)
	}
}

// Write refuses a link that Read followed, and a file that has changed since.
func TestDir_readThenWrite(t *testing.T) {
	root := t.TempDir()
	dir := OpenDir(root)
	for name, test := range map[string]struct {
		prepare func() error // runs before f.txt is read
		change  func() error // runs after f.txt is read
		want    string
	}{
		"a link": {
			prepare: func() error { return os.Symlink("other.txt", filepath.Join(root, "f.txt")) },
			want:    "path: f.txt is a link to other.txt; give the path of the file itself",
		},
		"replaced by a link": {
			change: func() error {
				return errors.Join(os.Remove(filepath.Join(root, "f.txt")), os.Symlink("other.txt", filepath.Join(root, "f.txt")))
			},
			want: "path: f.txt is a link to other.txt; give the path of the file itself",
		},
		"grown": {
			change: func() error { return os.WriteFile(filepath.Join(root, "f.txt"), []byte("old and new"), 0o600) },
			want:   "path: f.txt can't be written: the file changed in the meantime; read it again",
		},
		"gone": {
			change: func() error { return os.Remove(filepath.Join(root, "f.txt")) },
			want:   "path: f.txt can't be written: the file changed in the meantime; read it again",
		},
	} {
		t.Run(name, func(t *testing.T) {
			put(t, root, "other.txt", "other")
			prepare, change := test.prepare, test.change
			if prepare == nil {
				prepare = func() error { return os.WriteFile(filepath.Join(root, "f.txt"), []byte("old"), 0o600) }
			}
			_ = os.Remove(filepath.Join(root, "f.txt")) // left by the previous test
			if err := prepare(); err != nil {
				t.Skip("no links here:", err)
			}
			file, was, _, err := dir.Read("path", "f.txt", 100)
			if err != nil {
				t.Fatal(err)
			}
			if change != nil {
				if err := change(); err != nil {
					t.Skip("no links here:", err)
				}
			}
			before := listing(t, root)
			if _, err := dir.Write("path", file, was, []byte("new")); err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
			if after := listing(t, root); !slices.Equal(after, before) {
				t.Errorf("the tree is now %q; before it was %q", after, before)
			}
			if got, err := os.ReadFile(filepath.Join(root, "other.txt")); err != nil || string(got) != "other" {
				t.Errorf("the other file contains %q, %v", got, err)
			}
		})
	}
}

// A file that grew after it was described, or that reports no size, is read completely. Write then
// treats such a file as changed.
func TestDir_loadGrown(t *testing.T) {
	root := t.TempDir()
	put(t, root, "f.txt", "old")
	dir := OpenDir(root)
	name, was, err := dir.Target("path", "f.txt")
	if err != nil {
		t.Fatal(err)
	}
	put(t, root, "f.txt", "older")
	if got, err := dir.Load("path", name, was, 5); err != nil || string(got) != "older" {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := dir.Load("path", name, was, 4); err == nil || err.Error() != "path: f.txt has more than 4 bytes, the limit of this tool" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := dir.Write("path", name, was, []byte("new")); err == nil || err.Error() != "path: f.txt can't be written: the file changed in the meantime; read it again" {
		t.Errorf("the output was written to: %v", err)
	}
}

func TestReadSmall(t *testing.T) {
	sample := Sample{"a.txt": "text"}
	for name, want := range map[string]string{"a.txt": "text", "b.txt": "", ".": ""} {
		if got, ok := ReadSmall(sample, name); string(got) != want || ok != (want != "") {
			t.Errorf("%s: got %q, %v", name, got, ok)
		}
	}
	if _, ok := ReadSmall(fstest.MapFS{"a.txt": {Data: []byte("text")}}, "a.txt"); ok {
		t.Error("a file outside the sandbox was read")
	}
}
