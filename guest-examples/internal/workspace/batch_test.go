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

// together is a workspace that answers for many files at once, as the one in the sandbox
// does.
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

func (t together) readMany(names []string, most int, room []byte) ([]files.Answer, error) {
	return t.dir.Read(names, most, room)
}

// workspaces are the same files in a map, in a folder, and in one of which many files are
// looked at together.
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
	return map[string]fs.FS{"map": inMemory, "folder": os.DirFS(dir), "together": together{os.DirFS(dir), files.Dir(dir)}}
}

func TestBatchReads(t *testing.T) {
	for name, fsys := range workspaces(t, map[string]string{"a": "alpha", "empty": "", "d/b": "beta", "large": strings.Repeat("x", 100)}) {
		t.Run(name, func(t *testing.T) {
			for _, test := range []struct {
				names []string
				most  int
				room  int
				want  []any
			}{
				{nil, 100, 1000, nil},
				{[]string{"a", "d/b", "empty", "large"}, 100, 1000, []any{"alpha", "beta", "", strings.Repeat("x", 100)}},
				{[]string{"large", "a"}, 99, 1000, []any{syscall.EFBIG, "alpha"}},
				{[]string{"none", "a", "d/none"}, 99, 1000, []any{fs.ErrNotExist, "alpha", fs.ErrNotExist}},
			} {
				b := NewBatch(fsys, test.room)
				for range 2 { // its memory is used again
					answers := b.Read(test.names, test.most)
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
				t.Errorf("a folder was read: %+v", a)
			}
		})
	}
}

// Without room for a file it has ENOBUFS, and none the content of another.
func TestBatchWithoutRoom(t *testing.T) {
	content := map[string]string{}
	var names []string
	for i := range MaxBatch {
		name := fmt.Sprintf("f%03d", i)
		names = append(names, name)
		content[name] = strings.Repeat(name, 50)
	}
	for kind, fsys := range workspaces(t, content) {
		// Of the room, what the answers don't take is for content as well.
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
			t.Errorf("%s: a folder is %+v", kind, a)
		}
		if !errors.Is(answers[2].Err, fs.ErrNotExist) {
			t.Errorf("%s: nothing is %+v", kind, answers[2])
		}
	}
}

// More files than a call takes have an error each, and none of them a made-up answer.
func TestBatchOfTooMany(t *testing.T) {
	fsys := workspaces(t, map[string]string{"a": "alpha"})["together"]
	for _, a := range NewBatch(fsys, 1000).Read(make([]string, files.MaxNames+1), 10) {
		if a.Err == nil {
			t.Fatal("an answer without an error")
		}
	}
}

// The order of a walk and what it leaves out do not depend on which folders are listed
// together, nor on whether there is room for them.
func TestWalkerListsFoldersTogether(t *testing.T) {
	content := map[string]string{".gitignore": "ignored/\n*.tmp\n", "z.txt": "", "ignored/x.txt": ""}
	want := []string{}
	for i := range 3*listAhead + 5 {
		folder := fmt.Sprintf("d%03d", i)
		names := []string{"a.txt", "sub/b.txt", "sub/deep/c.txt", "z.txt"}
		content[folder+"/x.tmp"] = ""
		if i%10 == 3 { // a rule of its own, which holds in this folder alone
			content[folder+"/.gitignore"] = "b.txt\n!x.tmp\n"
			names = []string{"a.txt", "sub/deep/c.txt", "x.tmp", "z.txt"}
		}
		if i%10 == 4 {
			content[folder+"/sub/.gitignore"] = "deep\n"
			names = []string{"a.txt", "sub/b.txt", "z.txt"}
			content[folder+"/sub/deep/c.txt"] = ""
		}
		for _, name := range names {
			content[folder+"/"+name] = ""
			want = append(want, folder+"/"+name)
		}
		if i%10 == 3 {
			content[folder+"/sub/b.txt"] = ""
		}
	}
	// One folder that has more entries than there is room for.
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
		leftOut := 0
		err := Walker{FS: fsys, Start: ".", Unread: &unread, LeftOut: &leftOut}.Walk(func(name string, entry fs.DirEntry) error {
			if !entry.Type().IsRegular() {
				t.Errorf("%s: %s has the type %v", kind, name, entry.Type())
			}
			got = append(got, name)
			return nil
		})
		if err != nil || unread.Note("folder") != "" {
			t.Errorf("%s: %v, %q", kind, err, unread.Note("folder"))
		}
		if !slices.Equal(got, want) {
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			t.Errorf("%s: visited %d, want %d; from %d on %.3q, want %.3q", kind, len(got), len(want), at, got[at:min(len(got), at+3)], want[at:min(len(want), at+3)])
		}
		if leftOut == 0 {
			t.Errorf("%s: nothing was left out", kind)
		}
	}
}

// A folder that can't be listed is told, and its neighbours are visited.
func TestWalkerListsTogetherWhatItCan(t *testing.T) {
	fsys := workspaces(t, map[string]string{"a/x": "", "b/y": "", "c/z": ""})["together"].(together)
	refused := filepath.Join(string(fsys.dir), "b")
	if err := os.Chmod(refused, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(refused, 0o700) })
	if _, err := os.ReadDir(refused); err == nil {
		t.Skip("this user may list every folder")
	}
	var got []string
	var unread Unread
	err := Walker{FS: fsys, Start: ".", Unread: &unread}.Walk(func(name string, _ fs.DirEntry) error {
		got = append(got, name)
		return nil
	})
	if err != nil || !slices.Equal(got, []string{"a/x", "c/z"}) || unread.Note("folder") != "\n(1 folder could not be read: b)\n" {
		t.Errorf("got %q, %q, %v", got, unread.Note("folder"), err)
	}
}
