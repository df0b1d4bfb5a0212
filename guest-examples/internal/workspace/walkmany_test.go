package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"testing"
	"testing/fstest"
)

// The walk is ordered by path, directory by directory, even if a directory has more subdirectories
// than are listed together.
func TestWalker_manyDirectories(t *testing.T) {
	tree := fstest.MapFS{".gitignore": {Data: []byte("/d1*\n!/d15\nskipped\n")}}
	var want []string
	for i := range 3 * listAhead {
		name := fmt.Sprintf("d%03d", i)
		for _, file := range []string{"a", "sub/b", "sub/deep/c", "z"} {
			tree[name+"/"+file] = &fstest.MapFile{}
			if name < "d1" || name >= "d2" {
				want = append(want, name+"/"+file)
			}
		}
		tree[name+"/skipped/x"] = &fstest.MapFile{}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, tree); err != nil {
		t.Fatal(err)
	}
	for name, fsys := range map[string]fs.FS{"in memory": tree, "on disk": OpenDir(dir)} {
		var got []string
		var unread Unread
		var leftOut LeftOut
		err := Walker{FS: fsys, Start: ".", Unread: &unread, LeftOut: &leftOut}.Walk(func(name string, entry fs.DirEntry) error {
			if info, err := entry.Info(); err != nil || info.Name() != entry.Name() {
				t.Errorf("%s: %v", name, err)
			}
			got = append(got, name)
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %d names, %v, want %d", name, len(got), err, len(want))
		}
		// each top directory either is ignored itself or contains one ignored entry
		if leftOut.Ignored != 3*listAhead {
			t.Errorf("%s: %d are left out, want %d", name, leftOut.Ignored, 3*listAhead)
		}
	}
}
