//go:build !wasip1

package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/wasmtool/wasmtool/guest/files"
)

// together is a workspace that answers for many files at once, like the workspace in the sandbox.
type together struct {
	fs.FS
	dir files.Dir
}

func (t together) statMany(names []string, room []byte) ([]files.Answer, error) {
	return t.dir.Stat(names, room)
}

func (t together) listMany(names []string, room []byte) ([]files.Answer, error) {
	return t.dir.List(names, room)
}

func (t together) readMany(names []string, maximum int, room []byte) ([]files.Answer, error) {
	return t.dir.Read(names, maximum, room)
}

// workspaces returns the same files in a map, in a directory, and in a workspace that answers for
// many files at once.
func workspaces(t *testing.T, content map[string]string) map[string]fs.FS {
	t.Helper()
	dir, inMemory := t.TempDir(), make(fstest.MapFS)
	for name, text := range content {
		inMemory[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o600}
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return map[string]fs.FS{"map": inMemory, "directory": os.DirFS(dir), "together": together{os.DirFS(dir), files.Dir(dir)}}
}

func TestBatchReads(t *testing.T) {
	for name, fsys := range workspaces(t, map[string]string{"a": "alpha", "empty": "", "d/b": "beta", "large": strings.Repeat("x", 100)}) {
		t.Run(name, func(t *testing.T) {
			for _, test := range []struct {
				names   []string
				maximum int
				room    int
				want    []any
			}{
				{nil, 100, 1000, nil},
				{[]string{"a", "d/b", "empty", "large"}, 100, 1000, []any{"alpha", "beta", "", strings.Repeat("x", 100)}},
				{[]string{"large", "a"}, 99, 1000, []any{syscall.EFBIG, "alpha"}},
				{[]string{"none", "a", "d/none"}, 99, 1000, []any{fs.ErrNotExist, "alpha", fs.ErrNotExist}},
			} {
				b := NewBatch(fsys, test.room)
				for range 2 { // the second use reuses its memory
					answers := b.Read(test.names, test.maximum)
					if len(answers) != len(test.want) {
						t.Fatalf("%q: %d answers", test.names, len(answers))
					}
					for i, a := range answers {
						switch want := test.want[i].(type) {
						case string:
							if a.Err != nil || string(a.Content) != want {
								t.Errorf("%s: got %.20q, %v; want %.20q", test.names[i], a.Content, a.Err, want)
							}
						case error:
							if !errors.Is(a.Err, want) {
								t.Errorf("%s: got %v, want %v", test.names[i], a.Err, want)
							}
						}
					}
				}
			}
			if a := NewBatch(fsys, 1000).Read([]string{"d", "a"}, 10); a[0].Err == nil || string(a[1].Content) != "alpha" {
				t.Errorf("a directory was read: %+v", a)
			}
		})
	}
}

// A file that does not fit into the buffer has ENOBUFS, and never the content of another file.
func TestBatchWithoutRoom(t *testing.T) {
	content := map[string]string{}
	var names []string
	for i := range MaxBatch {
		name := fmt.Sprintf("f%03d", i)
		names = append(names, name)
		content[name] = strings.Repeat(name, 50)
	}
	for kind, fsys := range workspaces(t, content) {
		// Room that the answers themselves do not need is used for content.
		answers := NewBatch(fsys, 20_000).Read(names, 1000)
		fitted := 0
		for i, a := range answers {
			switch {
			case a.Err == nil && string(a.Content) == content[names[i]]:
				fitted++
			case a.Err != syscall.ENOBUFS:
				t.Fatalf("%s: %s: %.20q, %v", kind, names[i], a.Content, a.Err)
			}
		}
		if fitted < 90 || fitted > 100 {
			t.Errorf("%s: %d files of 200 bytes fit into 20000", kind, fitted)
		}
	}
}

func TestBatchStats(t *testing.T) {
	for kind, fsys := range workspaces(t, map[string]string{"a": "alpha", "d/b": "beta"}) {
		answers := NewBatch(fsys, 0).Stat([]string{"a", "d", "none"})
		info, err := fs.Lstat(fsys, "a")
		if err != nil {
			t.Fatal(err)
		}
		if a := answers[0]; a.Err != nil || a.Type != 0 || a.Size != 5 || !a.ModTime.Equal(info.ModTime()) {
			t.Errorf("%s: a file is %+v", kind, a)
		}
		if a := answers[1]; a.Err != nil || a.Type != fs.ModeDir {
			t.Errorf("%s: a directory is %+v", kind, a)
		}
		if !errors.Is(answers[2].Err, fs.ErrNotExist) {
			t.Errorf("%s: the missing file gives %+v", kind, answers[2])
		}
	}
}

// A call with too many files gets an error for each file.
func TestBatchRefusesTooManyFiles(t *testing.T) {
	fsys := workspaces(t, map[string]string{"a": "alpha"})["together"]
	for _, a := range NewBatch(fsys, 1000).Read(make([]string, files.MaxNames+1), 10) {
		if a.Err == nil {
			t.Fatal("an answer without an error")
		}
	}
}

// The order of a walk, and the files that it skips, do not depend on which directories are listed
// together. Nor do they depend on whether the buffer has room for these directories.
func TestWalkerListsDirectoriesTogether(t *testing.T) {
	content := map[string]string{".gitignore": "ignored/\n*.tmp\n", "z.txt": "", "ignored/x.txt": ""}
	want := []string{}
	for i := range 3*listAhead + 5 {
		directory := fmt.Sprintf("d%03d", i)
		names := []string{"a.txt", "sub/b.txt", "sub/deep/c.txt", "z.txt"}
		content[directory+"/x.tmp"] = ""
		if i%10 == 3 { // a rule that only applies in this directory
			content[directory+"/.gitignore"] = "b.txt\n!x.tmp\n"
			names = []string{"a.txt", "sub/deep/c.txt", "x.tmp", "z.txt"}
		}
		if i%10 == 4 {
			content[directory+"/sub/.gitignore"] = "deep\n"
			names = []string{"a.txt", "sub/b.txt", "z.txt"}
			content[directory+"/sub/deep/c.txt"] = ""
		}
		for _, name := range names {
			content[directory+"/"+name] = ""
			want = append(want, directory+"/"+name)
		}
		if i%10 == 3 {
			content[directory+"/sub/b.txt"] = ""
		}
	}
	// One directory has more entries than there is room for.
	for i := range 2000 {
		name := fmt.Sprintf("e/%04d-%s", i, strings.Repeat("x", 60))
		content[name] = ""
		want = append(want, name)
	}
	want = append(want, "f/after.txt", "z.txt")
	content["f/after.txt"] = ""
	for kind, fsys := range workspaces(t, content) {
		var got []string
		var unread Unread
		var leftOut LeftOut
		err := Walker{FS: fsys, Start: ".", Unread: &unread, LeftOut: &leftOut}.Walk(func(name string, entry fs.DirEntry) error {
			if !entry.Type().IsRegular() {
				t.Errorf("%s: %s has the type %v", kind, name, entry.Type())
			}
			got = append(got, name)
			return nil
		})
		if err != nil || unread.Note("directory") != "" {
			t.Errorf("%s: %v, %q", kind, err, unread.Note("directory"))
		}
		if !slices.Equal(got, want) {
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			t.Errorf("%s: visited %d, want %d; from %d on %.3q, want %.3q", kind, len(got), len(want), at, got[at:min(len(got), at+3)], want[at:min(len(want), at+3)])
		}
		if leftOut.Ignored == 0 {
			t.Errorf("%s: nothing was left out", kind)
		}
	}
}

// A directory that can't be listed is reported, and the walk continues with its neighbours.
func TestWalkerSkipsUnlistableDirectories(t *testing.T) {
	fsys := workspaces(t, map[string]string{"a/x": "", "b/y": "", "c/z": ""})["together"].(together)
	refused := filepath.Join(string(fsys.dir), "b")
	if err := os.Chmod(refused, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(refused, 0o700) })
	if _, err := os.ReadDir(refused); err == nil {
		t.Skip("this user may list every directory")
	}
	var got []string
	var unread Unread
	err := Walker{FS: fsys, Start: ".", Unread: &unread}.Walk(func(name string, _ fs.DirEntry) error {
		got = append(got, name)
		return nil
	})
	if err != nil || !slices.Equal(got, []string{"a/x", "c/z"}) || unread.Note("directory") != "\n(1 directory could not be read: b)\n" {
		t.Errorf("got %q, %q, %v", got, unread.Note("directory"), err)
	}
}
