package files_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/wasmtool/wasmtool/guest/files"
)

func tree(t testing.TB) files.Dir {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"a.txt": "hello", "empty": "", "d/b.txt": strings.Repeat("x", 100)} {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return files.Dir(dir)
}

func TestDir(t *testing.T) {
	dir := tree(t)
	buf := make([]byte, 4096)
	names := []string{"a.txt", "d", "d/b.txt", "empty", "none"}

	stats, err := dir.Stat(names, buf)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		kind fs.FileMode
		size int64
	}{{0, 5}, {fs.ModeDir, -1}, {0, 100}, {0, 0}} {
		if a := stats[i]; a.Err != nil || a.Type != want.kind || want.size >= 0 && a.Size != want.size || a.ModTime.IsZero() {
			t.Errorf("%s: %+v", names[i], a)
		}
	}
	if stats[4].Err != syscall.ENOENT {
		t.Errorf("none: %v", stats[4].Err)
	}

	read, err := dir.Read(names, 50, buf)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		content string
		err     error
	}{{"hello", nil}, {"", syscall.EISDIR}, {"", syscall.EFBIG}, {"", nil}, {"", syscall.ENOENT}} {
		if a := read[i]; a.Err != want.err || string(a.Content) != want.content {
			t.Errorf("%s: %q, %v, want %q, %v", names[i], a.Content, a.Err, want.content, want.err)
		}
	}
	if read[2].Size != 100 {
		t.Errorf("the size of a file that is too large is %d", read[2].Size)
	}

	few, err := dir.Read([]string{"a.txt", "d/b.txt"}, 1000, buf[:2*files.AnswerSize+50])
	if err != nil || few[0].Err != nil || few[1].Err != syscall.ENOBUFS {
		t.Errorf("buffer too small for two: %+v, %v", few, err)
	}
	if _, err := dir.Stat(names, buf[:10]); err == nil {
		t.Error("a buffer that is too small for one answer was accepted")
	}
	if _, err := dir.Stat(make([]string, files.MaxNames+1), make([]byte, files.AnswerSize*(files.MaxNames+1))); err == nil {
		t.Error("more names than the limit were accepted")
	}
}

// Stat describes the link itself; Read follows it.
func TestLinks(t *testing.T) {
	dir := tree(t)
	if err := os.Symlink("a.txt", filepath.Join(string(dir), "link")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	buf := make([]byte, 1000)
	if stats, err := dir.Stat([]string{"link"}, buf); err != nil || stats[0].Type != fs.ModeSymlink {
		t.Errorf("got %+v, %v", stats, err)
	}
	if read, err := dir.Read([]string{"link"}, 10, buf); err != nil || string(read[0].Content) != "hello" {
		t.Errorf("got %+v, %v", read, err)
	}
}

func ExampleDir_List() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	os.MkdirAll(filepath.Join(dir, "src", "sub"), 0o700)
	os.WriteFile(filepath.Join(dir, "src", "main.go"), nil, 0o600)

	// In a guest, write files.Dir("/workspace").
	answers, err := files.Dir(dir).List([]string{"src", "none"}, make([]byte, 64<<10))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range answers {
		if a.Err != nil {
			fmt.Println(a.Err)
		}
		for name, kind := range a.Entries() {
			fmt.Println(name, kind.IsDir())
		}
	}
	// Output:
	// main.go false
	// sub true
	// no such file or directory
}

func TestReadStaysWithinTheBuffer(t *testing.T) {
	for _, test := range []struct {
		name  string
		names []string
		limit int
		bytes int // of the buffer
		want  []any
	}{
		{"all", []string{"a.txt", "empty", "empty"}, 100, 100, []any{"hello", "", ""}},
		{"as large as asked for", []string{"a.txt"}, 5, 100, []any{"hello"}},
		{"larger than asked for", []string{"a.txt", "empty"}, 4, 100, []any{syscall.EFBIG, ""}},
		{"a byte for the end", []string{"a.txt"}, 100, 6, []any{"hello"}},
		{"no byte for the end", []string{"a.txt", "empty"}, 100, 5, []any{syscall.ENOBUFS, ""}},
		{"no space left in the buffer", []string{"a.txt", "a.txt"}, 100, 8, []any{"hello", syscall.ENOBUFS}},
		{"larger than the whole buffer", []string{"d/b.txt"}, 1000, 20, []any{syscall.EFBIG}},
		{"a folder", []string{"d"}, 100, 100, []any{syscall.EISDIR}},
		{"nothing", []string{"none", "a.txt"}, 100, 100, []any{syscall.ENOENT, "hello"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			answers, err := tree(t).Read(test.names, test.limit, make([]byte, len(test.names)*files.AnswerSize+test.bytes))
			if err != nil {
				t.Fatal(err)
			}
			for i, a := range answers {
				switch want := test.want[i].(type) {
				case string:
					if a.Err != nil || string(a.Content) != want || a.Size != int64(len(want)) {
						t.Errorf("%s: got %q of %d, %v", test.names[i], a.Content, a.Size, a.Err)
					}
				case error:
					if !errors.Is(a.Err, want) || len(a.Content) > 0 {
						t.Errorf("%s: got %q, %v, want %v", test.names[i], a.Content, a.Err, want)
					}
				}
			}
		})
	}
}

// Entries never reads past the last complete entry of a listing, whatever bytes the listing has.
func FuzzEntries(f *testing.F) {
	f.Add([]byte("\x03\x01a\x04\x02bc\x07\x00"))
	f.Add([]byte("\x03\xffa"))
	f.Add([]byte("\x03"))
	types := map[byte]fs.FileMode{3: fs.ModeDir, 4: 0, 7: fs.ModeSymlink}
	f.Fuzz(func(t *testing.T, content []byte) {
		rest := string(content)
		for name, kind := range (files.Answer{Content: content}).Entries() {
			want, ok := types[rest[0]]
			if !ok {
				want = fs.ModeIrregular
			}
			if int(rest[1]) != len(name) || rest[2:2+len(name)] != name || kind != want {
				t.Fatalf("%q of type %v stands at %q", name, kind, rest)
			}
			rest = rest[2+len(name):]
		}
		if len(rest) >= 2 && len(rest) >= 2+int(rest[1]) {
			t.Errorf("%q was left of %q", rest, content)
		}
		for range (files.Answer{Content: content}).Entries() {
			break // check that break ends the loop
		}
	})
}
