package files_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// TestTheSizeOfAFileIsBounded covers A15: no way to extend a file exceeds the limit, and no sparse
// file is created.
func TestTheSizeOfAFileIsBounded(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": "0123456789"})
	for name, grow := range map[string]func(f *files.File) error{
		"1 TiB":                  func(f *files.File) error { return f.SetSize(1 << 40) },
		"the largest size":       func(f *files.File) error { return f.SetSize(1<<63 - 1) },
		"one more":               func(f *files.File) error { return f.SetSize(17) },
		"write one more":         func(f *files.File) error { _, err := f.Write(make([]byte, 17)); return err },
		"write at the end":       func(f *files.File) error { _, err := f.WriteAt([]byte("x"), 16); return err },
		"write far out":          func(f *files.File) error { _, err := f.WriteAt([]byte("x"), 1<<40); return err },
		"write at the largest":   func(f *files.File) error { _, err := f.WriteAt([]byte("x"), 1<<63-1); return err },
		"write after a far seek": func(f *files.File) error { _, _ = f.Seek(1<<40, 0); _, err := f.Write([]byte("x")); return err },
	} {
		fsys := newFSWith(t, files.Options{MaxFileSize: 16}, readWrite("w", dir))
		f, err := fsys.View("/w").Open("f", files.OpenWrite)
		if err != nil {
			t.Fatal(err)
		}
		if err := grow(f); !errors.Is(err, files.ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
		if got := fsys.LimitHit(); got != "bytes of a file (16)" {
			t.Errorf("%s: LimitHit: %q", name, got)
		}
		holds(t, filepath.Join(dir, "f"), "0123456789")
		if _, err := f.WriteAt([]byte("x"), 15); err != nil {
			t.Errorf("%s: up to the limit: %v", name, err)
		}
		if err := f.SetSize(0); err != nil {
			t.Fatal(err)
		}
		write(t, dir, map[string]string{"f": "0123456789"})
	}
}

// TestLargerFilesThatWereThere checks that an existing file that exceeds the limit can be
// truncated, and written below the limit.
func TestLargerFilesThatWereThere(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": strings.Repeat("x", 100)})
	f, err := newFSWith(t, files.Options{MaxFileSize: 16}, readWrite("w", dir)).View("/w").Open("f", files.OpenWrite)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("y"), 15); err != nil {
		t.Error(err)
	}
	if _, err := f.WriteAt([]byte("y"), 16); !errors.Is(err, files.ErrLimit) {
		t.Errorf("write beyond: %v", err)
	}
	if err := f.SetSize(50); err != nil {
		t.Errorf("cut: %v", err)
	}
}

// TestWrittenBytesAreBounded covers what counts as written: the bytes themselves, the growth of a
// file, and a gap between the end of the file and the bytes.
func TestWrittenBytesAreBounded(t *testing.T) {
	type step struct {
		name string
		do   func(v files.View, f *files.File) error
	}
	bytes := func(n int) step {
		return step{fmt.Sprintf("write %d", n), func(_ files.View, f *files.File) error {
			_, err := f.WriteAt(make([]byte, n), 0)
			return err
		}}
	}
	size := func(n int64) step {
		return step{fmt.Sprintf("size %d", n), func(_ files.View, f *files.File) error { return f.SetSize(n) }}
	}
	gap := func(at int64) step {
		return step{fmt.Sprintf("write at %d", at), func(_ files.View, f *files.File) error {
			_, err := f.WriteAt([]byte("x"), at)
			return err
		}}
	}
	another := step{"another file", func(v files.View, _ *files.File) error { return writeFile(v, "g", "1234") }}
	for _, steps := range [][]step{
		{bytes(16), bytes(1)},
		{bytes(10), bytes(6), bytes(1)}, // overwriting counts as well
		{size(16), bytes(1)},
		{gap(15), bytes(1)},
		{gap(5), gap(15)}, // counts 6 bytes, then 10 more
		{bytes(13), another},
		{size(16), size(0), size(1)}, // truncating does not reduce the count
		{bytes(17)},
	} {
		dir := t.TempDir()
		fsys := newFSWith(t, files.Options{MaxWritten: 16}, readWrite("w", dir))
		view := fsys.View("/w")
		f, err := view.Open("f", create)
		if err != nil {
			t.Fatal(err)
		}
		last := len(steps) - 1
		for i, s := range steps {
			err := s.do(view, f)
			switch {
			case i < last && err != nil:
				t.Errorf("%s: %v", s.name, err)
			case i == last && steps[0].name == "write at 5":
				// 16 bytes in total fit exactly; one byte more would not.
				if err != nil {
					t.Errorf("%s: %v", s.name, err)
				}
				if _, err := f.WriteAt([]byte("x"), 0); !errors.Is(err, files.ErrLimit) {
					t.Errorf("one more byte: %v", err)
				}
			case i == last && !errors.Is(err, files.ErrLimit):
				t.Errorf("%s: got %v", s.name, err)
			}
		}
		if got := fsys.LimitHit(); got != "bytes written (16)" {
			t.Errorf("LimitHit: %q", got)
		}
	}
}

func TestCreatedFilesAreBounded(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"old": ""})
	fsys := newFSWith(t, files.Options{MaxCreated: 3}, readWrite("w", dir))
	view := fsys.View("/w")
	for i := range 20 { // failed and existing files do not count
		if err := writeFile(view, "old", fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
		if err := view.Mkdir("old"); err == nil {
			t.Fatal("mkdir of a file")
		}
		if _, err := view.Open("none/f", create); err == nil {
			t.Fatal("created below nothing")
		}
	}
	if got := fsys.LimitHit(); got != "" {
		t.Errorf("LimitHit: %q", got)
	}
	if err := errors.Join(view.Mkdir("d"), writeFile(view, "f", ""), view.Unlink("f"), writeFile(view, "g", "")); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(view, "h", ""); !errors.Is(err, files.ErrLimit) {
		t.Errorf("a fourth: %v", err)
	}
	if err := view.Mkdir("e"); !errors.Is(err, files.ErrLimit) {
		t.Errorf("a fourth, a directory: %v", err)
	}
	if got := fsys.LimitHit(); got != "files created (3)" {
		t.Errorf("LimitHit: %q", got)
	}
	missing(t, filepath.Join(dir, "h"))
	missing(t, filepath.Join(dir, "e"))
}

// TestDefaultLimits checks that the default limits apply if no options are set, also in scratch
// space.
func TestDefaultLimits(t *testing.T) {
	testlevel.Long(t, "it makes as many files as a call may, 10,000")
	fsys := newFSWith(t, files.Options{ScratchIn: t.TempDir()}, scratch())
	view := fsys.View("/tmp")
	f, err := view.Open("f", create)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.SetSize(files.DefaultMaxFileSize + 1); !errors.Is(err, files.ErrLimit) {
		t.Errorf("size: %v", err)
	}
	for i := range files.DefaultMaxWritten / files.DefaultMaxFileSize {
		if err := errors.Join(f.SetSize(0), f.SetSize(files.DefaultMaxFileSize)); err != nil {
			t.Fatalf("size %d: %v", i, err)
		}
	}
	if _, err := f.WriteAt([]byte("x"), 0); !errors.Is(err, files.ErrLimit) {
		t.Errorf("written: %v", err)
	}
	for i := range files.DefaultMaxCreated - 1 {
		if err := view.Mkdir(fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := view.Mkdir("one more"); !errors.Is(err, files.ErrLimit) {
		t.Errorf("created: %v", err)
	}
}

// TestFailedWritesDoNotCount checks that a full host file system is an ordinary error, and
// that bytes that were not written do not count.
func TestFailedWritesDoNotCount(t *testing.T) {
	dir := t.TempDir()
	fsys := newFSWith(t, files.Options{MaxWritten: 4}, readWrite("w", dir))
	f, err := fsys.View("/w").Open("f", files.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if _, err := f.Write([]byte("abc")); !errors.Is(err, files.ErrAccess) {
			t.Fatal(err)
		}
	}
	if err := writeFile(fsys.View("/w"), "g", "abcd"); err != nil {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(dir, "g")); err != nil {
		t.Fatal(err)
	}
}
