package multiedit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/tooltest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
	"github.com/wasmtool/wasmtool/guest-examples/tools/edit"
)

const before = "\xef\xbb\xbfone\r\ntwo\r\n\tthree\r\n"

func run(t *testing.T, args Args) (text, after string, err error) {
	t.Helper()
	root := t.TempDir()
	file := filepath.Join(root, "a.txt")
	if err := os.WriteFile(file, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = Run(workspace.OpenDir(root), args, &out)
	got, readErr := os.ReadFile(file)
	if readErr != nil {
		t.Fatal(readErr)
	}
	return tooltest.Parse(t, out.String()).Text(), string(got), err
}

func TestRun(t *testing.T) {
	text, after, err := run(t, Args{
		FilePath: "/workspace/a.txt",
		FileHash: "2901fb0547a92958",
		Edits: []edit.Edit{
			{OldString: "one", NewString: "1\n$&"},
			{OldString: "1\n", NewString: "“1”\n"}, // matches the result of the first edit
			{OldString: "t", NewString: "T", ReplaceAll: true},
			{OldString: "  Three", NewString: "  3"}, // matches only if white space is ignored
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "\xef\xbb\xbf“1”\r\n$&\r\nTwo\r\n\t3\r\n"; after != want {
		t.Errorf("got %q, want %q", after, want)
	}
	want := "edited a.txt: 4 edits, 5 replacements\n" +
		"(edits[3]: old_string does not occur exactly; line 4 matched except for white space, and new_string got the indentation of the file)\n" +
		"--- a.txt\n+++ a.txt\n@@ -1,3 +1,4 @@\n-one\n+“1”\n+$&\n-two\n+Two\n-\tthree\n+\t3\n"
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

func TestRun_allOrNothing(t *testing.T) {
	good := edit.Edit{OldString: "one", NewString: "1"}
	for _, test := range []struct {
		name string
		args Args
		want string
	}{
		{"none", Args{FilePath: "a.txt"}, "the argument \"edits\" is empty"},
		{"too many", Args{FilePath: "a.txt", Edits: slices.Repeat([]edit.Edit{good}, MaxEdits+1)}, "the argument \"edits\" has 101 edits; make at most 100 edits in one call"},
		{"the second is missing", Args{FilePath: "a.txt", Edits: []edit.Edit{good, {OldString: "One", NewString: "x"}}}, "edits[1]: old_string is not in a.txt"},
		{"several places", Args{FilePath: "a.txt", Edits: []edit.Edit{good, {OldString: "t", NewString: "x"}}}, "edits[1]: old_string matches 2 places in a.txt"},
		{"empty", Args{FilePath: "a.txt", Edits: []edit.Edit{good, {NewString: "x"}}}, "edits[1]: old_string is empty"},
		{"stale", Args{FilePath: "a.txt", FileHash: "0123456789abcdef", Edits: []edit.Edit{good}}, "file_hash: a.txt has changed"},
		{"no file", Args{FilePath: "b.txt", Edits: []edit.Edit{good}}, "file_path: b.txt does not exist in the workspace; did you mean a.txt?"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, after, err := run(t, test.args)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
			if text != "" || after != before {
				t.Errorf("the output is %q and the file contains %q", text, after)
			}
		})
	}
}
