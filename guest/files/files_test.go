package files_test

import (
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
	room := make([]byte, 4096)
	names := []string{"a.txt", "d", "d/b.txt", "empty", "none"}

	stats, err := dir.Stat(names, room)
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

	read, err := dir.Read(names, 50, room)
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

	few, err := dir.Read([]string{"a.txt", "d/b.txt"}, 1000, room[:2*files.AnswerSize+50])
	if err != nil || few[0].Err != nil || few[1].Err != syscall.ENOBUFS {
		t.Errorf("without room: %+v, %v", few, err)
	}
	if _, err := dir.Stat(names, room[:10]); err == nil {
		t.Error("room for no answer is not refused")
	}
	if _, err := dir.Stat(make([]string, files.MaxNames+1), make([]byte, files.AnswerSize*(files.MaxNames+1))); err == nil {
		t.Error("more names than there may be are not refused")
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

	// In a guest it would be files.Dir("/workspace").
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

// Whatever a listing holds, its entries end.
func FuzzEntries(f *testing.F) {
	f.Add([]byte("\x03\x01a\x04\x02bc"))
	f.Add([]byte("\x03\xffa"))
	f.Add([]byte("\x03"))
	f.Fuzz(func(t *testing.T, content []byte) {
		size := 0
		for name := range (files.Answer{Content: content}).Entries() {
			size += 2 + len(name)
		}
		if size > len(content) {
			t.Errorf("%d bytes of entries in %d", size, len(content))
		}
	})
}
