package files_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

func TestTheGuestSeesItsMounts(t *testing.T) {
	ws, data := t.TempDir(), t.TempDir()
	write(t, ws, map[string]string{"a.txt": "alpha", "dir/b.txt": "beta"})
	write(t, data, map[string]string{"c.txt": "gamma"})
	in := read("data", data)
	in.At = "/mnt/in/data"
	fsys := newFS(t, read("workspace", ws), in)

	root := fsys.View("/")
	for dir, want := range map[string][]string{
		"/":                 {"mnt", "workspace"},
		".":                 {"mnt", "workspace"},
		"/mnt":              {"in"},
		"/mnt/in/":          {"data"},
		"/mnt/in/data":      {"c.txt"},
		"/workspace":        {"a.txt", "dir"},
		"workspace/dir/./.": {"b.txt"},
	} {
		if got := list(t, root, dir); !slices.Equal(got, want) {
			t.Errorf("list %s: got %q, want %q", dir, got, want)
		}
	}
	for name, want := range map[string]string{
		"/workspace/a.txt":            "alpha",
		"workspace/dir/../dir//b.txt": "beta",
		"/mnt/in/data/c.txt":          "gamma",
	} {
		if got, err := readFile(root, name); err != nil || got != want {
			t.Errorf("read %s: got %q, %v, want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"a.txt", "/a.txt", "dir/../a.txt"} {
		if got, err := readFile(fsys.View("/workspace"), name); err != nil || got != "alpha" {
			t.Errorf("read %s in the view of the workspace: got %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"/mnt", "/workspace", "/workspace/dir"} {
		info, err := root.Stat(name)
		if err != nil || !info.IsDir() || info.Name() != filepath.Base(name) {
			t.Errorf("stat %s: got %v, %v", name, info, err)
		}
	}
}

func TestAMountMayBeTheRoot(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"d/a.txt": "alpha"})
	grant := read("workspace", dir)
	grant.At = "/"
	fsys := newFS(t, grant)
	if got := list(t, fsys.View("/"), "/"); !slices.Equal(got, []string{"d"}) {
		t.Errorf("list /: got %q", got)
	}
	if got, err := readFile(fsys.View("/"), "/d/a.txt"); err != nil || got != "alpha" {
		t.Errorf("read /d/a.txt: got %q, %v", got, err)
	}
	if got, err := readFile(fsys.View("/d"), "a.txt"); err != nil || got != "alpha" {
		t.Errorf("read a.txt in /d: got %q, %v", got, err)
	}
}

func TestNoGrantIsAnEmptyRoot(t *testing.T) {
	fsys := newFS(t)
	if got := list(t, fsys.View("/"), "."); len(got) != 0 {
		t.Errorf("list /: got %q", got)
	}
	if _, err := readFile(fsys.View("/"), "etc/passwd"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("read etc/passwd: got %v", err)
	}
}

func TestNewFSRefuses(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"file": "", "sub/x": "", "other/y": ""})
	sub, other := filepath.Join(dir, "sub"), filepath.Join(dir, "other")
	at := func(g capability.GrantedFS, at string) capability.GrantedFS {
		g.At = at
		return g
	}
	noMode := read("workspace", dir)
	noMode.Mode = capability.ModeNone
	tests := []struct {
		name   string
		grants []capability.GrantedFS
		want   string
	}{
		{"no directory", []capability.GrantedFS{read("w", "")}, "has no directory"},
		{"missing directory", []capability.GrantedFS{read("w", filepath.Join(dir, "none"))}, "does not exist"},
		{"file", []capability.GrantedFS{read("w", filepath.Join(dir, "file"))}, "not a directory"},
		{"below a file", []capability.GrantedFS{read("w", filepath.Join(dir, "file", "x"))}, "directory"},
		{"no access", []capability.GrantedFS{noMode}, "mode none"},
		{"relative guest path", []capability.GrantedFS{at(read("w", dir), "w")}, "absolute and clean"},
		{"guest path with dots", []capability.GrantedFS{at(read("w", dir), "/a/../b")}, "absolute and clean"},
		{"guest path that leads upwards", []capability.GrantedFS{at(read("w", dir), "/../b")}, "absolute and clean"},
		{"guest path with a slash at the end", []capability.GrantedFS{at(read("w", dir), "/a/")}, "absolute and clean"},
		{"guest path with NUL", []capability.GrantedFS{at(read("w", dir), "/a\x00")}, "absolute and clean"},
		{"one guest path twice", []capability.GrantedFS{at(read("a", sub), "/x"), at(read("b", other), "/x")}, "separate paths"},
		{"nested guest paths", []capability.GrantedFS{at(read("a", sub), "/x/y"), at(read("b", other), "/x")}, "separate paths"},
		{"root and another", []capability.GrantedFS{at(read("a", sub), "/"), read("b", other)}, "separate paths"},
		{"bad pattern", []capability.GrantedFS{read("w", dir, "[")}, "deny pattern \"[\""},
		{"same directory, one with deny", []capability.GrantedFS{read("a", sub, "x"), read("b", sub)}, "shares files"},
		{"deny in the directory above", []capability.GrantedFS{read("a", sub), read("b", dir, "sub/x")}, "shares files"},
		{"deny in the directory below", []capability.GrantedFS{read("a", sub, "x"), read("b", dir)}, "shares files"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fsys, err := files.New(test.grants, files.Options{})
			if err == nil {
				_ = fsys.Close()
				t.Fatal("accepted")
			}
			var mountErr *files.MountError
			if !errors.As(err, &mountErr) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want a MountError with %q", err, test.want)
			}
			if last := test.grants[len(test.grants)-1].Mount; !strings.HasPrefix(err.Error(), "mount "+last+": ") {
				t.Errorf("the text does not name the mount: %v", err)
			}
			noHostPath(t, err, dir)
		})
	}
}

func TestMountsMayShareFilesWithoutDeny(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"sub/x": "X"})
	fsys := newFS(t, read("all", dir), read("sub", filepath.Join(dir, "sub")))
	for _, name := range []string{"/all/sub/x", "/sub/x"} {
		if got, err := readFile(fsys.View("/"), name); err != nil || got != "X" {
			t.Errorf("read %s: got %q, %v", name, got, err)
		}
	}
}

// TestTheMountedDirectoryIsHeld replaces the mounted directory on the host. The guest must still
// see the original, because the replacement was not granted.
func TestTheMountedDirectoryIsHeld(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "ws")
	write(t, parent, map[string]string{"ws/f": "granted", "new/f": canary})
	fsys := newFS(t, read("workspace", dir))
	if err := os.Rename(dir, filepath.Join(parent, "old")); err != nil {
		t.Skipf("the host cannot rename an open directory: %v", err)
	}
	if err := os.Rename(filepath.Join(parent, "new"), dir); err != nil {
		t.Fatal(err)
	}
	if got, err := readFile(fsys.View("/workspace"), "f"); err != nil || got != "granted" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestFileReadsAndSeeks(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": "0123456789"})
	f, err := newFS(t, read("w", dir)).View("/w").Open("f", files.OpenNoFollow)
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 4)
	if n, err := f.Read(buf); n != 4 || err != nil || string(buf) != "0123" {
		t.Errorf("Read: %d, %v, %q", n, err, buf)
	}
	if n, err := f.ReadAt(buf, 8); n != 2 || err != nil || string(buf[:n]) != "89" {
		t.Errorf("ReadAt near the end: %d, %v", n, err)
	}
	if n, err := f.ReadAt(buf, 10); n != 0 || err != io.EOF {
		t.Errorf("ReadAt the end: %d, %v", n, err)
	}
	if _, err := f.ReadAt(buf, -1); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("ReadAt a negative offset: %v", err)
	}
	if at, err := f.Seek(-2, io.SeekEnd); at != 8 || err != nil {
		t.Errorf("Seek: %d, %v", at, err)
	}
	if n, err := f.Read(buf); n != 2 || err != nil {
		t.Errorf("Read near the end: %d, %v", n, err)
	}
	if n, err := f.Read(buf); n != 0 || err != io.EOF {
		t.Errorf("Read at the end: %d, %v", n, err)
	}
	for _, seek := range []struct {
		offset int64
		whence int
	}{{-1, io.SeekStart}, {0, 3}, {0, 4}, {0, -1}} {
		if _, err := f.Seek(seek.offset, seek.whence); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("Seek(%d, %d): %v", seek.offset, seek.whence, err)
		}
	}
	if info, err := f.Stat(); err != nil || info.Size() != 10 || info.Name() != "f" {
		t.Errorf("Stat: %v, %v", info, err)
	}
	if _, err := f.ReadDir(1); !errors.Is(err, files.ErrNotDir) {
		t.Errorf("ReadDir of a file: %v", err)
	}
	if f.IsDir() || f.Path() != "/w/f" {
		t.Errorf("IsDir %v, Path %s", f.IsDir(), f.Path())
	}
}

// TestOneReadIsBounded checks that one Read is limited, so that a guest that reads gigabytes stops
// soon after the end of the call.
func TestOneReadIsBounded(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"sparse": ""})
	if err := os.Truncate(filepath.Join(dir, "sparse"), 1<<40); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	f, err := newFS(t, read("w", dir)).View("/w").Open("sparse", 0)
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 16<<20)
	if n, err := f.Read(buf); err != nil || n == 0 || n > 4<<20 {
		t.Errorf("Read: %d, %v", n, err)
	}
	if n, err := f.ReadAt(buf, 1<<39); err != nil || n == 0 || n > 4<<20 {
		t.Errorf("ReadAt: %d, %v", n, err)
	}
}

func TestADirectoryIsNotAFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"d/x": ""})
	fsys := newFS(t, read("w", dir))
	for _, name := range []string{"/", "/w", "/w/d"} {
		f, err := fsys.View("/").Open(name, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Read(make([]byte, 1)); !errors.Is(err, files.ErrIsDir) {
			t.Errorf("Read %s: %v", name, err)
		}
		if _, err := f.ReadAt(make([]byte, 1), 0); !errors.Is(err, files.ErrIsDir) {
			t.Errorf("ReadAt %s: %v", name, err)
		}
		for _, offset := range []int64{1, -1} {
			if _, err := f.Seek(offset, io.SeekStart); !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("Seek %s to %d: %v", name, offset, err)
			}
		}
	}
}

func TestListingCountsExactly(t *testing.T) {
	dir := t.TempDir()
	many := make(map[string]string)
	for i := range 1500 {
		many[fmt.Sprintf("f%04d", i)] = ""
		if i%3 == 0 {
			many[fmt.Sprintf("s%04d.secret", i)] = ""
		}
	}
	write(t, dir, many)
	f, err := newFS(t, read("w", dir, "*.secret")).View("/w").Open(".", 0)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var seen []string
		for {
			entries, err := f.ReadDir(350)
			if err != nil {
				t.Fatal(err)
			}
			seen = append(seen, names(entries)...)
			if len(entries) > 350 {
				t.Fatalf("%d entries when 350 were asked for", len(entries))
			}
			// The engine treats a short result as the end of the directory.
			if len(entries) < 350 {
				break
			}
		}
		slices.Sort(seen)
		seen = slices.Compact(seen)
		if len(seen) != 1500 || seen[0] != "f0000" {
			t.Fatalf("saw %d names from %s on", len(seen), seen[0])
		}
		if entries, err := f.ReadDir(1); len(entries) != 0 || err != nil {
			t.Errorf("after the end: %v, %v", entries, err)
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpenFilesAreCapped(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": ""})
	fsys := newFSWith(t, files.Options{MaxOpenFiles: 3}, read("w", dir))
	view := fsys.View("/")
	var open []*files.File
	for _, name := range []string{"/", "/w", "/w/f"} {
		f, err := view.Open(name, 0)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, f)
	}
	// A failed open takes no slot.
	for range 5 {
		if _, err := view.Open("/w/none", 0); !errors.Is(err, files.ErrTooManyOpen) && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("open a missing file: %v", err)
		}
	}
	if _, err := view.Open("/w/f", 0); !errors.Is(err, files.ErrTooManyOpen) {
		t.Errorf("open a fourth file: %v", err)
	}
	if got := fsys.LimitHit(); got != "open files (3)" {
		t.Errorf("LimitHit: %q", got)
	}
	if err := open[0].Close(); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if _, err := view.Open("/w/none", 0); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("open a missing file: %v", err)
		}
	}
	if _, err := view.Open("/w/f", 0); err != nil {
		t.Errorf("open after a close: %v", err)
	}
}

func TestNoLimitWasHit(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": ""})
	fsys := newFS(t, read("w", dir))
	for range 3 * files.DefaultMaxOpenFiles {
		if _, err := readFile(fsys.View("/"), "/w/f"); err != nil {
			t.Fatal(err)
		}
	}
	if got := fsys.LimitHit(); got != "" {
		t.Errorf("LimitHit: %q", got)
	}
}

func TestNothingWorksAfterwards(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": "x", "d/g": ""})
	ends := map[string]func(*files.FS){
		"Revoke": (*files.FS).Revoke,
		"Close":  func(f *files.FS) { _ = f.Close() },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			fsys := newFS(t, read("w", dir))
			view := fsys.View("/w")
			f, err := view.Open("f", 0)
			if err != nil {
				t.Fatal(err)
			}
			d, err := view.Open("d", 0)
			if err != nil {
				t.Fatal(err)
			}
			end(fsys)
			buf := make([]byte, 1)
			for op, do := range map[string]func() error{
				"open":          func() error { _, err := view.Open("f", 0); return err },
				"open /":        func() error { _, err := fsys.View("/").Open("/", 0); return err },
				"stat":          func() error { _, err := view.Stat("f"); return err },
				"lstat":         func() error { _, err := view.Lstat("f"); return err },
				"readlink":      func() error { _, err := view.Readlink("f"); return err },
				"read":          func() error { _, err := f.Read(buf); return err },
				"read at":       func() error { _, err := f.ReadAt(buf, 0); return err },
				"seek":          func() error { _, err := f.Seek(0, 0); return err },
				"stat of file":  func() error { _, err := f.Stat(); return err },
				"read dir":      func() error { _, err := d.ReadDir(1); return err },
				"rewind of dir": func() error { _, err := d.Seek(0, 0); return err },
			} {
				if err := do(); !errors.Is(err, fs.ErrClosed) {
					t.Errorf("%s: %v", op, err)
				}
			}
			if err := fsys.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			if err := fsys.Close(); err != nil {
				t.Errorf("Close again: %v", err)
			}
			if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
				t.Errorf("close of a file: %v", err)
			}
		})
	}
}

func TestAFileClosesOnce(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": "x"})
	fsys := newFS(t, read("w", dir))
	for _, name := range []string{"/", "/w", "/w/f"} {
		f, err := fsys.View("/").Open(name, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Errorf("close %s: %v", name, err)
		}
		if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("close %s again: %v", name, err)
		}
		if _, err := f.Stat(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("stat %s after close: %v", name, err)
		}
	}
}

// TestClosingWhileInUse calls all methods concurrently while the FS closes. Run it with the race
// detector.
func TestClosingWhileInUse(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": strings.Repeat("x", 1000), "d/g": ""})
	for range 50 {
		fsys := newFS(t, read("w", dir, "none"))
		view := fsys.View("/w")
		var users sync.WaitGroup
		for range 4 {
			users.Go(func() {
				for {
					f, err := view.Open("f", 0)
					if errors.Is(err, fs.ErrClosed) {
						return
					}
					if err != nil {
						t.Errorf("open: %v", err)
						return
					}
					_, _ = io.ReadAll(f)
					_, _ = f.Stat()
					_ = f.Close()
					if d, err := view.Open("d", 0); err == nil {
						_, _ = d.ReadDir(0)
						_, _ = d.Seek(0, 0)
						_ = d.Close()
					}
				}
			})
		}
		_, _ = view.Stat("f")
		if err := fsys.Close(); err != nil {
			t.Error(err)
		}
		users.Wait()
	}
}

// TestErrorsNameOnlyGuestPaths checks that every host error becomes one of a few errors for the
// guest, without a host path.
func TestErrorsNameOnlyGuestPaths(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": "", "d/x": ""})
	view := newFS(t, read("w", dir)).View("/w")
	for _, name := range []string{"none", "none/x", "f/x", "f/", "../x", "", "a\x00", strings.Repeat("n", 300)} {
		var errs []error
		_, err := view.Open(name, 0)
		errs = append(errs, err)
		_, err = view.Stat(name)
		errs = append(errs, err)
		_, err = view.Lstat(name)
		errs = append(errs, err)
		_, err = view.Readlink(name)
		errs = append(errs, err)
		for _, err := range errs {
			if pathErr := (*fs.PathError)(nil); !errors.As(err, &pathErr) {
				t.Errorf("%q: got %v, want a PathError with the guest path", name, err)
			}
			noHostPath(t, err, dir)
		}
	}
}
