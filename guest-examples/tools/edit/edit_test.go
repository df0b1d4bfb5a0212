package edit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/filehash"
	"github.com/wasmtool/wasmtool/guest-examples/internal/tooltest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

// run edits a.txt in a workspace and returns the output and the new content of the file.
func run(t *testing.T, content string, args Args) (out, after string, err error) {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.txt"), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	err = Run(workspace.OpenDir(root), args, &b)
	if entries, dirErr := os.ReadDir(root); dirErr != nil || err != nil && len(entries) != 1 {
		t.Errorf("something was left behind: %v, %v", entries, dirErr)
	}
	name := "a.txt"
	if args.OldString == "" {
		name = args.FilePath
	}
	got, readErr := os.ReadFile(filepath.Join(root, name))
	if err == nil && readErr != nil {
		t.Fatal(readErr)
	}
	return tooltest.Parse(t, b.String()).Text(), string(got), err
}

func TestRun(t *testing.T) {
	for _, test := range []struct {
		name  string
		args  Args
		out   string
		after string
	}{
		{
			"one",
			Args{FilePath: "/workspace/a.txt", OldString: "two", NewString: "2"},
			"edited a.txt: 1 replacement\n--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n", "one\n2\n",
		},
		{
			"all",
			Args{FilePath: "a.txt", OldString: "o", NewString: "$0", ReplaceAll: true},
			"edited a.txt: 2 replacements\n--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n-one\n+$0ne\n-two\n+tw$0\n", "$0ne\ntw$0\n",
		},
		{
			"new file",
			Args{FilePath: "x/b.txt", NewString: "b\n"},
			"created the directory x/\ncreated x/b.txt: 2 bytes, 1 line\n", "b\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, after, err := run(t, "one\ntwo\n", test.args)
			if err != nil {
				t.Fatal(err)
			}
			if after != test.after {
				t.Errorf("the file contains %q, want %q", after, test.after)
			}
			if out != test.out {
				t.Errorf("got\n%s\nwant\n%s", out, test.out)
			}
		})
	}
}

func TestRun_errors(t *testing.T) {
	for _, test := range []struct {
		name string
		args Args
		want string
	}{
		{"same", Args{FilePath: "a.txt", OldString: "one", NewString: "one"}, "new_string is the same as old_string; there is nothing to change"},
		{"create over a file", Args{FilePath: "a.txt", NewString: "x"}, "an empty old_string creates a file, but a.txt exists; give the text to replace, or use write"},
		{"missing file", Args{FilePath: "b.txt", OldString: "one"}, "file_path: b.txt does not exist in the workspace; did you mean a.txt?"},
		{"below a file", Args{FilePath: "a.txt/b", OldString: "one"}, "file_path: a.txt/b can't be read: a.txt is a file, not a directory"},
		{"directory", Args{FilePath: ".", OldString: "one"}, "file_path: . is a directory"},
		{"outside", Args{FilePath: "../a.txt", OldString: "one"}, "file_path: ../a.txt is outside the workspace"},
		{"not found", Args{FilePath: "a.txt", OldString: "One", NewString: "x"}, "old_string is not in a.txt; old_string would match at line 1 except for capitals"},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, after, err := run(t, "one\ntwo\n", test.args)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
			if out != "" || test.args.OldString != "" && after != "one\ntwo\n" {
				t.Errorf("the output is %q and the file contains %q", out, after)
			}
		})
	}
}

func TestRun_largestFile(t *testing.T) {
	fits := strings.Repeat("0123456789abcde\n", MaxSize/16-1) + "the last line\n12"
	if _, after, err := run(t, fits, Args{FilePath: "a.txt", OldString: "the last line", NewString: "the other line"}); err == nil || after != fits {
		t.Errorf("grown beyond the limit: got %v", err)
	}
	_, after, err := run(t, fits, Args{FilePath: "a.txt", OldString: "the last line", NewString: "a line"})
	if err != nil || !strings.HasSuffix(after, "\na line\n12") {
		t.Errorf("got %v, and the file ends in %q", err, after[len(after)-20:])
	}
	_, _, err = run(t, fits+"3", Args{FilePath: "a.txt", OldString: "the last line", NewString: "x"})
	if want := "file_path: a.txt has more than 10485760 bytes, the limit of this tool"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// The details of a created file are the details of the tool write, without replacements.
func TestRun_details(t *testing.T) {
	dir := workspace.OpenDir(t.TempDir())
	for _, test := range []struct {
		args        Args
		after, want string
	}{
		{Args{NewString: "one two two\n"}, "one two two\n", `"change":"created","size":12,"lineCount":1`},
		{Args{OldString: "two", NewString: "2", ReplaceAll: true}, "one 2 2\n", `"change":"edited","size":8,"lineCount":1,"replacements":2`},
	} {
		var out tooltest.Output
		test.args.FilePath = "a.txt"
		if err := Run(dir, test.args, &out); err != nil {
			t.Fatal(err)
		}
		want := `{"path":"a.txt",` + test.want + `,"fileHash":"` + filehash.Of([]byte(test.after)) + `"}`
		tooltest.SameJSON(t, out.Result().Structured, want)
	}
}
