package write

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/internal/filehash"
	"github.com/wasmtool/wasmtool/guest-examples/internal/tooltest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

func TestRun(t *testing.T) {
	root := t.TempDir()
	dir := workspace.OpenDir(root)
	for _, test := range []struct {
		name, path, content, want string
	}{
		{"new", "a.txt", "one\ntwo\n", "created a.txt: 8 bytes, 2 lines\n"},
		{"longer", "/workspace/a.txt", "one\ntwo\nthree", "overwrote a.txt: 13 bytes, 3 lines (before: 8 bytes)\n"},
		{"same size", "a.txt", "one\ntwo\nTHREE", "overwrote a.txt: 13 bytes, 3 lines (before: 13 bytes)\n"},
		{"unchanged", "./a.txt", "one\ntwo\nTHREE", "unchanged: a.txt already has this content (13 bytes, 3 lines)\n"},
		{"emptied", "a.txt", "", "overwrote a.txt: 0 bytes, 0 lines (before: 13 bytes)\n"},
		{"directories", "x/y/z.txt", "z", "created the directory x/\ncreated the directory x/y/\ncreated x/y/z.txt: 1 byte, 1 line\n"},
		{"CRLF stays", "crlf.txt", "a\r\n", "created crlf.txt: 3 bytes, 1 line\n"},
		{"no mark is added", "ü \" %s.txt", "\ufeffä$&\\n", "created ü \" %s.txt: 9 bytes, 1 line\n"},
		{"odd name", "a\nb", "", "created \"a\\nb\": 0 bytes, 0 lines\n"},
		{"large", "large.txt", strings.Repeat("0123456\n", 1<<18), "created large.txt: 2097152 bytes, 262144 lines\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			if err := Run(dir, Args{FilePath: test.path, Content: test.content}, &out); err != nil {
				t.Fatal(err)
			}
			if got := tooltest.Parse(t, out.String()); got.Text() != test.want || got.Metadata["size"] != float64(len(test.content)) {
				t.Errorf("got %+v, want %q and the size", got, test.want)
			}
			got, err := os.ReadFile(filepath.Join(root, strings.TrimPrefix(test.path, workspace.Mount)))
			if err != nil || string(got) != test.content {
				t.Errorf("the file contains %.100q, %v", got, err)
			}
		})
	}
}

func TestRun_details(t *testing.T) {
	dir := workspace.OpenDir(t.TempDir())
	for _, test := range []struct{ content, want string }{
		{"one\ntwo", `"change":"created","size":7,"lineCount":2`},
		{"one\n", `"change":"overwritten","size":4,"lineCount":1`},
		{"one\n", `"change":"unchanged","size":4,"lineCount":1`},
		{"", `"change":"overwritten","size":0,"lineCount":0`},
	} {
		var out tooltest.Output
		if err := Run(dir, Args{FilePath: "d/a.txt", Content: test.content}, &out); err != nil {
			t.Fatal(err)
		}
		want := `{"path":"d/a.txt",` + test.want + `,"fileHash":"` + filehash.Of([]byte(test.content)) + `"}`
		tooltest.SameJSON(t, out.Result().Structured, want)
	}
}

func TestRun_keepsAnEqualFile(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "a.txt")
	if err := os.WriteFile(file, []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	past := time.Unix(1e9, 0)
	if err := os.Chtimes(file, past, past); err != nil {
		t.Fatal(err)
	}
	if err := Run(workspace.OpenDir(root), Args{FilePath: "a.txt", Content: "a"}, &strings.Builder{}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || !info.ModTime().Equal(past) {
		t.Errorf("the file was written: %v, %v", info, err)
	}
}

func TestRun_errors(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"":            "the argument \"file_path\" is empty",
		".":           "file_path: . is a directory",
		"new/":        "file_path: new/ is a directory",
		"../x":        "file_path: ../x is outside the workspace",
		"/etc/passwd": "file_path: /etc/passwd is outside the workspace",
		"file/below":  "file_path: file/below can't be written: file is a file, not a directory",
	} {
		err := Run(workspace.OpenDir(root), Args{FilePath: path, Content: "x"}, &strings.Builder{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", path, err, want)
		}
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) != 1 {
		t.Errorf("something was left behind: %v, %v", entries, err)
	}
}
