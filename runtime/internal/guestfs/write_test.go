//go:build unix

package guestfs_test

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// step is an operation and the error that it must return.
type step struct {
	op
	want string
}

// perform runs the steps in one guest.
func perform(t *testing.T, fsys *files.FS, steps ...step) []result {
	t.Helper()
	ops := make([]op, len(steps))
	for i, s := range steps {
		ops[i] = s.op
	}
	results := run(t, always(fsys), ops...)
	for i, r := range results {
		if s := steps[i]; r.Errno != s.want {
			t.Errorf("%d: %s %q %q (oflags %b, rights %b): got %q, want %q", i, s.Op, s.Path, s.Path2, s.OFlags, s.Rights, r.Errno, s.want)
		}
	}
	return results
}

// openTo returns a path_open with rights, creation flags and descriptor flags.
func openTo(name string, rights uint64, oflags, fdflags uint32) op {
	o := open(name)
	o.Rights, o.OFlags, o.FDFlags = rights, oflags, fdflags
	return o
}

func data(s string) []byte { return []byte(s) }

func holds(t testing.TB, file, want string) {
	t.Helper()
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%s: got %q, %v, want %q", filepath.Base(file), got, err, want)
	}
}

func missing(t testing.TB, file string) {
	t.Helper()
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s exists: %v", filepath.Base(file), err)
	}
}

// TestGuestWritesWhatIsGranted does what programs in common languages do, with the calls that their
// libraries make.
func TestGuestWritesWhatIsGranted(t *testing.T) {
	const rw = rightRead | rightWrite
	for name, deny := range map[string][]string{"plain": nil, "deny": {"no-such-name"}} {
		t.Run(name, func(t *testing.T) {
			ws := t.TempDir()
			write(t, ws, map[string]string{"old": "0123456789", "script": "x"})
			if err := os.Chmod(filepath.Join(ws, "script"), 0o755); err != nil {
				t.Fatal(err)
			}
			results := perform(
				t, newWritableFS(t, files.Options{}, ws, deny...),
				// As fopen "w" and File::create do.
				step{openTo("new", rightWrite, oflagCreat|oflagTrunc, 0), ""},
				step{op{Op: "fd_write", FD: last, Data: data("hello")}, ""},
				step{op{Op: "fd_read", FD: last, Bytes: 1}, "EBADF"},
				step{op{Op: "fd_sync", FD: last}, ""},
				step{op{Op: "fd_close", FD: last}, ""},
				// Open the file twice, as fopen with the mode "a" does: each write goes to the end.
				step{openTo("new", rightWrite, oflagCreat, fdflagAppend), ""},
				step{op{Op: "fd_write", FD: last, Data: data("+1")}, ""},
				step{op{Op: "fd_seek", FD: last}, ""},
				step{op{Op: "fd_write", FD: last, Data: data("+2")}, ""},
				step{op{Op: "fd_pwrite", FD: last, Offset: 1, Data: data("E")}, ""},
				step{op{Op: "fd_fdstat_set_flags", FD: last}, ""},
				step{op{Op: "fd_seek", FD: last}, ""},
				step{op{Op: "fd_write", FD: last, Data: data("H")}, ""},
				step{op{Op: "fd_fdstat_set_flags", FD: last, FDFlags: fdflagAppend}, ""},
				step{op{Op: "fd_write", FD: last, Data: data("+3")}, ""},
				// fopen "r+"
				step{openTo("old", rw, 0, 0), ""},
				step{op{Op: "fd_pwrite", FD: last, Offset: 12, Data: data("c")}, ""},
				step{op{Op: "fd_filestat_set_size", FD: last, Size: 14}, ""},
				step{op{Op: "fd_allocate", FD: last, Offset: 14, Size: 1}, ""},
				step{op{Op: "fd_filestat_set_times", FD: last, Size: 5, FDFlags: setMtim}, ""},
				step{op{Op: "fd_filestat_get", FD: last}, ""},
				// open O_CREAT|O_EXCL
				step{openTo("old", rw, oflagCreat|oflagExcl, 0), "EEXIST"},
				step{openTo("lock", rw, oflagCreat|oflagExcl, 0), ""},
				// If the guest requests no rights, the engine creates the file for reading and
				// writing.
				step{openTo("bare", 0, oflagCreat, 0), ""},
				step{op{Op: "fd_write", FD: last, Data: data("x")}, ""},
				// Operations on an open directory and its content.
				step{op{Op: "path_create_directory", FD: fdWork, Path: path("d")}, ""},
				step{op{Op: "path_create_directory", FD: fdWork, Path: path("d/e/")}, ""},
				step{openTo("d", rightRead, oflagDirectory, 0), ""},
				step{op{Op: "path_rename", FD: fdWork, Path: path("lock"), FD2: last, Path2: path("e/lock")}, ""},
				step{op{Op: "path_filestat_set_times", FD: fdWork, Path: path("d"), Size: 7, FDFlags: setMtim}, ""},
				step{op{Op: "path_filestat_set_times", FD: fdWork, Path: path("d/e/lock"), Flags: symlinkFollow, FDFlags: setAtimNow | setMtimNow}, ""},
				step{op{Op: "path_remove_directory", FD: fdWork, Path: path("d/e")}, "ENOTEMPTY"},
				step{op{Op: "path_unlink_file", FD: fdRoot, Path: path("workspace/d/e/lock")}, ""},
				step{op{Op: "path_remove_directory", FD: fdWork, Path: path("d/e/")}, ""},
				// Atomic replace
				step{openTo(files.TempPrefix+"1", rightWrite, oflagCreat|oflagExcl, 0), ""},
				step{op{Op: "fd_write", FD: last, Data: data("#!")}, ""},
				step{op{Op: "path_rename", FD: fdWork, Path: path(files.TempPrefix + "1"), FD2: fdWork, Path2: path("script")}, ""},
				// Operations of Go's library.
				step{op{Op: "mkdir_all", Path: path("/workspace/a/b/c")}, ""},
				step{op{Op: "write_file", Path: path("/workspace/a/b/c/f")}, ""},
				step{op{Op: "chtimes", Path: path("/workspace/a/b/c/f")}, ""},
				step{op{Op: "rename", Path: path("/workspace/a/b/c/f"), Path2: path("/workspace/a/g")}, ""},
				step{op{Op: "remove_all", Path: path("/workspace/a/b")}, ""},
			)
			holds(t, filepath.Join(ws, "new"), "HEllo+1+2+3")
			holds(t, filepath.Join(ws, "old"), "0123456789\x00\x00c\x00\x00")
			holds(t, filepath.Join(ws, "script"), "#!")
			holds(t, filepath.Join(ws, "a/g"), "written")
			missing(t, filepath.Join(ws, "a/b"))
			const mtim = 48
			if got := binary.LittleEndian.Uint64(results[20].Data[mtim:]); got != 5 {
				t.Errorf("mtim %d", got)
			}
			if info, err := os.Stat(filepath.Join(ws, "script")); err != nil || info.Mode() != 0o755 {
				t.Errorf("the mode of what was replaced: %v, %v", info.Mode(), err)
			}
			if info, err := os.Stat(filepath.Join(ws, "a/g")); err != nil || info.ModTime().Unix() != 2 {
				t.Errorf("time: %v, %v", info.ModTime(), err)
			}
		})
	}
}

// The umask determines the mode of created files and directories, so that other users may have
// access to them.
func TestUmaskAppliesToCreatedFiles(t *testing.T) {
	old := syscall.Umask(0o022)
	t.Cleanup(func() { syscall.Umask(old) })
	ws := t.TempDir()
	perform(
		t, newWritableFS(t, files.Options{}, ws),
		step{openTo("f", rightWrite, oflagCreat, 0), ""},
		step{op{Op: "path_create_directory", FD: fdWork, Path: path("d")}, ""},
	)
	for name, want := range map[string]fs.FileMode{"f": 0o644, "d": fs.ModeDir | 0o755} {
		if info, err := os.Stat(filepath.Join(ws, name)); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// The attack list for a writable mount: nothing outside or denied changes, no link is created, and
// no write follows a link to the outside.
func TestGuestWritesNothingElse(t *testing.T) {
	const rw = rightRead | rightWrite
	for mount, deny := range map[string][]string{"plain": nil, "deny": {"**/.env", ".git/**"}} {
		t.Run(mount, func(t *testing.T) {
			top, ws := hostile(t)
			if err := os.Symlink("nowhere", filepath.Join(ws, "inner")); err != nil {
				t.Fatal(err)
			}
			untouched(t, top)
			// or returns plain if the mount has no deny patterns, and otherwise strict.
			or := func(plain, strict string) string {
				if deny != nil {
					return strict
				}
				return plain
			}
			var steps []step
			for _, target := range []struct{ path, want string }{
				{"up", or("EPERM", "EACCES")},        // A2
				{"abs", or("EPERM", "EACCES")},       // A2
				{"updir/f", or("EPERM", "EACCES")},   // A2
				{"updir/new", or("EPERM", "EACCES")}, // A11
				{"dots/secret", or("EPERM", "EACCES")},
				{"dangling", or("EPERM", "EACCES")}, // A14
				{"inner", or("ELOOP", "EACCES")},    // A14
				{"loop", or("ELOOP", "EACCES")},
				{"fifo", "EACCES"},     // A7
				{"../secret", "EPERM"}, // A10, A12
				{"../ws-evil/f", "EPERM"},
				{"/etc/passwd", "EPERM"},
				{"d/../../x", "EPERM"},
				{"new\x00", "EINVAL"},
				{strings.Repeat("x", 256), "ENAMETOOLONG"},
				{"d", "EISDIR"},
				{".", "EISDIR"},
				{"new/", "EISDIR"},
			} {
				for _, oflags := range []uint32{oflagCreat, oflagCreat | oflagTrunc} {
					for _, rights := range []uint64{rw, rightWrite} {
						for _, fdflags := range []uint32{0, fdflagAppend, fdflagNonblock} {
							steps = append(steps, step{openTo(target.path, rights, oflags, fdflags), target.want})
						}
					}
				}
			}
			for _, name := range []string{"up", "abs", "updir", "dangling", "inner", "loop", "fifo", "f", "d", ".git", ".env"} {
				// With O_EXCL, the link is not followed, and its name already exists.
				want := "EEXIST"
				if deny != nil && strings.HasPrefix(name, ".") {
					want = "EACCES"
				}
				steps = append(
					steps,
					step{openTo(name, rw, oflagCreat|oflagExcl, 0), want},
					step{op{Op: "path_create_directory", FD: fdWork, Path: path(name)}, want},
					// A1, A9
					step{op{Op: "path_symlink", Path: path("../secret"), FD: fdWork, Path2: path(name)}, "EPERM"},
					step{op{Op: "path_symlink", Path: path("f"), FD: fdWork, Path2: path("lnk")}, "EPERM"},
					step{op{Op: "path_link", FD: fdWork, Path: path("f"), FD2: fdWork, Path2: path("lnk")}, "EPERM"},
					step{op{Op: "path_link", FD: fdWork, Path: path(name), FD2: fdRoot, Path2: path("workspace/lnk")}, "ENOSYS"},
				)
			}
			// A3: opening with read rights does not truncate, and a file opened for reading is not
			// written.
			steps = append(
				steps,
				step{openTo("f", rightRead, oflagTrunc, 0), "EINVAL"},
				step{openTo("f", rightRead, oflagTrunc|oflagCreat, 0), "EINVAL"},
				step{open("f"), ""},
				step{op{Op: "fd_write", FD: last, Data: data("x")}, "EBADF"},
				step{op{Op: "fd_pwrite", FD: last, Data: data("x")}, "EBADF"},
				step{op{Op: "fd_filestat_set_size", FD: last}, "EBADF"},
				step{op{Op: "fd_allocate", FD: last, Size: 100}, "EBADF"},
				step{op{Op: "fd_fdstat_set_flags", FD: last, FDFlags: fdflagAppend}, "EBADF"},
				// The root and the mount itself are not writable.
				step{op{Op: "path_create_directory", FD: fdRoot, Path: path("new")}, "EROFS"},
				step{op{Op: "path_remove_directory", FD: fdRoot, Path: path("workspace")}, "EACCES"},
				step{op{Op: "path_rename", FD: fdRoot, Path: path("workspace"), FD2: fdRoot, Path2: path("other")}, "EROFS"},
				step{op{Op: "path_rename", FD: fdRoot, Path: path("workspace/f"), FD2: fdRoot, Path2: path("f")}, "EROFS"},
				step{op{Op: "path_rename", FD: fdWork, Path: path("f"), FD2: fdRoot, Path2: path("workspace/g")}, "ENOSYS"},
				step{op{Op: "path_filestat_set_times", FD: fdWork, Path: path("."), FDFlags: setMtimNow}, "EACCES"},
				step{op{Op: "fd_filestat_set_times", FD: fdWork, FDFlags: setMtimNow}, "EACCES"},
				step{op{Op: "path_filestat_set_times", FD: fdWork, Path: path("up"), Flags: symlinkFollow, FDFlags: setMtimNow}, or("EPERM", "EACCES")},
				step{op{Op: "path_filestat_set_times", FD: fdWork, Path: path("in"), FDFlags: setMtimNow}, "ELOOP"},
				step{op{Op: "path_filestat_set_times", FD: fdWork, Path: path("fifo"), FDFlags: setMtimNow}, "EACCES"},
				step{op{Op: "path_filestat_set_times", FD: fdWork, Path: path("f"), FDFlags: setMtimNow | setMtim}, "EINVAL"},
				// Calls for files refuse directories, and calls for directories refuse files.
				step{op{Op: "path_unlink_file", FD: fdWork, Path: path("d")}, "EISDIR"},
				step{op{Op: "path_remove_directory", FD: fdWork, Path: path("f")}, "ENOTDIR"},
				step{op{Op: "path_unlink_file", FD: fdWork, Path: path("f/")}, "ENOTDIR"},
				step{op{Op: "path_rename", FD: fdWork, Path: path("f"), FD2: fdWork, Path2: path("d")}, "EISDIR"},
				step{op{Op: "path_rename", FD: fdWork, Path: path("updir/f"), FD2: fdWork, Path2: path("stolen")}, or("EPERM", "EACCES")},
				step{op{Op: "path_rename", FD: fdWork, Path: path("f"), FD2: fdWork, Path2: path("updir/f")}, or("EPERM", "EACCES")},
				step{op{Op: "path_rename", FD: fdWork, Path: path("in"), FD2: fdWork, Path2: path("d/in")}, "EACCES"},
				step{op{Op: "path_unlink_file", FD: fdWork, Path: path("updir/f")}, or("EPERM", "EACCES")},
			)
			if deny != nil {
				for _, name := range []string{".env", ".ENV", "d/.env", ".git/config", ".Git/new", ".git"} {
					p := path(name)
					steps = append(
						steps,
						step{openTo(name, rw, oflagCreat|oflagTrunc, 0), "EACCES"},
						step{op{Op: "path_unlink_file", FD: fdWork, Path: p}, "EACCES"},
						step{op{Op: "path_remove_directory", FD: fdWork, Path: p}, "EACCES"},
						step{op{Op: "path_create_directory", FD: fdWork, Path: p}, "EACCES"},
						step{op{Op: "path_rename", FD: fdWork, Path: p, FD2: fdWork, Path2: path("g")}, "EACCES"},
						step{op{Op: "path_rename", FD: fdWork, Path: path("f"), FD2: fdWork, Path2: p}, "EACCES"},
						step{op{Op: "path_filestat_set_times", FD: fdWork, Path: p, FDFlags: setMtimNow}, "EACCES"},
					)
				}
				steps = append(
					steps,
					step{op{Op: "path_rename", FD: fdWork, Path: path("d"), FD2: fdWork, Path2: path("e")}, "EACCES"},
					step{op{Op: "path_remove_directory", FD: fdWork, Path: path("d")}, "EACCES"},
				)
			}
			perform(t, newWritableFS(t, files.Options{MaxOpenFiles: 1000}, ws, deny...), steps...)
		})
	}
}

// A5: a read-only mount next to a writable one does not change; two mounts of one directory must
// have the same mode; nothing moves between mounts.
func TestNothingMovesBetweenMounts(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"ro/f": "fine", "rw/f": "fine"})
	data := workspace(capability.ModeRead, filepath.Join(top, "ro"))
	data.Mount = "data"
	fsys := bind(t, files.Options{}, workspace(capability.ModeWrite, filepath.Join(top, "rw")), data)
	untouched(t, top)
	openDir := op{Op: "path_open", FD: fdRoot, Path: path("data"), OFlags: oflagDirectory, Rights: rightRead}
	fromDir := openTo("f", rightRead|rightWrite, 0, 0)
	fromDir.FD = last
	fromRoot := fromDir
	fromRoot.FD, fromRoot.Path = fdRoot, path("workspace/../data/f")
	perform(
		t, fsys,
		step{fromRoot, "EROFS"},
		step{op{Op: "path_rename", FD: fdRoot, Path: path("data/f"), FD2: fdRoot, Path2: path("workspace/g")}, "EROFS"},
		step{op{Op: "path_rename", FD: fdRoot, Path: path("workspace/f"), FD2: fdRoot, Path2: path("data/g")}, "EROFS"},
		step{op{Op: "path_link", FD: fdRoot, Path: path("data/f"), FD2: fdRoot, Path2: path("workspace/g")}, "EPERM"},
		step{op{Op: "path_unlink_file", FD: fdRoot, Path: path("workspace/../data/f")}, "EROFS"},
		step{openDir, ""},
		step{fromDir, "EROFS"},
		step{op{Op: "path_unlink_file", FD: last, Path: path("f")}, "EROFS"},
		step{op{Op: "path_create_directory", FD: last, Path: path("d")}, "EROFS"},
		step{op{Op: "path_rename", FD: last, Path: path("f"), FD2: fdWork, Path2: path("g")}, "ENOSYS"},
		step{op{Op: "fd_filestat_set_times", FD: last, FDFlags: setMtimNow}, "EROFS"},
		step{op{Op: "write_file", Path: path("/data/f")}, "EROFS"},
	)
	other := workspace(capability.ModeWrite, filepath.Join(top, "ro"))
	other.Mount = "other"
	two := bind(t, files.Options{}, workspace(capability.ModeWrite, filepath.Join(top, "rw")), other)
	perform(t, two, step{op{Op: "path_rename", FD: fdRoot, Path: path("workspace/f"), FD2: fdRoot, Path2: path("other/g")}, "ENOTSUP"})
}

// Attack A15 and similar attacks fail, and the host reports the limit that was reached.
func TestWritingIsLimited(t *testing.T) {
	for _, test := range []struct {
		name  string
		limit string
		steps []step
	}{
		{"set size", "bytes of a file (64)", []step{{op{Op: "fd_filestat_set_size", FD: last, Size: 1 << 40}, "ERANGE"}}},
		{"allocate", "bytes of a file (64)", []step{{op{Op: "fd_allocate", FD: last, Size: 1 << 40}, "ERANGE"}}},
		{"allocate beyond all", "", []step{{op{Op: "fd_allocate", FD: last, Offset: 1 << 62, Size: 1 << 62}, "EINVAL"}}},
		{"pwrite far out", "bytes of a file (64)", []step{{op{Op: "fd_pwrite", FD: last, Offset: 1 << 40, Data: data("x")}, "ERANGE"}}},
		{"write far out", "bytes of a file (64)", []step{{op{Op: "fd_seek", FD: last, Offset: 1 << 40}, ""}, {op{Op: "fd_write", FD: last, Data: data("x")}, "ERANGE"}}},
		{"large write", "bytes of a file (64)", []step{{op{Op: "fd_write", FD: last, Bytes: 1 << 20}, "ERANGE"}}},
		{"pwrite in reach", "", []step{{op{Op: "fd_pwrite", FD: last, Offset: 60, Data: data("x")}, ""}}},
		{"again and again", "bytes written (100)", []step{{op{Op: "fd_pwrite", FD: last, Bytes: 50, Repeated: 9}, "ERANGE"}}},
		{"sparse again and again", "bytes written (100)", []step{
			{op{Op: "fd_filestat_set_size", FD: last, Size: 60}, ""},
			{op{Op: "fd_filestat_set_size", FD: last}, ""},
			{op{Op: "fd_filestat_set_size", FD: last, Size: 60}, "ERANGE"},
		}},
		{"files", "files created (2)", []step{
			{openTo("b", rightWrite, oflagCreat, 0), ""},
			{openTo("c", rightWrite, oflagCreat, 0), "ERANGE"},
			{op{Op: "path_create_directory", FD: fdWork, Path: path("d")}, "ERANGE"},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			ws := t.TempDir()
			fsys := newWritableFS(t, files.Options{MaxFileSize: 64, MaxWritten: 100, MaxCreated: 2}, ws)
			perform(t, fsys, append([]step{{openTo("f", rightRead|rightWrite, oflagCreat, 0), ""}}, test.steps...)...)
			if got := fsys.LimitHit(); got != test.limit {
				t.Errorf("LimitHit: got %q, want %q", got, test.limit)
			}
			if info, err := os.Stat(filepath.Join(ws, "f")); err != nil || info.Size() > 64 {
				t.Errorf("%d bytes, %v", info.Size(), err)
			}
		})
	}
}

// A guest that is stopped between writing and renaming leaves no file, and its scratch directory is
// removed with its content.
func TestStoppedGuestLeavesNoFiles(t *testing.T) {
	ws, in := t.TempDir(), t.TempDir()
	write(t, ws, map[string]string{"f": "old"})
	scratch := capability.GrantedFS{FS: capability.FS{Mount: capability.ScratchMount, Mode: capability.ModeWrite}}
	fsys := bind(t, files.Options{ScratchIn: in}, workspace(capability.ModeWrite, ws), scratch)
	calls := 0
	current := func() *files.FS {
		if calls++; calls == 4 {
			fsys.Revoke()
		}
		return fsys
	}
	temp := files.TempPrefix + "f"
	inScratch := openTo("tmp/half", rightWrite, oflagCreat, 0)
	inScratch.FD = fdRoot
	var got []string
	for _, r := range run(
		t, current,
		inScratch,
		openTo(temp, rightWrite, oflagCreat, 0),
		op{Op: "fd_write", FD: last, Data: data("half")},
		op{Op: "path_filestat_get", FD: fdWork, Path: path("f")},
		op{Op: "path_rename", FD: fdWork, Path: path(temp), FD2: fdWork, Path2: path("f")},
		op{Op: "fd_write", FD: last, Data: data("more")},
		op{Op: "path_unlink_file", FD: fdWork, Path: path(temp)},
	) {
		got = append(got, r.Errno)
	}
	if want := []string{"", "", "", "", "EBADF", "EBADF", "EBADF"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := fsys.Close(); err != nil {
		t.Error(err)
	}
	<-fsys.Done()
	missing(t, filepath.Join(ws, temp))
	holds(t, filepath.Join(ws, "f"), "old")
	if left, err := os.ReadDir(in); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
