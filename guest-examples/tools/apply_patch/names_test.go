package applypatch

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/testprogram"
)

const (
	numbers = "1\n2\n3\n"
	change  = "@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n"
	changed = "1\ntwo\n3\n"
	create  = "@@ -0,0 +1,3 @@\n+1\n+2\n+3\n"
	empty   = "@@ -1,3 +0,0 @@\n-1\n-2\n-3\n"
	times   = "\t2024-01-01 10:00:00.000000000 +0100\n"
	epoch   = "\t1970-01-01 01:00:00.000000000 +0100\n"
)

// The names in a unified diff lead to the same file as with git apply, or with patch and the right
// option -p. programs lists the programs that agree; the other programs refuse the patch or use
// other directories.
func TestNames(t *testing.T) {
	gitApply, patch0, patch1 := "git apply", "patch -p0", "patch -p1"
	for _, test := range []struct {
		name     string
		before   []string // files whose content is the constant numbers
		patch    string
		after    tree
		programs []string
	}{
		{name: "two directories", before: []string{"src/f"}, patch: "--- proj.orig/src/f\n+++ proj/src/f\n" + change, after: tree{"src/f": changed}, programs: []string{gitApply, patch1}},
		{name: "two directories of which one exists", before: []string{"proj/src/f"}, patch: "--- proj.orig/src/f\n+++ proj/src/f\n" + change, after: tree{"proj/src/f": changed}, programs: []string{patch0}},
		{name: "both directories exist", before: []string{"a/f", "b/f"}, patch: "--- a/f\n+++ b/f\n" + change, after: tree{"a/f": changed, "b/f": numbers}, programs: []string{patch0}},
		{name: "one directory too many", before: []string{"src/f"}, patch: "--- proj/src/f\n+++ proj/src/f\n" + change, after: tree{"src/f": changed}, programs: []string{gitApply, patch1}},
		{name: "long paths outside", before: []string{"src/f"}, patch: "--- /tmp/x/orig/src/f\n+++ /home/me/src/f\n" + change, after: tree{"src/f": changed}},
		{name: "absolute", before: []string{"src/f"}, patch: "--- /tmp/f.orig\n+++ /workspace/src/f\n" + change, after: tree{"src/f": changed}},
		{name: "the new name has a suffix", before: []string{"f.txt"}, patch: "--- f.txt\n+++ f.txt.new\n" + change, after: tree{"f.txt": changed}, programs: []string{gitApply, patch0}},
		{name: "the new name has a suffix and exists", before: []string{"f.txt", "f.txt.new"}, patch: "--- f.txt\n+++ f.txt.new\n" + change, after: tree{"f.txt": changed, "f.txt.new": numbers}, programs: []string{gitApply, patch0}},
		{name: "the old name has a suffix", before: []string{"d/f.c", "d/f.c.orig"}, patch: "--- d/f.c.orig\n+++ d/f.c\n" + change, after: tree{"d/f.c": changed, "d/f.c.orig": numbers}, programs: []string{patch0}},
		{name: "only the old name exists", before: []string{"old"}, patch: "--- old\n+++ new\n" + change, after: tree{"old": changed}, programs: []string{patch0}},
		{name: "only the new name exists", before: []string{"new"}, patch: "--- old\n+++ new\n" + change, after: tree{"new": changed}, programs: []string{gitApply, patch0}},
		{name: "two names that exist", before: []string{"old", "new"}, patch: "--- old\n+++ new\n" + change, after: tree{"old": changed, "new": numbers}, programs: []string{patch0}},
		{name: "git names two files without a rename", before: []string{"old"}, patch: "diff --git a/old b/new\n--- a/old\n+++ b/new\n" + change, after: tree{"old": changed}, programs: []string{patch1}},
		{name: "mnemonic prefixes", before: []string{"d/f"}, patch: "diff --git i/d/f w/d/f\n--- i/d/f\n+++ w/d/f\n" + change, after: tree{"d/f": changed}, programs: []string{gitApply, patch1}},
		{name: "mnemonic prefixes of a new file", patch: "diff --git i/d/f w/d/f\nnew file mode 100644\n--- /dev/null\n+++ w/d/f\n" + create, after: tree{"d/f": numbers}, programs: []string{gitApply, patch1}},
		{name: "mnemonic prefixes of a deleted file", before: []string{"d/f", "g"}, patch: "diff --git c/d/f i/d/f\ndeleted file mode 100644\n--- c/d/f\n+++ /dev/null\n" + empty, after: tree{"g": numbers}, programs: []string{gitApply, patch1}},
		{name: "no prefixes", before: []string{"d/f"}, patch: "diff --git d/f d/f\n--- d/f\n+++ d/f\n" + change, after: tree{"d/f": changed}, programs: []string{patch0}},
		{name: "no prefixes of a new file", patch: "diff --git d/f d/f\nnew file mode 100644\n--- /dev/null\n+++ d/f\n" + create, after: tree{"d/f": numbers}, programs: []string{patch0}},
		{name: "no prefixes of a moved file", before: []string{"d/f"}, patch: "diff --git d/f e/f\nsimilarity index 90%\nrename from d/f\nrename to e/f\n--- d/f\n+++ e/f\n" + change, after: tree{"e/f": changed}},
		{name: "diff -N: new", before: []string{"x/f"}, patch: "--- p.orig/x/new" + epoch + "+++ p/x/new" + times + create, after: tree{"x/f": numbers, "x/new": numbers}, programs: []string{gitApply, patch1}},
		{name: "diff -N: new in a new directory", patch: "--- p.orig/x/new" + epoch + "+++ p/x/new" + times + create, after: tree{"x/new": numbers}, programs: []string{gitApply, patch1}},
		{name: "diff -N: new in a directory that exists", before: []string{"p/f"}, patch: "--- p.orig/x/new" + epoch + "+++ p/x/new" + times + create, after: tree{"p/f": numbers, "p/x/new": numbers}, programs: []string{patch0}},
		{name: "diff -N: deleted", before: []string{"x/f", "g"}, patch: "--- p.orig/x/f" + times + "+++ p/x/f" + epoch + empty, after: tree{"g": numbers}, programs: []string{gitApply, patch1}},
		{name: "emptied, not deleted", before: []string{"x/f"}, patch: "--- p.orig/x/f" + times + "+++ p/x/f" + times + empty, after: tree{"x/f": ""}, programs: []string{gitApply, patch1}},
		{name: "an old file that changes", before: []string{"f"}, patch: "--- f" + epoch + "+++ f" + epoch + change, after: tree{"f": changed}, programs: []string{patch0}},
		{name: "new without a time", patch: "--- x/new\n+++ x/new\n" + create, after: tree{"x/new": numbers}, programs: []string{patch0}},
		{name: "new with the prefixes of git", patch: "--- a/x/new\n+++ b/x/new\n" + create, after: tree{"x/new": numbers}, programs: []string{gitApply, patch1}},
		{name: "times after spaces", before: []string{"f"}, patch: "--- f 2024-01-01 10:00:00 +0000\n+++ f  2024-01-01 10:00\n" + change, after: tree{"f": changed}, programs: []string{patch0}},
		{name: "a name that ends in a date", before: []string{"notes 2024-01-01"}, patch: "--- notes 2024-01-01\t\n+++ notes 2024-01-01\t\n" + change, after: tree{"notes 2024-01-01": changed}, programs: []string{gitApply, patch0}},
		{name: "svn", before: []string{"src/f"}, patch: "Index: src/f\n=====\n--- src/f\t(revision 7)\n+++ src/f\t(working copy)\n" + change, after: tree{"src/f": changed}, programs: []string{patch0}},
		{name: "quoted", before: []string{"d/ä\tf"}, patch: "diff --git \"a/d/\\303\\244\\tf\" \"b/d/\\303\\244\\tf\"\n--- \"a/d/\\303\\244\\tf\"\n+++ \"b/d/\\303\\244\\tf\"\n" + change, after: tree{"d/ä\tf": changed}, programs: []string{gitApply, patch1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := tree{}
			for _, name := range test.before {
				before[name] = numbers
			}
			_, after, err := run(t, before, test.patch)
			if err != nil || !maps.Equal(after, test.after) {
				t.Errorf("got  %q, %v\nwant %q", after, err, test.after)
			}
			for _, program := range test.programs {
				if got := byProgram(t, program, before, test.patch); !maps.Equal(got, test.after) {
					t.Errorf("%s: got %q", program, got)
				}
			}
		})
	}
}

// byProgram applies a patch with a command, and returns the files afterwards.
func byProgram(t *testing.T, command string, before tree, patch string) tree {
	t.Helper()
	words := strings.Fields(command)
	words[0] = testprogram.Path(t, words[0])
	root := t.TempDir()
	for name, content := range before {
		writeFile(t, filepath.Join(root, name), content)
	}
	if words[1] == "-p0" || words[1] == "-p1" {
		words = append(words, "--force", "--silent", "--no-backup-if-mismatch")
	}
	c := exec.Command(words[0], words[1:]...)
	c.Dir, c.Stdin = root, strings.NewReader(patch)
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s", command, err, out)
	}
	return readTree(t, root)
}

// A patch that deletes a file is refused if the file has other lines than the patch deletes.
func TestDeletedFileHasOtherLines(t *testing.T) {
	for _, header := range []string{
		"diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n",
		"--- a/f\n+++ /dev/null\n",
		"--- f" + times + "+++ f" + epoch,
	} {
		before := tree{"f": numbers + "4\n"}
		_, after, err := run(t, before, header+empty)
		if err == nil || !strings.Contains(err.Error(), "patch: f: the patch deletes the file, but not all of its lines; read the file again; nothing was changed") || !maps.Equal(after, before) {
			t.Errorf("got %v and %q after\n%s", err, after, header)
		}
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// readTree returns the files below a directory.
func readTree(t *testing.T, root string) tree {
	t.Helper()
	files := tree{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(root, name))
		files[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
