package read

import (
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/internal/filehash"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/tooltest"
)

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

// readText calls the tool and returns the text of its result.
func readText(t *testing.T, fsys fs.FS, args Args) (string, error) {
	t.Helper()
	var out strings.Builder
	err := Run(fsys, args, &out)
	if err != nil && out.Len() > 0 {
		t.Errorf("got output %q in addition to the error", out.String())
	}
	return tooltest.Parse(t, out.String()).Text(), err
}

var tree = fstest.MapFS{
	"three.txt":   {Data: []byte("one\ntwo\nthree\n")},
	"noend.txt":   {Data: []byte("one\n\nthree")},
	"crlf.txt":    {Data: []byte("one\r\ntwo\r\n")},
	"utf16.txt":   {Data: []byte("\xff\xfeh\x00i\x00")},
	"bom.txt":     {Data: []byte("\xef\xbb\xbfhi\n")},
	"latin1.txt":  {Data: []byte("caf\xe9\nab\n")},
	"empty.txt":   {},
	"big.txt":     {Data: []byte(lines(5000))},
	"wide.txt":    {Data: []byte(strings.Repeat("ä", 2500) + "\nnext\n")},
	"fat.txt":     {Data: []byte(strings.Repeat(strings.Repeat("x", 999)+"\n", 300))},
	"huge.txt":    {Data: []byte(strings.Repeat("y", 3<<20))},
	"image.png":   {Data: []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")},
	"binary":      {Data: []byte("a\x00b")},
	"dir/b.txt":   {},
	"dir/a/c.txt": {},
	"dir/.env":    {},
	"pipe":        {Mode: fs.ModeNamedPipe},
	"dangling":    {Mode: fs.ModeSymlink, Data: []byte("gone.txt")},
}

func TestRun(t *testing.T) {
	tests := []struct {
		name string
		args Args
		want string
	}{
		{"whole", Args{FilePath: "three.txt"}, "     1\tone\n     2\ttwo\n     3\tthree\n"},
		{"absolute", Args{FilePath: "/workspace/dir/../three.txt", Offset: 3}, "     3\tthree\n\n(showing lines 3-3 of 3)\n"},
		{"page", Args{FilePath: "three.txt", Offset: 2, Limit: 1}, "     2\ttwo\n\n(showing lines 2-2 of 3; continue with offset=3)\n"},
		{"limit beyond the end", Args{FilePath: "three.txt", Limit: 100000}, "     1\tone\n     2\ttwo\n     3\tthree\n"},
		{"last line without an end", Args{FilePath: "noend.txt"}, "     1\tone\n     2\t\n     3\tthree\n"},
		{"last line without an end is counted", Args{FilePath: "noend.txt", Limit: 2}, "     1\tone\n     2\t\n\n(showing lines 1-2 of 3; continue with offset=3)\n"},
		{"CRLF", Args{FilePath: "crlf.txt"}, "     1\tone\n     2\ttwo\n"},
		{"UTF-16", Args{FilePath: "utf16.txt"}, "     1\thi\n"},
		{"byte order mark", Args{FilePath: "bom.txt"}, "     1\thi\n"},
		{"invalid UTF-8", Args{FilePath: "latin1.txt"}, "     1\tcaf\uFFFD\n     2\tab\n\n(not UTF-8; invalid bytes are shown as \uFFFD)\n"},
		{"page of invalid UTF-8", Args{FilePath: "latin1.txt", Limit: 1}, "     1\tcaf\uFFFD\n\n(not UTF-8; invalid bytes are shown as \uFFFD)\n\n(showing lines 1-1 of 2; continue with offset=2)\n"},
		{"valid page of invalid UTF-8", Args{FilePath: "latin1.txt", Offset: 2}, "     2\tab\n\n(showing lines 2-2 of 2)\n"},
		{"empty", Args{FilePath: "empty.txt"}, "(empty.txt is empty)\n"},
		{"long line", Args{FilePath: "wide.txt"}, "     1\t" + strings.Repeat("ä", 2000) + " … (line cut after 2000 characters; it has 5000 bytes)\n     2\tnext\n"},
		{"one line of 3 MiB", Args{FilePath: "huge.txt"}, "     1\t" + strings.Repeat("y", 2000) + " … (line cut after 2000 characters; it has 3145728 bytes)\n"},
		{"directory", Args{FilePath: "dir"}, ".env\na/\nb.txt\n"},
		{"page of a directory", Args{FilePath: "dir", Offset: 2, Limit: 1}, "a/\n\n(showing entries 2-2 of 3; continue with offset=3)\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := readText(t, tree, test.args)
			if err != nil {
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("got:\n%.300s\nwant:\n%.300s", got, test.want)
			}
		})
	}
}

func TestRun_defaultLimit(t *testing.T) {
	got, err := readText(t, tree, Args{FilePath: "big.txt"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "  2000\tline 2000\n\n(showing lines 1-2000 of 5000; continue with offset=2001)\n"; !strings.HasSuffix(got, want) {
		t.Errorf("ends in %q, want %q", got[len(got)-100:], want)
	}
}

// The pages of a file that is larger than one page follow each other without a gap.
func TestRun_outputLimit(t *testing.T) {
	args, seen := Args{FilePath: "fat.txt"}, 0
	for range 10 {
		got, err := readText(t, tree, args)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) > MaxOutput+200 {
			t.Fatalf("a page has %d bytes", len(got))
		}
		seen += strings.Count(got, "\tx")
		_, rest, more := strings.Cut(got, "continue with offset=")
		if !more {
			break
		}
		if _, err := fmt.Sscanf(rest, "%d", &args.Offset); err != nil {
			t.Fatal(err)
		}
	}
	if seen != 300 {
		t.Errorf("saw %d lines in all, want 300", seen)
	}
}

func TestRun_errors(t *testing.T) {
	tests := []struct {
		name string
		args Args
		want string
	}{
		{"past the end", Args{FilePath: "three.txt", Offset: 4}, "offset 4 is too large: the last line of three.txt is 3"},
		{"past the end by far", Args{FilePath: "three.txt", Offset: 1<<63 - 1}, "the last line of three.txt is 3"},
		{"past the end of a directory", Args{FilePath: "dir", Offset: 4}, "offset 4 is too large: the directory dir has 3 entries"},
		{"negative offset", Args{FilePath: "three.txt", Offset: -1}, "the argument \"offset\" is -1; it must be at least 1, the number of the first line"},
		{"negative limit", Args{FilePath: "three.txt", Limit: -1}, "the argument \"limit\" is -1; it must be at least 1"},
		{"missing", Args{FilePath: "tree.txt"}, "file_path: tree.txt does not exist in the workspace; did you mean three.txt?"},
		{"binary", Args{FilePath: "image.png"}, "file_path: image.png can't be shown: it begins like a PNG image but is damaged: unexpected EOF"},
		{"other binary", Args{FilePath: "binary"}, "file_path: binary is a binary file of 3 bytes; read shows only text, images (PNG, JPEG, GIF, WebP) and the text of PDF files"},
		{"outside", Args{FilePath: "../secret"}, "file_path: ../secret is outside the workspace; give a path relative to the workspace or under /workspace"},
		{"path of the host", Args{FilePath: "/home/me/a.txt"}, "file_path: /home/me/a.txt is outside the workspace; paths of the host are not available, so give the path relative to the workspace or under /workspace"},
		{"dangling link", Args{FilePath: "dangling"}, "file_path: dangling is a link to gone.txt, which does not exist"},
		{"NUL", Args{FilePath: "a\x00b"}, "the argument \"file_path\" contains a NUL byte, which a path can't have"},
		{"no path", Args{}, "the argument \"file_path\" is empty; give a path relative to the workspace or under /workspace"},
		{"pipe", Args{FilePath: "pipe"}, "file_path: pipe is neither a regular file nor a directory"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := readText(t, tree, test.args)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestRun_emptyDirectory(t *testing.T) {
	if got, err := readText(t, os.DirFS(t.TempDir()), Args{FilePath: "."}); err != nil || got != "(. is an empty directory)\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

func FuzzRun(f *testing.F) {
	f.Add([]byte("a\nb\r\n"), 1, 2)
	f.Add([]byte("\xff\xfea\x00\n\x00"), 2, 1)
	f.Add([]byte("\xef\xbb\xbf\xff\n\n"), 0, 0)
	f.Add([]byte(strings.Repeat("x", 9000)), 1, 1)
	f.Fuzz(func(t *testing.T, data []byte, offset, limit int) {
		fsys := fstest.MapFS{"f": {Data: data}}
		args := Args{FilePath: "f", Offset: toolabi.Int(offset), Limit: toolabi.Int(limit)}
		got, err := readText(t, fsys, args)
		if err != nil {
			return
		}
		if !utf8.ValidString(got) {
			t.Errorf("output is not UTF-8: %q", got)
		}
		if len(got) > MaxOutput+10*MaxLineChars {
			t.Errorf("output has %d bytes", len(got))
		}
	})
}

func TestRun_links(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "target.txt"), []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target.txt", filepath.Join(dir, "link.txt")); err != nil {
		t.Skip("no links here:", err)
	}
	if err := os.Symlink("loop", filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	if got, err := readText(t, os.DirFS(dir), Args{FilePath: "link.txt"}); err != nil || got != "     1\thello\n" {
		t.Errorf("got %q, %v", got, err)
	}
	_, err := readText(t, os.DirFS(dir), Args{FilePath: "loop"})
	if err == nil || strings.Contains(err.Error(), dir) {
		t.Errorf("got %v, want an error without the path on the host", err)
	}
}

func TestRun_metadata(t *testing.T) {
	for _, test := range []struct {
		args Args
		want map[string]any
	}{
		{Args{FilePath: "/workspace/three.txt"}, map[string]any{"path": "three.txt", "lines": 3., "truncated": false, "file_hash": filehash.Of(tree["three.txt"].Data)}},
		{Args{FilePath: "three.txt", Offset: 2, Limit: 1}, map[string]any{"path": "three.txt", "lines": 3., "truncated": true, "file_hash": filehash.Of(tree["three.txt"].Data)}},
		{Args{FilePath: "utf16.txt"}, map[string]any{"path": "utf16.txt", "lines": 1., "truncated": false, "file_hash": filehash.Of(tree["utf16.txt"].Data)}},
		{Args{FilePath: "empty.txt"}, map[string]any{"path": "empty.txt", "lines": 0., "file_hash": filehash.Of(nil)}},
		{Args{FilePath: "fat.txt"}, map[string]any{"path": "fat.txt", "lines": 300., "truncated": true, "file_hash": filehash.Of(tree["fat.txt"].Data)}},
		{Args{FilePath: "dir"}, map[string]any{"path": "dir", "entries": 3., "truncated": false}},
	} {
		var out strings.Builder
		if err := Run(tree, test.args, &out); err != nil {
			t.Fatal(err)
		}
		if got := tooltest.Parse(t, out.String()).Metadata; !maps.Equal(got, test.want) {
			t.Errorf("%+v: got %v, want %v", test.args, got, test.want)
		}
	}
}

// The details of each kind of file, for programs.
func TestRun_details(t *testing.T) {
	picture := encoded(t, func(w io.Writer) error { return png.Encode(w, image.NewGray(image.Rect(0, 0, 3, 2))) })
	lineHash := filehash.Of([]byte("one\ntwo\nthree\n"))
	fsys := fstest.MapFS{
		"a.txt": {Data: []byte("one\ntwo\nthree\n")}, "empty": {}, "dir/b": {}, "none": {Mode: fs.ModeDir}, "logo.png": {Data: picture},
	}
	for arguments, want := range map[string]string{
		`{"file_path":"a.txt"}`:                      `{"path":"a.txt","kind":"text","truncated":false,"first":1,"last":3,"lineCount":3,"fileHash":"` + lineHash + `"}`,
		`{"file_path":"a.txt","offset":2,"limit":1}`: `{"path":"a.txt","kind":"text","truncated":true,"first":2,"last":2,"lineCount":3,"fileHash":"` + lineHash + `"}`,
		`{"file_path":"empty"}`:                      `{"path":"empty","kind":"text","truncated":false,"lineCount":0,"fileHash":"` + filehash.Of(nil) + `"}`,
		`{"file_path":"dir"}`:                        `{"path":"dir","kind":"directory","truncated":false,"first":1,"last":1,"entryCount":1}`,
		`{"file_path":".","limit":2}`:                `{"path":".","kind":"directory","truncated":true,"first":1,"last":2,"entryCount":5}`,
		`{"file_path":"none"}`:                       `{"path":"none","kind":"directory","truncated":false}`,
		`{"file_path":"logo.png"}`:                   `{"path":"logo.png","kind":"image","truncated":false,"width":3,"height":2,"mimeType":"image/png","size":` + strconv.Itoa(len(picture)) + `,"fileHash":"` + filehash.Of(picture) + `"}`,
	} {
		output, err := tooltest.Invoke(t, func(args Args, out io.Writer) error { return Run(fsys, args, out) }, arguments)
		if err != nil {
			t.Fatal(err)
		}
		tooltest.SameJSON(t, tooltest.Parse(t, output).Structured, want)
	}
}
