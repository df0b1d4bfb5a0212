package files_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/guest/files"
)

// look is what Stat tells of a file.
func look(t testing.TB, dir files.Dir, name string) *files.Answer {
	t.Helper()
	answers, err := dir.Stat([]string{name}, make([]byte, files.AnswerSize))
	if err != nil {
		t.Fatal(err)
	}
	return &answers[0]
}

func TestReplace(t *testing.T) {
	dir := tree(t)
	for _, name := range []string{"a.txt", "d/b.txt", "new.txt"} {
		for _, content := range []string{"one", ""} {
			if err := dir.Replace(name, []byte(content), look(t, dir, name)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got, err := os.ReadFile(filepath.Join(string(dir), name)); string(got) != content || err != nil {
				t.Errorf("%s holds %q, %v", name, got, err)
			}
		}
		if err := dir.Replace(name, []byte("two"), nil); err != nil {
			t.Errorf("%s, whatever is there: %v", name, err)
		}
	}
}

// After a refusal all is as it was, and nothing lies beside it.
func TestReplaceRefuses(t *testing.T) {
	dir := tree(t)
	right := *look(t, dir, "a.txt")
	longer, later, none := right, right, files.Answer{Err: syscall.ENOENT}
	longer.Size++
	later.ModTime = right.ModTime.Add(time.Second)
	for _, tt := range []struct {
		what, name string
		seen       *files.Answer
		want       error
	}{
		{"another size", "a.txt", &longer, syscall.ESTALE},
		{"another time", "a.txt", &later, syscall.ESTALE},
		{"a file where none was", "a.txt", &none, syscall.ESTALE},
		{"none where a file was", "none.txt", &right, syscall.ESTALE},
		{"a folder", "d", nil, syscall.EISDIR},
		{"a folder that was seen", "d", look(t, dir, "d"), syscall.EISDIR},
		{"below nothing", "none/a.txt", nil, os.ErrNotExist},
	} {
		if err := dir.Replace(tt.name, []byte("mine"), tt.seen); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.what, err, tt.want)
		}
	}
	if err := os.Symlink("a.txt", filepath.Join(string(dir), "link")); err == nil {
		if err := dir.Replace("link", []byte("mine"), nil); !errors.Is(err, syscall.ELOOP) {
			t.Errorf("a link: %v", err)
		}
		_ = os.Remove(filepath.Join(string(dir), "link"))
	}
	var names []string
	entries, err := os.ReadDir(string(dir))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if err != nil || !slices.Equal(names, []string{"a.txt", "d", "empty"}) {
		t.Errorf("there is %q, %v", names, err)
	}
	if got, err := os.ReadFile(filepath.Join(string(dir), "a.txt")); string(got) != "hello" || err != nil {
		t.Errorf("a.txt holds %q, %v", got, err)
	}
}

func TestReplaceKeepsPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no permission bits")
	}
	dir := tree(t)
	full := filepath.Join(string(dir), "a.txt")
	if err := os.Chmod(full, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := dir.Replace("a.txt", []byte("new"), nil); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(full); err != nil || info.Mode() != 0o750 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
}

func ExampleDir_Replace() {
	temp, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(temp)
	os.WriteFile(filepath.Join(temp, "note.txt"), []byte("tea"), 0o600)

	// In a guest it would be files.Dir("/workspace").
	dir := files.Dir(temp)
	answers, err := dir.Read([]string{"note.txt"}, 1000, make([]byte, 2000))
	if err != nil {
		fmt.Println(err)
		return
	}
	note := answers[0]
	changed := append([]byte("green "), note.Content...)
	fmt.Println(dir.Replace("note.txt", changed, &note))

	// It is another file now than the one that was read.
	fmt.Println(errors.Is(dir.Replace("note.txt", changed, &note), syscall.ESTALE))
	// Output:
	// <nil>
	// true
}
