package files_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

func TestTheGuestWrites(t *testing.T) {
	for name, deny := range map[string][]string{"plain": nil, "deny": {"no-such-name"}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			view := newFS(t, readWrite("w", dir, deny...)).View("/w")
			if err := view.Mkdir("d"); err != nil {
				t.Fatal(err)
			}
			if err := view.Mkdir("d/e/"); err != nil {
				t.Fatal(err)
			}
			if err := writeFile(view, "d/e/f", "first, and long"); err != nil {
				t.Fatal(err)
			}
			if err := writeFile(view, "d/e/f", "second"); err != nil {
				t.Fatal(err)
			}
			holds(t, filepath.Join(dir, "d/e/f"), "second")
			if err := view.Rename("d/e/f", "g"); err != nil {
				t.Fatal(err)
			}
			missing(t, filepath.Join(dir, "d/e/f"))
			holds(t, filepath.Join(dir, "g"), "second")
			if err := view.Rename("d/e", "e"); err != nil {
				t.Fatal(err)
			}
			if err := view.Rmdir("e/"); err != nil {
				t.Fatal(err)
			}
			if err := view.Unlink("g"); err != nil {
				t.Fatal(err)
			}
			if got := list(t, view, "."); !slices.Equal(got, []string{"d"}) {
				t.Errorf("left: %q", got)
			}
		})
	}
}

// TestOpenFlagsForWriting opens an existing and a missing file with each combination of flags.
func TestOpenFlagsForWriting(t *testing.T) {
	const (
		w, noRead, creat        = files.OpenWrite, files.OpenNoRead, files.OpenCreate
		excl, trunc, appendFlag = files.OpenExclusive, files.OpenTruncate, files.OpenAppend
	)
	tests := []struct {
		name          string
		flags         files.OpenFlags
		there, absent error // errors of Open if the file exists, and if it does not
		content       string
		write, read   error
	}{
		{"read", 0, nil, fs.ErrNotExist, "old", files.ErrAccess, nil},
		{"write", w, nil, fs.ErrNotExist, "new", nil, nil},
		{"write only", w | noRead, nil, fs.ErrNotExist, "new", nil, files.ErrAccess},
		{"create to read", creat, nil, nil, "old", files.ErrAccess, nil},
		{"create", w | creat, nil, nil, "new", nil, nil},
		{"create anew", w | creat | excl, fs.ErrExist, nil, "old", nil, nil},
		{"truncate", w | trunc, nil, fs.ErrNotExist, "new", nil, nil},
		{"append", w | appendFlag, nil, fs.ErrNotExist, "oldnew", nil, nil},
		{"append and truncate", w | appendFlag | trunc | creat, nil, nil, "new", nil, nil},
		// A3: truncating is writing.
		{"truncate to read", trunc, fs.ErrInvalid, fs.ErrInvalid, "old", nil, nil},
		{"truncate and create to read", trunc | creat, fs.ErrInvalid, fs.ErrInvalid, "old", nil, nil},
		{"exclusive alone", w | excl, fs.ErrInvalid, fs.ErrInvalid, "old", nil, nil},
		{"nothing at all", noRead, fs.ErrInvalid, fs.ErrInvalid, "old", nil, nil},
		{"unknown", files.OpenOther, fs.ErrInvalid, fs.ErrInvalid, "old", nil, nil},
		{"unknown and write", files.OpenOther<<1 | w, fs.ErrInvalid, fs.ErrInvalid, "old", nil, nil},
		{"create a directory", creat | files.OpenDirectory, fs.ErrInvalid, fs.ErrInvalid, "old", nil, nil},
	}
	for _, test := range tests {
		for _, deny := range [][]string{nil, {"no-such-name"}} {
			t.Run(test.name, func(t *testing.T) {
				dir := t.TempDir()
				write(t, dir, map[string]string{"f": "old"})
				view := newFS(t, readWrite("w", dir, deny...)).View("/w")
				f, err := view.Open("absent", test.flags)
				if !errors.Is(err, test.absent) {
					t.Errorf("absent: got %v, want %v", err, test.absent)
				}
				if err == nil {
					_ = f.Close()
				} else {
					missing(t, filepath.Join(dir, "absent"))
				}
				f, err = view.Open("f", test.flags)
				if !errors.Is(err, test.there) {
					t.Fatalf("got %v, want %v", err, test.there)
				}
				if err == nil {
					if _, err := f.Write([]byte("new")); !errors.Is(err, test.write) {
						t.Errorf("write: got %v, want %v", err, test.write)
					}
					if _, err := f.ReadAt(make([]byte, 1), 0); !errors.Is(err, test.read) {
						t.Errorf("read: got %v, want %v", err, test.read)
					}
				}
				holds(t, filepath.Join(dir, "f"), test.content)
			})
		}
	}
}

func TestFileWritesAndSeeks(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": "0123456789"})
	f, err := newFS(t, readWrite("w", dir)).View("/w").Open("f", files.OpenWrite)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(2, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if n, err := f.Write([]byte("ab")); n != 2 || err != nil {
		t.Errorf("Write: %d, %v", n, err)
	}
	if n, err := f.WriteAt([]byte("c"), 12); n != 1 || err != nil {
		t.Errorf("WriteAt: %d, %v", n, err)
	}
	if n, err := f.Write([]byte("d")); n != 1 || err != nil {
		t.Errorf("Write after WriteAt: %d, %v", n, err)
	}
	holds(t, filepath.Join(dir, "f"), "01abd56789\x00\x00c")
	if _, err := f.WriteAt([]byte("x"), -1); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("WriteAt a negative offset: %v", err)
	}
	if err := f.SetSize(4); err != nil {
		t.Errorf("SetSize: %v", err)
	}
	if err := f.SetSize(6); err != nil {
		t.Errorf("SetSize: %v", err)
	}
	if err := f.SetSize(-1); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("SetSize of less than nothing: %v", err)
	}
	if n, err := f.Write(nil); n != 0 || err != nil {
		t.Errorf("Write of nothing: %d, %v", n, err)
	}
	if n, err := f.WriteAt(nil, 100); n != 0 || err != nil {
		t.Errorf("WriteAt of nothing: %d, %v", n, err)
	}
	if err := f.Sync(); err != nil {
		t.Errorf("Sync: %v", err)
	}
	holds(t, filepath.Join(dir, "f"), "01ab\x00\x00")
}

func TestDirectoriesAreNotWritten(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"d/f": ""})
	view := newFS(t, readWrite("w", dir)).View("/")
	for _, name := range []string{"/w", "/w/d", "/w/d/"} {
		if _, err := view.Open(name, create); !errors.Is(err, files.ErrIsDir) {
			t.Errorf("open %s: %v", name, err)
		}
		f, err := view.Open(name, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, writeErr := f.Write([]byte("x"))
		_, writeAtErr := f.WriteAt([]byte("x"), 0)
		for op, err := range map[string]error{"Write": writeErr, "WriteAt": writeAtErr, "SetSize": f.SetSize(0), "SetAppending": f.SetAppending(true)} {
			if !errors.Is(err, files.ErrIsDir) {
				t.Errorf("%s of %s: %v", op, name, err)
			}
		}
		if err := f.Sync(); err != nil {
			t.Errorf("Sync of %s: %v", name, err)
		}
	}
	for name, want := range map[string]error{"/": files.ErrReadOnly, "/new": files.ErrReadOnly, "/w/new/": files.ErrIsDir, "/w/d/f/": files.ErrNotDir, "/w/none/f": fs.ErrNotExist} {
		if _, err := view.Open(name, create); !errors.Is(err, want) {
			t.Errorf("open %s: got %v, want %v", name, err, want)
		}
	}
}

// TestAppending checks that two handles in append mode never overwrite each other's data.
func TestAppending(t *testing.T) {
	dir := t.TempDir()
	view := newFS(t, readWrite("w", dir)).View("/w")
	a, err := view.Open("f", files.OpenWrite|files.OpenCreate|files.OpenAppend)
	if err != nil {
		t.Fatal(err)
	}
	b, err := view.Open("f", files.OpenWrite|files.OpenAppend)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*files.File{a, b, a, b} {
		if !f.Appending() {
			t.Error("not appending")
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("y")); err != nil {
			t.Fatal(err)
		}
	}
	holds(t, filepath.Join(dir, "f"), "xyxyxyxy")
	// Appended bytes are written at the end of the file, so the limit on its size applies there.
	tight := newFSWith(t, files.Options{MaxFileSize: 10}, readWrite("w", dir)).View("/w")
	c, err := tight.Open("f", files.OpenWrite|files.OpenAppend)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write([]byte("zz")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write([]byte("z")); !errors.Is(err, files.ErrLimit) {
		t.Errorf("append beyond the limit: %v", err)
	}
	holds(t, filepath.Join(dir, "f"), "xyxyxyxyzz")
}

func TestRenames(t *testing.T) {
	tests := []struct {
		name, from, to string
		want           error
	}{
		{"file", "f", "new", nil},
		{"file over a file", "f", "g", nil},
		{"file to itself", "f", "f", nil},
		{"file to another directory", "f", "d/new", nil},
		{"file over a directory", "f", "d", files.ErrIsDir},
		{"file over an empty directory", "f", "empty", files.ErrIsDir},
		{"file below a file", "f", "g/new", files.ErrNotDir},
		{"file with a slash", "f/", "new", files.ErrNotDir},
		{"file to a name with a slash", "f", "new/", files.ErrNotDir},
		{"file to nowhere", "f", "none/new", fs.ErrNotExist},
		{"directory", "d", "new", nil},
		{"directory with a slash", "d/", "new/", nil},
		{"directory over an empty one", "d", "empty", nil},
		{"directory over a full one", "empty", "d", files.ErrNotEmpty},
		{"directory over a file", "d", "f", files.ErrNotDir},
		{"directory into itself", "d", "d/x", fs.ErrInvalid},
		{"nothing", "none", "new", fs.ErrNotExist},
		{"the mount", ".", "new", fs.ErrPermission},
		{"over the mount", "d", ".", fs.ErrPermission},
		{"out of the mount", "f", "../new", files.ErrOutside},
		{"from outside", "../f", "new", files.ErrOutside},
		{"empty name", "f", "", fs.ErrInvalid},
	}
	for _, test := range tests {
		for mount, deny := range map[string][]string{"plain": nil, "deny": {"no-such-name"}} {
			t.Run(test.name+"/"+mount, func(t *testing.T) {
				dir := t.TempDir()
				write(t, dir, map[string]string{"f": "F", "g": "G", "d/x/h": "H"})
				if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
					t.Fatal(err)
				}
				view := newFS(t, readWrite("w", dir, deny...)).View("/w")
				err := view.Rename(test.from, test.to)
				if !errors.Is(err, test.want) {
					t.Fatalf("got %v, want %v", err, test.want)
				}
				noHostPath(t, err, dir)
				switch {
				case err != nil:
					holds(t, filepath.Join(dir, "f"), "F")
					holds(t, filepath.Join(dir, "g"), "G")
					holds(t, filepath.Join(dir, "d/x/h"), "H")
				case test.from == "f":
					holds(t, filepath.Join(dir, test.to), "F")
				default:
					holds(t, filepath.Join(dir, test.to, "x/h"), "H")
				}
			})
		}
	}
}

func TestRemovals(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": "F", "d/x": ""})
	for _, deny := range [][]string{nil, {"no-such-name"}} {
		view := newFS(t, readWrite("w", dir, deny...)).View("/w")
		for _, test := range []struct {
			op   string
			do   func(string) error
			name string
			want error
		}{
			{"unlink", view.Unlink, "d", files.ErrIsDir},
			{"unlink", view.Unlink, "d/", files.ErrIsDir},
			{"unlink", view.Unlink, "f/", files.ErrNotDir},
			{"unlink", view.Unlink, "none", fs.ErrNotExist},
			{"unlink", view.Unlink, ".", fs.ErrPermission},
			{"unlink", view.Unlink, "../f", files.ErrOutside},
			{"rmdir", view.Rmdir, "f", files.ErrNotDir},
			{"rmdir", view.Rmdir, "d", files.ErrNotEmpty},
			{"rmdir", view.Rmdir, "none", fs.ErrNotExist},
			{"rmdir", view.Rmdir, ".", fs.ErrPermission},
			{"rmdir", view.Rmdir, "..", files.ErrOutside},
			{"mkdir", view.Mkdir, "f", fs.ErrExist},
			{"mkdir", view.Mkdir, "d", fs.ErrExist},
			{"mkdir", view.Mkdir, ".", fs.ErrExist},
			{"mkdir", view.Mkdir, "none/d", fs.ErrNotExist},
			{"mkdir", view.Mkdir, "f/d", files.ErrNotDir},
			{"mkdir", view.Mkdir, "../d", files.ErrOutside},
		} {
			err := test.do(test.name)
			if !errors.Is(err, test.want) {
				t.Errorf("%s %s: got %v, want %v", test.op, test.name, err, test.want)
			}
			noHostPath(t, err, dir)
		}
	}
	if got := list(t, newFS(t, read("w", dir)).View("/w"), "."); !slices.Equal(got, []string{"d", "f"}) {
		t.Errorf("left: %q", got)
	}
}

func TestTimes(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": "", "d/x": ""})
	early, late := time.Unix(1_000_000, 123_000), time.Unix(2_000_000, 0)
	view := newFS(t, readWrite("w", dir)).View("/w")
	changed := func(name string, want time.Time) {
		t.Helper()
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || !info.ModTime().Equal(want) {
			t.Errorf("%s: %v, %v, want %v", name, info.ModTime(), err, want)
		}
	}
	if err := view.Chtimes("f", true, late, early); err != nil {
		t.Fatal(err)
	}
	changed("f", early)
	if err := view.Chtimes("f", false, late, time.Time{}); err != nil {
		t.Fatal(err)
	}
	changed("f", early)
	f, err := view.Open("f", files.OpenWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Chtimes(time.Time{}, late); err != nil {
		t.Fatal(err)
	}
	changed("f", late)
	for name, want := range map[string]error{"none": fs.ErrNotExist, ".": fs.ErrPermission, "../f": files.ErrOutside, "f/": files.ErrNotDir} {
		if err := view.Chtimes(name, true, early, early); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
	}
}
