package files_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest/files"
)

func TestReplace(t *testing.T) {
	look := func(name string) func(files.Dir) *files.Answer {
		return func(dir files.Dir) *files.Answer {
			answers, err := dir.Stat([]string{name}, make([]byte, files.AnswerSize))
			if err != nil {
				t.Fatal(err)
			}
			return &answers[0]
		}
	}
	reads := func(name string) func(files.Dir) *files.Answer {
		return func(dir files.Dir) *files.Answer {
			answers, err := dir.Read([]string{name}, 1000, make([]byte, files.AnswerSize+1000))
			if err != nil {
				t.Fatal(err)
			}
			return &answers[0]
		}
	}
	whatever := func(files.Dir) *files.Answer { return nil }
	for _, test := range []struct {
		name string
		path string
		seen func(files.Dir) *files.Answer
		want error
	}{
		{"as described", "a.txt", look("a.txt"), nil},
		{"as read", "d/b.txt", reads("d/b.txt"), nil},
		{"empty, as read", "empty", reads("empty"), nil},
		{"whatever is there", "a.txt", whatever, nil},
		{"whatever is there, nothing is", "d/new", whatever, nil},
		{"nothing, as described", "new", look("new"), nil},
		{"nothing, as read", "new", reads("new"), nil},
		{"seen nothing, but there", "a.txt", look("new"), syscall.ESTALE},
		{"seen, and gone", "new", look("a.txt"), syscall.ESTALE},
		{"of another size", "a.txt", look("d/b.txt"), syscall.ESTALE},
		{"of another time", "a.txt", func(dir files.Dir) *files.Answer {
			a := look("a.txt")(dir)
			a.ModTime = a.ModTime.Add(-1)
			return a
		}, syscall.ESTALE},
		{"a folder", "d", whatever, syscall.EISDIR},
		{"a folder, as described", "d", look("d"), syscall.EISDIR},
		{"a file, seen as a folder", "a.txt", look("d"), syscall.EISDIR},
		{"below nothing", "none/new", whatever, syscall.ENOENT},
		{"below nothing, as described", "none/new", look("none/new"), syscall.ENOENT},
		{"below a file", "a.txt/new", whatever, syscall.ENOTDIR},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := tree(t)
			was := contents(t, dir)
			err := dir.Replace(test.path, []byte("mine"), test.seen(dir))
			var pathErr *fs.PathError
			if !errors.Is(err, test.want) || err != nil && (!errors.As(err, &pathErr) || pathErr.Op != "replace" || pathErr.Path != string(dir)+"/"+test.path) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			if err == nil {
				was[test.path] = "mine"
			}
			if now := contents(t, dir); !maps.Equal(now, was) {
				t.Errorf("there is %q, want %q", now, was)
			}
		})
	}
}

// contents returns the contents of all files below the directory, by name.
func contents(t *testing.T, dir files.Dir) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := fs.WalkDir(os.DirFS(string(dir)), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			var content []byte
			content, err = os.ReadFile(filepath.Join(string(dir), name))
			all[name] = string(content)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// An Answer with an error other than ENOENT can't be compared.
func TestReplaceAfterAnError(t *testing.T) {
	dir := tree(t)
	was := contents(t, dir)
	for _, name := range []string{"a.txt", "new", "d"} {
		for _, seenErr := range []error{syscall.EACCES, syscall.EISDIR, syscall.EFBIG, errors.New("none of the system")} {
			var hostErr *guest.HostError
			if err := dir.Replace(name, nil, &files.Answer{Err: seenErr}); !errors.As(err, &hostErr) || hostErr.Kind != "seen" {
				t.Errorf("%s, seen with %v: got %v", name, seenErr, err)
			}
		}
	}
	if now := contents(t, dir); !maps.Equal(now, was) {
		t.Errorf("there is %q, want %q", now, was)
	}
}

func TestReplaceKeepsPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no permission bits")
	}
	dir := tree(t)
	file := filepath.Join(string(dir), "a.txt")
	for _, perm := range []fs.FileMode{0o600, 0o640, 0o755, 0o777} {
		if err := os.Chmod(file, perm); err != nil {
			t.Fatal(err)
		}
		if err := dir.Replace("a.txt", []byte("mine"), nil); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(file); err != nil || info.Mode() != perm {
			t.Errorf("it has %v, %v, want %v", info.Mode(), err, perm)
		}
	}
}

// Replace refuses a symbolic link: it neither follows the link nor replaces it.
func TestReplaceAndLinks(t *testing.T) {
	dir := tree(t)
	if err := os.Symlink("a.txt", filepath.Join(string(dir), "link")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	stats, err := dir.Stat([]string{"link", "a.txt"}, make([]byte, 2*files.AnswerSize))
	if err != nil {
		t.Fatal(err)
	}
	for _, seen := range []*files.Answer{nil, &stats[0], &stats[1]} {
		if err := dir.Replace("link", []byte("mine"), seen); !errors.Is(err, syscall.ELOOP) {
			t.Errorf("with %+v: got %v", seen, err)
		}
	}
	if got := contents(t, dir)["a.txt"]; got != "hello" {
		t.Errorf("the file holds %q", got)
	}
}

func ExampleDir_Replace() {
	tmp, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(tmp)
	os.WriteFile(filepath.Join(tmp, "notes.txt"), []byte("one\n"), 0o600)

	dir := files.Dir(tmp) // in a guest, write files.Dir("/workspace")
	read, err := dir.Read([]string{"notes.txt"}, 1000, make([]byte, files.AnswerSize+1000))
	if err != nil {
		fmt.Println(err)
		return
	}
	seen := read[0]
	if seen.Err != nil {
		fmt.Println(seen.Err)
		return
	}
	content := append(slices.Clone(seen.Content), "two\n"...)
	fmt.Println(dir.Replace("notes.txt", content, &seen))

	// The state of the file now differs from seen.
	err = dir.Replace("notes.txt", []byte("three\n"), &seen)
	fmt.Println(errors.Is(err, syscall.ESTALE))
	got, err := os.ReadFile(filepath.Join(tmp, "notes.txt"))
	fmt.Printf("%q %v\n", got, err)
	// Output:
	// <nil>
	// true
	// "one\ntwo\n" <nil>
}
