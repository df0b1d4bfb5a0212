package guestfs_test

import (
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero/experimental/sys"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/runtime/internal/guestfs"
)

// methods lists all methods of the engine's interfaces with how this package implements them. The
// test fails for a method that a later engine adds, so that a developer decides about it.
var (
	fsMethods = map[string]string{
		"OpenFile": "reads or writes", "Lstat": "reads", "Stat": "reads", "Readlink": "reads",
		"Mkdir": "writes", "Chmod": "refused", "Rename": "writes", "Rmdir": "writes", "Link": "refused",
		"Symlink": "refused", "Unlink": "writes", "Utimens": "writes",
	}
	fileMethods = map[string]string{
		"Dev": "reads", "Ino": "reads", "IsDir": "reads", "IsAppend": "reads", "Stat": "reads", "Read": "reads",
		"Pread": "reads", "Seek": "reads", "Readdir": "reads", "Close": "reads", "Sync": "writes", "Datasync": "writes",
		"SetAppend": "writes", "Write": "writes", "Pwrite": "writes", "Truncate": "writes", "Utimens": "writes",
	}
)

func TestEveryMethodOfEngineIsKnown(t *testing.T) {
	for _, test := range []struct {
		iface reflect.Type
		known map[string]string
	}{
		{reflect.TypeFor[sys.FS](), fsMethods},
		{reflect.TypeFor[sys.File](), fileMethods},
	} {
		if n := test.iface.NumMethod(); n != len(test.known) {
			t.Errorf("%v has %d methods, %d are known", test.iface, n, len(test.known))
		}
		for i := range test.iface.NumMethod() {
			if name := test.iface.Method(i).Name; test.known[name] == "" {
				t.Errorf("%v.%s is new", test.iface, name)
			}
		}
	}
}

// No method may come from a default of the engine, which returns ENOSYS today and may do something
// else in a later version.
func TestNoMethodIsInherited(t *testing.T) {
	ws := t.TempDir()
	write(t, ws, map[string]string{"f": ""})
	fsys := guestfs.New(always(newFS(t, files.Options{}, ws)), "/workspace", &guestfs.Traces{})
	regular, _ := fsys.OpenFile("f", sys.O_RDONLY, 0)
	preopen, _ := fsys.OpenFile(".", sys.O_RDONLY, 0)
	for _, value := range []any{fsys, regular, preopen} {
		typ := reflect.TypeOf(value).Elem()
		for i := range typ.NumField() {
			if field := typ.Field(i); field.Anonymous && field.Type.PkgPath() != typ.PkgPath() {
				t.Errorf("%v embeds %v", typ, field.Type)
			}
		}
	}
	if _, ok := regular.(sys.PollableFile); ok {
		t.Error("files can be polled, which may block")
	}
}

// TestChangesAreRefused calls each method that would change something, as the engine would, on
// every kind of file of a read-only mount.
func TestChangesAreRefused(t *testing.T) {
	ws := t.TempDir()
	write(t, ws, map[string]string{"f": "fine", "d/g": ""})
	fsys := guestfs.New(always(newFS(t, files.Options{}, ws)), "/workspace", &guestfs.Traces{})
	for _, name := range []string{"f", "d", "new", ".", "../x", ""} {
		for op, errno := range map[string]sys.Errno{
			"Mkdir":   fsys.Mkdir(name, 0o755),
			"Chmod":   fsys.Chmod(name, 0o777),
			"Rename":  fsys.Rename(name, "g"),
			"Rmdir":   fsys.Rmdir(name),
			"Unlink":  fsys.Unlink(name),
			"Utimens": fsys.Utimens(name, 0, 0),
		} {
			if errno != sys.EROFS {
				t.Errorf("%s %q: %v", op, name, errno)
			}
		}
		if errno := fsys.Link(name, "g"); errno != sys.EPERM {
			t.Errorf("Link %q: %v", name, errno)
		}
		if errno := fsys.Symlink("f", name); errno != sys.EPERM {
			t.Errorf("Symlink %q: %v", name, errno)
		}
	}
	for name, perm := range map[string]fs.FileMode{"f": 0o600, "d": 0o600, ".": 0} {
		file, errno := fsys.OpenFile(name, sys.O_RDONLY, perm)
		if errno != 0 {
			t.Fatal(errno)
		}
		_, writeErrno := file.Write([]byte("x"))
		_, pwriteErrno := file.Pwrite([]byte("x"), 0)
		for op, errno := range map[string]sys.Errno{
			"Write": writeErrno, "Pwrite": pwriteErrno, "Truncate": file.Truncate(0),
			"Utimens": file.Utimens(0, 0), "SetAppend": file.SetAppend(true),
		} {
			if errno != sys.EROFS {
				t.Errorf("%s of %s: %v", op, name, errno)
			}
		}
		if file.IsAppend() || file.SetAppend(false) != 0 || file.Sync() != 0 || file.Datasync() != 0 {
			t.Errorf("%s: a harmless method fails", name)
		}
		if errno := file.Close(); errno != 0 {
			t.Errorf("Close of %s: %v", name, errno)
		}
	}
}

// TestUnknownOpenFlagsAreRefused opens a file with each flag bit that the engine has or may add,
// one bit at a time.
func TestUnknownOpenFlagsAreRefused(t *testing.T) {
	ws := t.TempDir()
	write(t, ws, map[string]string{"f": "fine"})
	fsys := guestfs.New(always(newFS(t, files.Options{}, ws)), "/workspace", &guestfs.Traces{})
	harmless := []sys.Oflag{sys.O_RDONLY, sys.O_NOFOLLOW, sys.O_NONBLOCK, sys.O_DSYNC, sys.O_RSYNC, sys.O_SYNC}
	for bit := range 33 {
		flag := sys.Oflag(uint64(1) << bit) // the last shift gives 0
		_, errno := fsys.OpenFile("f", flag, 0o600)
		switch {
		case slices.Contains(harmless, flag):
			if errno != 0 {
				t.Errorf("flag %b: %v", flag, errno)
			}
		case flag == sys.O_DIRECTORY:
			if errno != sys.ENOTDIR {
				t.Errorf("O_DIRECTORY: %v", errno)
			}
		case errno != sys.EROFS:
			t.Errorf("flag %b: %v", flag, errno)
		}
	}
}

// Without a call, no file is accessible. Only the engine itself can still open a preopen, because
// it would panic otherwise.
func TestNothingIsReachedWithoutCall(t *testing.T) {
	fsys := guestfs.New(func() *files.FS { return nil }, "/", &guestfs.Traces{})
	if _, errno := fsys.OpenFile("f", sys.O_RDONLY, 0o600); errno != sys.EBADF {
		t.Errorf("OpenFile: %v", errno)
	}
	if _, errno := fsys.Stat("."); errno != sys.EBADF {
		t.Errorf("Stat: %v", errno)
	}
	if _, errno := fsys.Lstat("."); errno != sys.EBADF {
		t.Errorf("Lstat: %v", errno)
	}
	if _, errno := fsys.Readlink("x"); errno != sys.EBADF {
		t.Errorf("Readlink: %v", errno)
	}
	dir, errno := fsys.OpenFile(".", sys.O_RDONLY, 0)
	if errno != 0 {
		t.Fatalf("open the preopen: %v", errno)
	}
	if isDir, errno := dir.IsDir(); !isDir || errno != 0 {
		t.Errorf("IsDir: %v, %v", isDir, errno)
	}
	if _, errno := dir.Stat(); errno != sys.EBADF {
		t.Errorf("Stat of the preopen: %v", errno)
	}
	if _, errno := dir.Readdir(1); errno != sys.EBADF {
		t.Errorf("Readdir of the preopen: %v", errno)
	}
	if errno := dir.Close(); errno != 0 {
		t.Errorf("Close: %v", errno)
	}
}

// A preopen that an instance keeps shows each call its own files.
func TestPreopenShowsFilesOfCurrentCall(t *testing.T) {
	var calls []*files.FS
	for _, name := range []string{"one", "two"} {
		ws := t.TempDir()
		write(t, ws, map[string]string{name: ""})
		calls = append(calls, newFS(t, files.Options{}, ws))
	}
	now := 0
	fsys := guestfs.New(func() *files.FS { return calls[now] }, "/workspace", &guestfs.Traces{})
	dir, errno := fsys.OpenFile(".", sys.O_RDONLY, 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	for i, want := range []string{"one", "two"} {
		now = i
		for range 2 {
			if entries, errno := dir.Readdir(10); errno != 0 || len(entries) != 1 || entries[0].Name != want {
				t.Errorf("call %d: %v, %v", i, entries, errno)
			}
			if _, errno := dir.Seek(0, 0); errno != 0 {
				t.Errorf("Seek: %v", errno)
			}
		}
		_ = calls[i].Close()
		if _, errno := dir.Readdir(10); errno != sys.EBADF {
			t.Errorf("after call %d: %v", i, errno)
		}
	}
	if errno := dir.Close(); errno != 0 {
		t.Errorf("Close: %v", errno)
	}
	now = 0
	if _, errno := dir.Stat(); errno != sys.EBADF {
		t.Errorf("Stat after Close: %v", errno)
	}
}

// Any two directories have different inode numbers, because a guest that detects cycles stops at
// equal numbers.
func TestDirectoriesHaveDifferentInodes(t *testing.T) {
	ws := t.TempDir()
	write(t, ws, map[string]string{"d/e/f": ""})
	fsys := guestfs.New(always(newFS(t, files.Options{}, ws)), "/", &guestfs.Traces{})
	seen := make(map[[2]uint64]string)
	for _, name := range []string{".", "workspace", "workspace/d", "workspace/d/e"} {
		st, errno := fsys.Stat(name)
		if errno != 0 {
			t.Fatal(errno)
		}
		id := [2]uint64{st.Dev, st.Ino}
		if other, ok := seen[id]; ok {
			t.Errorf("%s and %s have the number %d", other, name, id)
		}
		seen[id] = name
		file, errno := fsys.OpenFile(name, sys.O_RDONLY, 0o600)
		if errno != 0 {
			t.Fatal(errno)
		}
		if ino, errno := file.Ino(); errno != 0 || ino != st.Ino {
			t.Errorf("%s has the number %d open and %d by path", name, ino, st.Ino)
		}
	}
}

// A listing gives no inode number, or the number that Stat returns: a guest asks for a number that
// is 0, and believes any other.
func TestListingGivesNoWrongInodes(t *testing.T) {
	ws := t.TempDir()
	write(t, ws, map[string]string{"d/f": "", "g": ""})
	fsys := guestfs.New(always(newFS(t, files.Options{}, ws)), "/", &guestfs.Traces{})
	for dir, want := range map[string]int{".": 1, "workspace": 2, "workspace/d": 1} {
		file, errno := fsys.OpenFile(dir, sys.O_RDONLY|sys.O_DIRECTORY, 0)
		if errno != 0 {
			t.Fatal(errno)
		}
		entries, errno := file.Readdir(-1)
		if errno != 0 || len(entries) != want {
			t.Errorf("%s: %d entries, %v", dir, len(entries), errno)
		}
		for _, e := range entries {
			if st, errno := fsys.Lstat(filepath.ToSlash(filepath.Join(dir, e.Name))); errno != 0 || e.Ino != 0 && e.Ino != st.Ino {
				t.Errorf("%s in %s has the number %d in the listing and %d alone (%v)", e.Name, dir, e.Ino, st.Ino, errno)
			}
		}
		if errno := file.Close(); errno != 0 {
			t.Error(errno)
		}
	}
}
