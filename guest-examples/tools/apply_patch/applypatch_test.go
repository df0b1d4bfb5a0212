package applypatch

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/internal/tooltest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

type tree map[string]string

// run applies a patch to a workspace and returns the output and the workspace
// afterwards.
func run(t *testing.T, before tree, patch string) (text string, after tree, err error) {
	t.Helper()
	root := t.TempDir()
	for name, content := range before {
		writeFile(t, filepath.Join(root, name), content)
	}
	var out strings.Builder
	err = Run(workspace.OpenDir(root), Args{Patch: patch}, &out)
	return tooltest.Parse(t, out.String()).Text(), readTree(t, root), err
}

func envelopeOf(lines ...string) string {
	return "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
}

const code = "package a\n\nfunc f() {\n\tg(1)\n\th()\n}\n\nfunc k() {\n\tg(1)\n\th()\n}\n"

func TestRun(t *testing.T) {
	for _, test := range []struct {
		name   string
		before tree
		patch  string
		after  tree
		text   string // the complete output, or parts that the output must contain
	}{
		{
			"envelope: add, update, delete, move",
			tree{"a.txt": "one\ntwo\nthree\n", "old.txt": "x\n", "from.txt": "m\nn\n"},
			envelopeOf("*** Add File: d/new.txt", "+first", "+", "+third", "*** Update File: a.txt", "@@", " one", "-two", "+2", "+2b", " three",
				"*** Delete File: /workspace/old.txt", "*** Update File: from.txt", "*** Move to: d/to.txt", "@@", "-m", "+M"),
			tree{"a.txt": "one\n2\n2b\nthree\n", "d/new.txt": "first\n\nthird\n", "d/to.txt": "M\nn\n"},
			"patched 4 files\nadded d/new.txt (3 lines)\nupdated a.txt (1 hunk, +2 -1)\ndeleted old.txt\nmoved from.txt to d/to.txt (1 hunk, +1 -1)\n",
		},
		{"envelope: text around it", tree{"a": "x\n"}, "Here is the patch:\n```\n" + envelopeOf("*** Update File: a", "-x", "+y") + "```\n", tree{"a": "y\n"}, "updated a"},
		{"envelope: @@ picks the place", tree{"a.go": code}, envelopeOf("*** Update File: a.go", "@@ func k() {", "-\tg(1)", "+\tg(2)", " \th()"), tree{"a.go": strings.Replace(code, "k() {\n\tg(1)", "k() {\n\tg(2)", 1)}, "1 hunk"},
		{"envelope: @@ is a part of the line", tree{"a.go": code}, envelopeOf("*** Update File: a.go", "@@ func k()", "-\tg(1)", "+\tg(2)"), tree{"a.go": strings.Replace(code, "k() {\n\tg(1)", "k() {\n\tg(2)", 1)}, ""},
		{"envelope: two @@", tree{"a": "class A\n def f\n  x\nclass B\n def f\n  x\n"}, envelopeOf("*** Update File: a", "@@ class B", "@@ def f", "-  x", "+  y"), tree{"a": "class A\n def f\n  x\nclass B\n def f\n  y\n"}, ""},
		{"envelope: two hunks", tree{"a": "1\n2\n3\n4\n5\n"}, envelopeOf("*** Update File: a", "@@", " 1", "-2", "@@", "-4", "+four", " 5"), tree{"a": "1\n3\nfour\n5\n"}, "2 hunks, +1 -2"},
		{"envelope: blank lines between parts", tree{"a": "1\n2\n", "b": "1\n"}, envelopeOf("*** Add File: c", "+c", "", "*** Update File: a", "@@", "-1", "+one", "", "*** Update File: b", "@@", "-1", "+one", ""), tree{"a": "one\n2\n", "b": "one\n", "c": "c\n"}, ""},
		{"envelope: lines added at the end", tree{"a": "1\n"}, envelopeOf("*** Update File: a", "@@", "+2", "*** End of File"), tree{"a": "1\n2\n"}, ""},
		{"envelope: End of File picks the last", tree{"a": "x\ny\nx\n"}, envelopeOf("*** Update File: a", "@@", "-x", "+z", "*** End of File"), tree{"a": "x\ny\nz\n"}, ""},
		{"envelope: unified head", tree{"a.go": code}, envelopeOf("*** Update File: a.go", "@@ -8,2 +8,2 @@ func k() {", "-\tg(1)", "+\tg(2)"), tree{"a.go": strings.Replace(code, "k() {\n\tg(1)", "k() {\n\tg(2)", 1)}, ""},
		{"envelope: move alone", tree{"a": "x\x00"}, envelopeOf("*** Update File: a", "*** Move to: b/a"), tree{"b/a": "x\x00"}, "moved a to b/a\n"},
		{"envelope: empty context line", tree{"a": "1\n\n2\n"}, envelopeOf("*** Update File: a", "@@", " 1", "", "-2", "+3"), tree{"a": "1\n\n3\n"}, ""},
		{"envelope: CRLF in the patch", tree{"a": "1\n2\n"}, strings.ReplaceAll(envelopeOf("*** Update File: a", "@@", "-1", "+one"), "\n", "\r\n"), tree{"a": "one\n2\n"}, ""},
		{"envelope: $& is text", tree{"a": "1\n"}, envelopeOf("*** Update File: a", "@@", "-1", "+$& \\1 “q”"), tree{"a": "$& \\1 “q”\n"}, ""},

		{"white space at line ends", tree{"a": "1  \n2\n3\n"}, envelopeOf("*** Update File: a", "@@", " 1", "-2", "+two"), tree{"a": "1  \ntwo\n3\n"}, "updated a (1 hunk, +1 -1)\n(hunk 1, at line 1, matched except for white space)\n"},
		{"indentation", tree{"a.go": code}, envelopeOf("*** Update File: a.go", "@@ func k() {", "     g(1)", "-    h()", "+    if x {", "+        h()", "+    }"), tree{"a.go": "package a\n\nfunc f() {\n\tg(1)\n\th()\n}\n\nfunc k() {\n\tg(1)\n\tif x {\n\t    h()\n\t}\n}\n"}, "hunk 1, at line 9, matched except for white space"},

		{"CRLF", tree{"a": "1\r\n2\r\n3\r\n"}, envelopeOf("*** Update File: a", "@@", " 1", "-2", "+two", "+2b"), tree{"a": "1\r\ntwo\r\n2b\r\n3\r\n"}, ""},
		{"CRLF, delete", tree{"a": "1\r\n2\r\n3\r\n"}, envelopeOf("*** Update File: a", "@@", "-2"), tree{"a": "1\r\n3\r\n"}, ""},
		{"CRLF, at the start and the end", tree{"a": "1\r\n2\r\n"}, "--- a\n+++ a\n@@ -0,0 +1 @@\n+0\n@@ -2,0 +4 @@\n+3\n", tree{"a": "0\r\n1\r\n2\r\n3\r\n"}, ""},
		{"mixed line ends", tree{"a": "1\r\n2\n3\r\n"}, envelopeOf("*** Update File: a", "@@", " 1", "-2", "+two", " 3"), tree{"a": "1\r\ntwo\n3\r\n"}, ""},
		{"byte order mark", tree{"a": "\xef\xbb\xbf1\n"}, envelopeOf("*** Update File: a", "@@", "-1", "+é"), tree{"a": "\xef\xbb\xbfé\n"}, ""},
		{"UTF-16", tree{"a": "\xff\xfe1\x00\r\x00\n\x00"}, envelopeOf("*** Update File: a", "@@", "-1", "+ü"), tree{"a": "\xff\xfe\xfc\x00\r\x00\n\x00"}, ""},
		{"GBK", tree{"a": "\xc4\xe3\xba\xc3\r\nport = 80\r\n"}, envelopeOf("*** Update File: a", "@@", "-port = 80", "+port = 81"), tree{"a": "\xc4\xe3\xba\xc3\r\nport = 81\r\n"}, ""},
		{"Latin-1", tree{"a": "caf\xe9\n1\n"}, envelopeOf("*** Update File: a", "@@", "-1", "+2"), tree{"a": "caf\xe9\n2\n"}, ""},
		{"no line feed at the end stays", tree{"a": "1\n2"}, envelopeOf("*** Update File: a", "@@", "-2", "+two"), tree{"a": "1\ntwo"}, ""},
		{"no line feed at the end stays after a change above", tree{"a": "1\n2\n3"}, envelopeOf("*** Update File: a", "@@", "-1", "+one"), tree{"a": "one\n2\n3"}, ""},
		{"no line feed at the end stays after a change before the last line", tree{"a": "1\n2\n3"}, envelopeOf("*** Update File: a", "@@", "-2", " 3"), tree{"a": "1\n3"}, ""},
		{"no line feed at the end stays after an added line", tree{"a": "1\r\n2"}, envelopeOf("*** Update File: a", "@@", " 2", "+3", "*** End of File"), tree{"a": "1\r\n2\r\n3"}, ""},
		{"no line feed at the end stays in UTF-16", tree{"a": "\xff\xfe1\x00\n\x002\x00"}, envelopeOf("*** Update File: a", "@@", "-1", "+3"), tree{"a": "\xff\xfe3\x00\n\x002\x00"}, ""},
		{"the last line goes, and the line feed before it stays", tree{"a": "1\n2"}, envelopeOf("*** Update File: a", "@@", " 1", "-2"), tree{"a": "1\n"}, ""},
		{"line feed at the end stays if the patch has only lost it in a kept line", tree{"a": "1\n2\n"}, "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n\\ No newline at end of file\n", tree{"a": "one\n2\n"}, ""},

		{
			"git: update, new, deleted, renamed",
			tree{"src/a.txt": "1\n2\n3\n", "gone.txt": "x\n", "old name.txt": "m\nn\n"},
			"From 0123 Mon Sep 17\nSubject: text\n\ndiff --git a/src/a.txt b/src/a.txt\nindex 1..2 100644\n--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1,3 +1,3 @@ head\n 1\n-2\n+two\n 3\n" +
				"diff --git a/new.txt b/new.txt\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n" +
				"diff --git a/empty b/empty\nnew file mode 100644\nindex 0..0\n" +
				"diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n" +
				"diff --git a/old name.txt b/new name.txt\nsimilarity index 50%\nrename from old name.txt\nrename to new name.txt\n--- a/old name.txt\t\n+++ b/new name.txt\t\n@@ -1,2 +1,2 @@\n-m\n+M\n n\n-- \n2.40.0\n",
			tree{"src/a.txt": "1\ntwo\n3\n", "new.txt": "a\nb", "empty": "", "new name.txt": "M\nn\n"},
			"patched 5 files\nupdated src/a.txt (1 hunk, +1 -1)\nadded new.txt (1 line)\nadded empty (0 lines)\ndeleted gone.txt\nmoved old name.txt to new name.txt (1 hunk, +1 -1)\n",
		},
		{"git: rename alone", tree{"a": "x"}, "diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n", tree{"b": "x"}, "moved a to b\n"},
		{"git: no prefixes", tree{"src/a": "1\n"}, "diff --git src/a src/a\n--- src/a\n+++ src/a\n@@ -1 +1 @@\n-1\n+2\n", tree{"src/a": "2\n"}, ""},
		{"git: a directory named a", tree{"a/x": "1\n"}, "diff --git a/a/x b/a/x\n--- a/a/x\n+++ b/a/x\n@@ -1 +1 @@\n-1\n+2\n", tree{"a/x": "2\n"}, ""},
		{"git: quoted name", tree{"a\tb": "1\n"}, "diff --git \"a/a\\tb\" \"b/a\\tb\"\n--- \"a/a\\tb\"\n+++ \"b/a\\tb\"\n@@ -1 +1 @@\n-1\n+2\n", tree{"a\tb": "2\n"}, ""},
		{"plain with times", tree{"x.c": "1\n2\n"}, "--- x.c\t2024-01-01 00:00:00\n+++ x.c\t2024-01-02 00:00:00\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n", tree{"x.c": "one\n2\n"}, ""},
		{"wrong numbers of lines", tree{"a": "1\n2\n3\n"}, "--- a/a\n+++ b/a\n@@ -1,99 +1,7 @@\n 1\n-2\n+two\n 3\n", tree{"a": "1\ntwo\n3\n"}, ""},
		{"wrong place", tree{"a": "0\n0\n1\n2\n"}, "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n", tree{"a": "0\n0\none\n2\n"}, "(hunk 1 was found at line 3, not at 1)"},
		{"the nearest of several", tree{"a": "x\n-\n-\nx\n-\n-\nx\n"}, "--- a/a\n+++ b/a\n@@ -5 +5 @@\n-x\n+y\n", tree{"a": "x\n-\n-\ny\n-\n-\nx\n"}, "found at line 4, not at 5"},
		{"hunks move one another", tree{"a": "1\n2\nx\nx\n"}, "--- a/a\n+++ b/a\n@@ -1 +1,3 @@\n-1\n+a\n+b\n+c\n@@ -4 +6 @@\n-x\n+y\n", tree{"a": "a\nb\nc\n2\nx\ny\n"}, ""},
		{"a deleted line that looks like a head", tree{"a": "-- x\n1\n"}, "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n--- x\n+++ y\n 1\n", tree{"a": "++ y\n1\n"}, ""},
		{"line feed at the end is added", tree{"a": "1"}, "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n\\ No newline at end of file\n+1\n", tree{"a": "1\n"}, ""},
		{"line feed at the end is taken", tree{"a": "1\n"}, "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+1\n\\ No newline at end of file\n", tree{"a": "1"}, ""},
		{"emptied", tree{"a": "1\n"}, "--- a/a\n+++ b/a\n@@ -1 +0,0 @@\n-1\n", tree{"a": ""}, ""},
		{"into an empty file", tree{"a": ""}, "--- a/a\n+++ b/a\n@@ -0,0 +1 @@\n+1\n", tree{"a": "1\n"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, after, err := run(t, test.before, test.patch)
			if err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(after, test.after) {
				t.Errorf("got  %q\nwant %q", after, test.after)
			}
			if !strings.Contains(text, test.text) {
				t.Errorf("got\n%s\nwant it to contain\n%s", text, test.text)
			}
		})
	}
}

func TestRun_allOrNothing(t *testing.T) {
	before := tree{"a.txt": "1\n2\n1\n", "b.txt": "x\n", "bin": "\x00\x01", "latin1": "\xe9\n", "d/e": "e\n"}
	good := "*** Update File: b.txt\n@@\n-x\n+y\n"
	for _, test := range []struct{ name, patch, want string }{
		{"empty", " \n", "the argument \"patch\" is empty"},
		{"no patch", "hello\n", `patch: the patch is neither "*** Begin Patch"`},
		{"cut", "*** Begin Patch\n" + good, `patch: the patch is incomplete: its last line must be "*** End Patch"`},
		{"no file", envelopeOf(), "patch: the patch changes no file"},
		{"text before the first file", envelopeOf("x"), `patch: line 2: "x" precedes the first`},
		{"no sign", envelopeOf("*** Update File: b.txt", "@@", "x"), `line 4: "x": each line of a change must begin with " " (keep), "-" (delete) or "+" (add)`},
		{"added without a plus", envelopeOf("*** Add File: n", "x"), `line 3: "x": each line of an added file must begin with "+"`},
		{"added with an empty line between", envelopeOf("*** Add File: n", "+x", "", "+y"), `line 5: "+y": each line of an added file must begin with "+"; write "+" alone for an empty line`},
		{"@@ without lines", envelopeOf("*** Update File: b.txt", "@@"), `an "@@" line without lines after it`},
		{"no changes", envelopeOf("*** Update File: b.txt"), "the part for b.txt has no changes"},
		{"missing line", envelopeOf(good+"*** Update File: a.txt", "@@", "-3", "+4"), `patch: a.txt: hunk 1: the line "3" is not in the file; read the file and copy its lines exactly; nothing was changed`},
		{"several places", envelopeOf(good+"*** Update File: a.txt", "@@", "-1", "+4"), "a.txt: hunk 1: the lines of the hunk occur in 2 places, at lines 1, 3; add more lines around the change"},
		{"missing mark", envelopeOf(good+"*** Update File: a.txt", "@@ func", "-1", "+4"), `the line "func" after @@ is not in the file`},
		{"other order", envelopeOf(good+"*** Update File: a.txt", "@@", "-1", "-1"), "the lines of the hunk are in the file, but not in this order"},
		{"hunks in the wrong order", envelopeOf("*** Update File: a.txt", "@@", "-2", "-1", "+x", "@@", " 1", "+0"), "hunk 2: "},
		{"missing file", envelopeOf(good+"*** Update File: c.txt", "@@", "-1", "+4"), "patch: c.txt does not exist in the workspace; did you mean a.txt or b.txt?; nothing was changed"},
		{"delete a missing file", envelopeOf(good + "*** Delete File: c.txt"), "patch: c.txt does not exist"},
		{"add over a file", envelopeOf(good+"*** Add File: a.txt", "+x"), "patch: a.txt exists, so the patch can't add it; update it instead"},
		{"move over a file", envelopeOf("*** Update File: b.txt", "*** Move to: a.txt", "@@", "-x", "+y"), "patch: a.txt exists, so the patch can't move b.txt there"},
		{"twice", envelopeOf(good + "*** Delete File: ./b.txt"), "patch: the patch has two parts for b.txt"},
		{"outside", envelopeOf(good+"*** Add File: ../x", "+x"), "patch: ../x is outside the workspace"},
		{"absolute", envelopeOf(good+"*** Add File: /etc/x", "+x"), "patch: /etc/x is outside the workspace"},
		{"directory", envelopeOf(good + "*** Delete File: d"), "patch: d is a directory"},
		{"binary", envelopeOf(good+"*** Update File: bin", "@@", "-1", "+x"), "patch: bin: the file has binary content of 2 bytes; apply_patch changes only text files"},
		{"unknown encoding", envelopeOf(good+"*** Update File: latin1", "@@", "+é"), "hunk 1: the hunk adds the character 'é'"},
		{"stays as it is", envelopeOf("*** Update File: b.txt", "@@", "-x", "+x"), "patch: the part for b.txt changes nothing"},
		{"too many files", envelopeOf(strings.Repeat("*** Add File: x\n+\n", 101)), "the patch is for 101 files; patch at most 100"},

		// These patches fail while the files are written, after other files have been written.
		{"below a file that was added", envelopeOf("*** Update File: a.txt\n@@\n-2\n+two\n*** Add File: n/deep/er\n+1\n*** Delete File: d/e\n*** Add File: b.txt/c", "+x"), "patch: b.txt/c can't be written: b.txt is a file, not a directory; nothing was changed"},
		{"move below a file", envelopeOf("*** Update File: a.txt\n@@\n-2\n+two\n*** Update File: d/e", "*** Move to: b.txt/e", "@@", "-e", "+E"), "b.txt is a file, not a directory; nothing was changed"},

		{"hunk without a file", "@@ -1 +1 @@\n-1\n+2\n", "patch: line 1: a hunk precedes the names of its file"},
		{"names without a hunk", "--- a/a.txt\n+++ b/a.txt\n", "patch: line 1: no hunk follows"},
		{"bad head of a hunk", "--- a/a.txt\n+++ b/a.txt\n@@ -x @@\n-1\n", `patch: line 3: "@@ -x @@" is not the first line of a hunk`},
		{"git binary", "diff --git a/bin b/bin\nindex 1..2\nGIT binary patch\nliteral 3\n", "line 3: the patch changes a binary file; apply_patch changes only text files"},
		{"mode alone", "diff --git a/b.txt b/b.txt\nold mode 100644\nnew mode 100755\n", "the patch changes the mode of b.txt; apply_patch can't change modes"},
		{"copy", "diff --git a/b.txt b/c.txt\nsimilarity index 100%\ncopy from b.txt\ncopy to c.txt\n", "the patch copies a file"},
		{"behind the end", "--- a/b.txt\n+++ b/b.txt\n@@ -9,0 +10 @@\n+x\n", "the hunk adds lines after line 9, but the file has only 1 lines"},
		{"new file with context", "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n x\n", `n is a new file; all its lines must begin with "+"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, after, err := run(t, before, test.patch)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
			if text != "" || !maps.Equal(after, before) {
				t.Errorf("the output is %q and the workspace %q", text, after)
			}
		})
	}
}

// A moved file keeps its permissions, because the file is renamed and not copied.
func TestRun_moveKeepsTheMode(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.sh"), []byte("x\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Run(workspace.OpenDir(root), Args{Patch: envelopeOf("*** Update File: a.sh", "*** Move to: b.sh")}, &out); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(root, "b.sh"))
	if err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("got %v, %v", info, err)
	}
}

func TestRun_large(t *testing.T) {
	var lines, patch strings.Builder
	for i := range 100000 {
		fmt.Fprintf(&lines, "line %d\n", i)
	}
	patch.WriteString("--- a/a\n+++ b/a\n")
	for i := 0; i < 100000; i += 2000 {
		fmt.Fprintf(&patch, "@@ -%d +%d @@\n-line %d\n+row %d\n", i+1, i+1, i, i)
	}
	text, after, err := run(t, tree{"a": lines.String()}, patch.String())
	if err != nil || !strings.Contains(text, "updated a (50 hunks, +50 -50)") || strings.Count(after["a"], "row") != 50 {
		t.Errorf("got %v and %q", err, text)
	}
}

func FuzzApplyPatch(f *testing.F) {
	f.Add([]byte("1\n2\n"), envelopeOf("*** Update File: a", "@@ 1", "-2", "+3", "*** End of File"))
	f.Add([]byte("1\r\n2"), "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+3\n")
	f.Add([]byte("\xff\xfe1\x00"), "--- a\n+++ a\n@@ -0,0 +1 @@\n+x\n")
	f.Add([]byte("\xe9 \n"), envelopeOf("*** Add File: b", "+x", "*** Update File: a", "*** Move to: c"))
	f.Fuzz(func(t *testing.T, data []byte, patch string) {
		if !utf8.ValidString(patch) {
			return
		}
		parts, err := parse(patch)
		for _, part := range parts {
			if part.kind != update {
				continue
			}
			content, _, mergeErr := merge(data, part.hunks)
			if mergeErr == nil && len(part.hunks) == 0 && string(content) != string(data) {
				t.Errorf("%q became %q without a hunk", data, content)
			}
			err = mergeErr
		}
		if err != nil && !utf8.ValidString(err.Error()) {
			t.Errorf("the error is not UTF-8: %q", err)
		}
	})
}

func TestRun_details(t *testing.T) {
	root := t.TempDir()
	for name, content := range (tree{"a": "1\n", "b": "1\n", "c": "1\n"}) {
		writeFile(t, filepath.Join(root, name), content)
	}
	patch := envelopeOf("*** Add File: d/n", "+x", "*** Update File: a", "-1", "+2", "*** Delete File: b", "*** Update File: c", "*** Move to: d/c", "-1", "+2")
	var out tooltest.Output
	if err := Run(workspace.OpenDir(root), Args{Patch: patch}, &out); err != nil {
		t.Fatal(err)
	}
	tooltest.SameJSON(t, out.Result().Structured, `{"files":[{"path":"d/n","change":"added"},{"path":"a","change":"updated"},`+
		`{"path":"b","change":"deleted"},{"path":"c","change":"moved","movedTo":"d/c"}]}`)
}
