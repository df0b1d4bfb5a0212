package files_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// seenOf returns the state of a host file as a guest has just seen it.
func seenOf(t testing.TB, file string) *files.Seen {
	t.Helper()
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return &files.Seen{None: true}
	}
	if err != nil {
		t.Fatal(err)
	}
	return &files.Seen{Size: info.Size(), ModTime: info.ModTime()}
}

// TestReplace checks which files can be replaced with each expectation, and that no temporary file
// is left.
func TestReplace(t *testing.T) {
	right := func(s *files.Seen) *files.Seen { return s }
	whatever := func(*files.Seen) *files.Seen { return nil }
	nothing := func(*files.Seen) *files.Seen { return &files.Seen{None: true} }
	sized := func(n int64) func(*files.Seen) *files.Seen {
		return func(s *files.Seen) *files.Seen { return &files.Seen{Size: n, ModTime: s.ModTime} }
	}
	moved := func(d time.Duration) func(*files.Seen) *files.Seen {
		return func(s *files.Seen) *files.Seen {
			return &files.Seen{Size: s.Size, ModTime: s.ModTime.Add(d)}
		}
	}
	tests := []struct {
		name, path string
		seen       func(right *files.Seen) *files.Seen
		want       error
		at         string // path of the written file below the mount
	}{
		{"new, whatever is there", "new", whatever, nil, "new"},
		{"new, nothing seen", "new", nothing, nil, "new"},
		{"new in a directory", "d/new", nothing, nil, "d/new"},
		{"new with a name of 255 bytes", strings.Repeat("x", 255), whatever, nil, strings.Repeat("x", 255)},
		{"there, whatever is there", "f", whatever, nil, "f"},
		{"there, as seen", "f", right, nil, "f"},
		{"there, as seen, in a directory", "d/g", right, nil, "d/g"},
		{"there, by another spelling", "/d/..//./f", right, nil, "f"},
		{"there, nothing seen", "f", nothing, files.ErrChanged, ""},
		{"there, seen larger", "f", sized(4), files.ErrChanged, ""},
		{"there, seen empty", "f", sized(0), files.ErrChanged, ""},
		{"there, seen with a size that none has", "f", sized(-3), files.ErrChanged, ""},
		{"there, seen older", "f", moved(-time.Second), files.ErrChanged, ""},
		{"there, seen newer by an instant", "f", moved(1), files.ErrChanged, ""},
		{"not there, though seen", "new", sized(3), files.ErrChanged, ""},
		{"not there, seen as the zero value", "new", func(*files.Seen) *files.Seen { return &files.Seen{} }, files.ErrChanged, ""},
		{"a directory", "d", whatever, files.ErrIsDir, ""},
		{"a directory, nothing seen", "d", nothing, files.ErrIsDir, ""},
		{"a directory, as seen", "d", right, files.ErrIsDir, ""},
		{"a directory with a slash", "d/", whatever, files.ErrIsDir, ""},
		{"a file with a slash", "f/", whatever, files.ErrIsDir, ""},
		{"a new file with a slash", "new/", nothing, files.ErrIsDir, ""},
		{"the mount", ".", whatever, files.ErrIsDir, ""},
		{"the mount with a slash", "/", whatever, files.ErrIsDir, ""},
		{"the mount by way of a directory", "d/..", whatever, files.ErrIsDir, ""},
		{"below nothing", "none/new", nothing, fs.ErrNotExist, ""},
		{"below nothing, seen", "none/new", sized(3), fs.ErrNotExist, ""},
		{"below a file", "f/new", whatever, files.ErrNotDir, ""},
		{"outside", "../f", whatever, files.ErrOutside, ""},
		{"outside by way of a directory", "d/../../f", nothing, files.ErrOutside, ""},
		{"no name", "", whatever, fs.ErrInvalid, ""},
		{"NUL", "f\x00", whatever, fs.ErrInvalid, ""},
		{"no UTF-8", "f\xff", whatever, fs.ErrInvalid, ""},
		{"a name of 256 bytes", strings.Repeat("x", 256), whatever, files.ErrNameTooLong, ""},
		{"a path of 4097 bytes", strings.Repeat("d/../", 819) + "ff", whatever, files.ErrNameTooLong, ""},
		{"a deep path", strings.Repeat("d/", 128) + "f", whatever, files.ErrNameTooLong, ""},
	}
	for _, test := range tests {
		for mount, deny := range map[string][]string{"plain": nil, "deny": {"no-such-name"}} {
			t.Run(test.name+"/"+mount, func(t *testing.T) {
				dir := t.TempDir()
				was := map[string]string{"f": "old", "d/g": "old, too"}
				write(t, dir, was)
				view := newFS(t, readWrite("w", dir, deny...)).View("/w")
				look := filepath.Join(dir, "f")
				if slices.Contains([]string{"d", "d/g"}, test.path) {
					look = filepath.Join(dir, test.path)
				}
				err := view.Replace(test.path, []byte("new content"), test.seen(seenOf(t, look)))
				if !errors.Is(err, test.want) {
					t.Fatalf("got %v, want %v", err, test.want)
				}
				noHostPath(t, err, dir)
				if err == nil {
					was[test.at] = "new content"
				}
				var names []string
				for name, content := range was {
					holds(t, filepath.Join(dir, name), content)
					names = append(names, name)
				}
				if slices.Sort(names); !slices.Equal(filesIn(t, dir), names) {
					t.Errorf("there is %q, want %q", filesIn(t, dir), names)
				}
			})
		}
	}
}

// TestReplaceAfterOthers changes a file as another process would, after the guest has looked at the
// file. It tests every method with which a guest can look at a file.
func TestReplaceAfterOthers(t *testing.T) {
	looks := map[string]func(*testing.T, *files.FS, string) *files.Seen{
		"Lstat": func(t *testing.T, fsys *files.FS, name string) *files.Seen {
			info, err := fsys.View("/").Lstat(name)
			if errors.Is(err, fs.ErrNotExist) {
				return &files.Seen{None: true}
			}
			if err != nil {
				t.Fatal(err)
			}
			return &files.Seen{Size: info.Size(), ModTime: info.ModTime()}
		},
		"Batch.Stat": func(t *testing.T, fsys *files.FS, name string) *files.Seen {
			a := batch(fsys, name).Stat()[0]
			return &files.Seen{None: errors.Is(a.Err, fs.ErrNotExist), Size: a.Size, ModTime: a.ModTime}
		},
		"Batch.Read": func(t *testing.T, fsys *files.FS, name string) *files.Seen {
			a := batch(fsys, name).Read(100, make([]byte, 100))[0]
			return &files.Seen{None: errors.Is(a.Err, fs.ErrNotExist), Size: a.Size, ModTime: a.ModTime}
		},
	}
	for _, test := range []struct {
		name, path string
		change     func(file string) error
		want       error
	}{
		{"nothing", "f", func(string) error { return nil }, nil},
		{"nothing is there still", "new", func(string) error { return nil }, nil},
		{"written to, longer", "f", func(file string) error { return os.WriteFile(file, []byte("theirs"), 0o600) }, files.ErrChanged},
		{"written to, of the same size", "f", func(file string) error {
			// Set another time, because the clock may be too coarse to have advanced.
			return errors.Join(os.WriteFile(file, []byte("new"), 0o600), os.Chtimes(file, time.Time{}, time.Unix(2_000_000_000, 0)))
		}, files.ErrChanged},
		{"removed", "f", os.Remove, files.ErrChanged},
		{"created", "new", func(file string) error { return os.WriteFile(file, nil, 0o600) }, files.ErrChanged},
		{"a directory now", "f", func(file string) error { return errors.Join(os.Remove(file), os.Mkdir(file, 0o700)) }, files.ErrIsDir},
		{"a directory created", "new", func(file string) error { return os.Mkdir(file, 0o700) }, files.ErrIsDir},
		{"only read", "f", func(file string) error { _, err := os.ReadFile(file); return err }, nil},
	} {
		for look, saw := range looks {
			t.Run(test.name+"/"+look, func(t *testing.T) {
				dir := t.TempDir()
				write(t, dir, map[string]string{"f": "old"})
				fsys, file := newFS(t, readWrite("w", dir)), filepath.Join(dir, test.path)
				seen := saw(t, fsys, "/w/"+test.path)
				if err := test.change(file); err != nil {
					t.Fatal(err)
				}
				theirs, _ := os.ReadFile(file)
				err := fsys.View("/w").Replace(test.path, []byte("mine"), seen)
				if !errors.Is(err, test.want) {
					t.Fatalf("got %v, want %v", err, test.want)
				}
				if err == nil {
					holds(t, file, "mine")
				} else if now, _ := os.ReadFile(file); string(now) != string(theirs) {
					t.Errorf("it holds %q, want %q", now, theirs)
				}
			})
		}
	}
}

func TestReplaceWritesAllOfIt(t *testing.T) {
	dir := t.TempDir()
	view := newFS(t, readWrite("w", dir)).View("/w")
	for _, size := range []int{1, 4<<20 - 1, 4 << 20, 9<<20 + 3, 0} {
		content := strings.Repeat("0123456789abcde", size/15+1)[:size]
		if err := view.Replace("f", []byte(content), seenOf(t, filepath.Join(dir, "f"))); err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "f")); err != nil || string(got) != content {
			t.Errorf("%d bytes: %d arrived, %v", size, len(got), err)
		}
	}
	if err := view.Replace("g", nil, nil); err != nil {
		t.Fatal(err)
	}
	holds(t, filepath.Join(dir, "g"), "")
}

// TestReplaceAndOpenFiles checks that a process that has the file open keeps the old file.
func TestReplaceAndOpenFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": "old"})
	view := newFS(t, readWrite("w", dir)).View("/w")
	f, err := view.Open("f", 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := view.Replace("f", []byte("new"), nil); err != nil {
		t.Skipf("the host cannot replace an open file: %v", err)
	}
	if got, err := io.ReadAll(f); err != nil || string(got) != "old" {
		t.Errorf("the open file reads %q, %v", got, err)
	}
	if got, err := readFile(view, "f"); err != nil || got != "new" {
		t.Errorf("the new file reads %q, %v", got, err)
	}
}

func TestReplaceInReadOnlyPlacesFails(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"ro/f": "fine", "rw/f": "fine"})
	ro, rw := filepath.Join(top, "ro"), filepath.Join(top, "rw")
	for name, fsys := range map[string]*files.FS{
		"beside one for writing": newFS(t, read("ro", ro), readWrite("rw", rw)), "alone": newFS(t, read("ro", ro)), "no mount": newFS(t),
	} {
		for _, path := range []string{"ro/f", "ro/new", "ro/none/new", "ro", "ro/d/", "new", ".", "/", "none/f"} {
			if err := fsys.View("/").Replace(path, nil, nil); !errors.Is(err, files.ErrReadOnly) {
				t.Errorf("%s: %s: %v", name, path, err)
			}
		}
	}
	if got := filesIn(t, top); !slices.Equal(got, []string{"ro/f", "rw/f"}) {
		t.Errorf("there is %q", got)
	}
	holds(t, filepath.Join(ro, "f"), "fine")
}

// TestReplaceAndDeniedNames checks that deny patterns apply only to names that a guest uses. They
// may match the name of the temporary file, which the guest does not use.
func TestReplaceAndDeniedNames(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": "old", ".env": canary, "keys/k.pem": canary, "keys/f": "old"})
	view := newFS(t, readWrite("w", dir, "**/.*", "keys/*.pem")).View("/w")
	for _, name := range []string{".env", ".ENV", ".new", "keys/k.pem", "keys/new.PEM", ".env/x", "keys/../.env", temp} {
		for _, seen := range []*files.Seen{nil, {None: true}, {Size: 3}} {
			// The answer must not reveal whether the file exists.
			if err := view.Replace(name, []byte("mine"), seen); !errors.Is(err, fs.ErrPermission) || errors.Is(err, files.ErrChanged) {
				t.Errorf("%s with %+v: %v", name, seen, err)
			}
		}
	}
	for _, name := range []string{"f", "keys/f", "keys/new"} {
		if err := view.Replace(name, []byte("mine"), nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		holds(t, filepath.Join(dir, name), "mine")
	}
	if got := filesIn(t, dir); !slices.Equal(got, []string{".env", "f", "keys/f", "keys/k.pem", "keys/new"}) {
		t.Errorf("there is %q", got)
	}
	holds(t, filepath.Join(dir, ".env"), canary)
	holds(t, filepath.Join(dir, "keys/k.pem"), canary)
}

func TestReplaceInScratchSpace(t *testing.T) {
	in := t.TempDir()
	fsys, err := files.New(grants(scratch()), files.Options{ScratchIn: in})
	if err != nil {
		t.Fatal(err)
	}
	view := fsys.View("/tmp")
	for _, content := range []string{"first", "second"} {
		if err := view.Replace("f", []byte(content), nil); err != nil {
			t.Fatal(err)
		}
		if got, err := readFile(view, "f"); err != nil || got != content {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if got := list(t, view, "."); !slices.Equal(got, []string{"f"}) {
		t.Errorf("there is %q", got)
	}
	closed(t, fsys)
	if got := filesIn(t, in); len(got) != 0 {
		t.Errorf("left behind: %q", got)
	}
}

func TestUsageOfReplacing(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": "old", "kept": "old"})
	b, err := hostfuncs.Bind(capability.Grant{FS: grants(readWrite("w", dir), scratch())}, files.Options{ScratchIn: t.TempDir()}, hostfuncs.Services{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, b.Files) })
	root := b.Files.View("/")
	if err := errors.Join(root.Replace("w/f", nil, nil), root.Replace("w/new", nil, nil), root.Replace("w/f", nil, nil), root.Replace("tmp/private", nil, nil)); err != nil {
		t.Fatal(err)
	}
	if err := root.Replace("w/kept", nil, &files.Seen{None: true}); !errors.Is(err, files.ErrChanged) {
		t.Fatal(err)
	}
	if u := b.Usage(); !slices.Equal(u.FilesWritten, []string{"/w/f", "/w/new"}) || len(u.FilesRead) != 0 {
		t.Errorf("it says that %q were written and %q read", u.FilesWritten, u.FilesRead)
	}
}

func TestReplaceAfterTheEnd(t *testing.T) {
	for ending, end := range map[string]func(*files.FS){
		"revoked": (*files.FS).Revoke,
		"closed":  func(fsys *files.FS) { closed(t, fsys) },
	} {
		dir := t.TempDir()
		write(t, dir, map[string]string{"f": "old"})
		fsys := newFS(t, readWrite("w", dir))
		view := fsys.View("/w")
		end(fsys)
		for _, name := range []string{"f", "new", "", "../f"} {
			if err := view.Replace(name, []byte("new"), nil); !errors.Is(err, fs.ErrClosed) {
				t.Errorf("%s: %q: %v", ending, name, err)
			}
		}
		holds(t, filepath.Join(dir, "f"), "old")
		if got := filesIn(t, dir); !slices.Equal(got, []string{"f"}) {
			t.Errorf("%s: there is %q", ending, got)
		}
	}
}
