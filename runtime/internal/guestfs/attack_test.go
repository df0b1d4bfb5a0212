//go:build unix

package guestfs_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// hostile creates ws, a mount full of traps, and top, the directory above it, which contains the
// canary.
func hostile(t testing.TB) (top, ws string) {
	t.Helper()
	top = t.TempDir()
	ws = filepath.Join(top, "ws")
	write(t, top, map[string]string{
		"secret": canary, "out/f": canary, "ws-evil/f": canary,
		"ws/f": "fine", "ws/d/g": "fine", "ws/.env": canary, "ws/.git/config": canary,
	})
	for link, target := range map[string]string{
		"up": "../secret", "abs": filepath.Join(top, "secret"), "updir": "../out", "dots": "..",
		"dangling": "../not-there", "slash": "../out/", "loop": "loop", "in": "f", "indir": "d",
		"env": ".env", "git": ".git",
	} {
		if err := os.Symlink(target, filepath.Join(ws, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(ws, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	return top, ws
}

// snapshot describes all files below dir with their content, modes and times.
func snapshot(t testing.TB, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		line := fmt.Sprint(name, info.Mode(), info.Size(), info.ModTime())
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			line += string(content)
		}
		all = append(all, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// untouched fails the test at its end if anything below dir changed.
func untouched(t *testing.T, dir string) {
	before := snapshot(t, dir)
	t.Cleanup(func() {
		if after := snapshot(t, dir); !slices.Equal(before, after) {
			t.Errorf("files changed from\n%q\nto\n%q", before, after)
		}
	})
}

// TestGuestReachesNothingOutside calls all WASI functions that open or stat a path, on targets that
// are not granted. Names such as A2 refer to docs/attacks.md.
func TestGuestReachesNothingOutside(t *testing.T) {
	top, ws := hostile(t)
	untouched(t, top)
	tests := []struct {
		name, path   string
		want, strict string // the errors without and with deny patterns
	}{
		{"A2 relative link to outside", "up", "EPERM", "EPERM"},
		{"A2 absolute link to outside", "abs", "EPERM", "EPERM"},
		{"A2 link to a directory outside", "updir/f", "EPERM", "EPERM"},
		{"A2 link to the parent", "dots/secret", "EPERM", "EPERM"},
		{"A2 links in a circle", "loop", "ELOOP", "ELOOP"},
		{"A7 FIFO", "fifo", "EACCES", "EACCES"},
		{"A8 parent with a slash", "../", "EPERM", "EPERM"},
		{"A8 link with a slash", "updir/", "EPERM", "EPERM"},
		{"A8 link whose target has a slash", "slash", "EPERM", "EPERM"},
		{"A10 sibling with the same start", "../ws-evil/f", "EPERM", "EPERM"},
		{"A11 missing file below a link to outside", "updir/new", "EPERM", "EPERM"},
		{"A12 empty", "", "EINVAL", "EINVAL"},
		{"A12 upwards after a directory", "d/../../x", "EPERM", "EPERM"},
		{"A12 upwards", "../secret", "EPERM", "EPERM"},
		{"A12 absolute", "/etc/passwd", "EPERM", "EPERM"},
		{"A12 file with a slash", "f/", "ENOTDIR", "ENOTDIR"},
		{"A12 NUL", "f\x00", "EINVAL", "EINVAL"},
		{"A12 long name", strings.Repeat("x", 5000), "ENAMETOOLONG", "ENAMETOOLONG"},
		{"A12 name of 256 bytes", strings.Repeat("x", 256), "ENAMETOOLONG", "ENAMETOOLONG"},
		{"A12 invalid UTF-8", "f\xff", "EPERM", "EPERM"},
		{"A12 Windows device", "con", "ENOENT", "ENOENT"},
		{"A12 Windows device", "nul", "ENOENT", "ENOENT"},
		{"A14 link to outside that leads nowhere", "dangling", "EPERM", "EPERM"},
		{"link to a file", "in", "", ""},
		{"link to a directory", "indir/g", "", ""},
		{"link to a denied file", "env", "", "EACCES"},
		{"link to a denied directory", "git/config", "", "EACCES"},
		{"denied file", ".env", "", "EACCES"},
		{"denied file in other letters", ".ENV", "ENOENT", "EACCES"},
		{"denied directory", ".git", "", "EACCES"},
		{"denied path that does not exist", ".git/none", "ENOENT", "EACCES"},
	}
	var ops []op
	for _, test := range tests {
		stat := op{Op: "path_filestat_get", FD: fdWork, Path: path(test.path), Flags: symlinkFollow}
		fromRoot := open("workspace/" + test.path)
		fromRoot.FD = fdRoot
		ops = append(ops, open(test.path), stat, fromRoot)
	}
	for _, mount := range []struct {
		name string
		deny []string
	}{{"plain", nil}, {"deny", []string{"**/.env", ".git/**"}}} {
		t.Run(mount.name, func(t *testing.T) {
			results := run(t, always(newFS(t, files.Options{}, ws, mount.deny...)), ops...)
			for i, test := range tests {
				want := test.want
				if mount.deny != nil {
					want = test.strict
				}
				opened, statted, fromRoot := results[3*i], results[3*i+1], results[3*i+2]
				if opened.Errno != want {
					t.Errorf("%s: path_open: got %q, want %q", test.name, opened.Errno, want)
				}
				// For the engine, an empty path is the directory itself. From the root, an absolute
				// or upward path leads to another file.
				if test.path == "" || strings.HasPrefix(test.path, "/") || strings.HasPrefix(test.path, "..") || strings.Contains(test.path, "../../") {
					continue
				}
				if fromRoot.Errno != want {
					t.Errorf("%s: path_open from the root: got %q, want %q", test.name, fromRoot.Errno, want)
				}
				if test.path == "fifo" {
					want = "" // the metadata of a FIFO may be read
				}
				if statted.Errno != want {
					t.Errorf("%s: path_filestat_get: got %q, want %q", test.name, statted.Errno, want)
				}
			}
		})
	}
}

// TestGuestReachesNothingFromRoot tries paths that lead upwards from the root, and paths whose
// first directory has a mount's name with something appended.
func TestGuestReachesNothingFromRoot(t *testing.T) {
	_, ws := hostile(t)
	want := map[string]string{
		"..": "EPERM", "../etc/passwd": "EPERM", "/etc/passwd": "EPERM", "etc/passwd": "ENOENT",
		"workspace-evil/f": "ENOENT", "workspace/../etc/passwd": "ENOENT", "Workspace/f": "ENOENT", "proc/self/environ": "ENOENT",
	}
	var ops []op
	for name := range want {
		o := open(name)
		o.FD = fdRoot
		ops = append(ops, o)
	}
	for i, r := range run(t, always(newFS(t, files.Options{}, ws)), ops...) {
		if name := string(ops[i].Path); r.Errno != want[name] {
			t.Errorf("%s: got %q, want %q", name, r.Errno, want[name])
		}
	}
}

// Paths resolve in the same way from directories that a guest has opened.
func TestGuestReachesNothingFromOpenDirectory(t *testing.T) {
	_, ws := hostile(t)
	from := func(dir, name string) []op {
		inner := open(name)
		inner.FD = last
		openDir := open(dir)
		openDir.OFlags = oflagDirectory
		return []op{openDir, inner, {Op: "fd_close", FD: last}}
	}
	for _, test := range []struct{ dir, name, want string }{
		{".", "up", "EPERM"},
		{"./", "up", "EPERM"},
		{".", "../secret", "EPERM"},
		{"d", "../f", "EPERM"},
		{"d/", "../../secret", "EPERM"},
		{"indir", "../up", "EPERM"},
		{".", "/etc/passwd", "EPERM"},
		{".", ".env", "EACCES"},
		{"d", "g", ""},
		{"d/", "g", ""},
		{".", "d/g", ""},
		{"./", "d/g", ""},
	} {
		var deny []string
		if test.name == ".env" {
			deny = []string{"**/.env"}
		}
		results := run(t, always(newFS(t, files.Options{}, ws, deny...)), from(test.dir, test.name)...)
		if results[0].Errno != "" || results[1].Errno != test.want {
			t.Errorf("%s in %s: got %q, %q, want %q", test.name, test.dir, results[0].Errno, results[1].Errno, test.want)
		}
	}
}

// Attack A3 and similar attacks: with every combination of flags and rights of path_open, the file
// is opened read-only or refused, and does not change.
func TestGuestOpensNothingForChange(t *testing.T) {
	top, ws := hostile(t)
	untouched(t, top)
	var ops []op
	var changes []bool
	for _, name := range []string{"f", "d", "new", "dangling", "up", "d/new", ".", "workspace/f"} {
		for oflags := range uint32(16) {
			for _, fdflags := range []uint32{0, fdflagAppend, fdflagDsync, fdflagNonblock, fdflagRsync, fdflagSync, 31} {
				for _, rights := range []uint64{0, rightRead, rightWrite, rightRead | rightWrite, ^uint64(0)} {
					o := open(name)
					o.OFlags, o.FDFlags, o.Rights, o.Flags = oflags, fdflags, rights, oflags&1^1
					if name == "workspace/f" {
						o.FD = fdRoot
					}
					// The engine drops O_EXCL when O_DIRECTORY is set.
					change := oflags&(oflagCreat|oflagTrunc) != 0 || fdflags&fdflagAppend != 0 || rights&rightWrite != 0 ||
						oflags&(oflagExcl|oflagDirectory) == oflagExcl
					ops = append(ops, o)
					changes = append(changes, change)
				}
			}
		}
	}
	results := run(t, always(newFS(t, files.Options{MaxOpenFiles: len(ops)}, ws)), ops...)
	opened := 0
	for i, r := range results {
		switch o := ops[i]; {
		case !changes[i]:
			if r.Errno == "" {
				opened++
			}
		case r.Errno == "EROFS", r.Errno == "EINVAL" && o.OFlags&oflagCreat != 0 && o.OFlags&oflagDirectory != 0:
		default:
			t.Errorf("open %s with oflags %b, fdflags %b, rights %b: %q", o.Path, o.OFlags, o.FDFlags, o.Rights, r.Errno)
		}
	}
	if opened == 0 {
		t.Error("nothing opened for reading either")
	}
}

// TestGuestChangesNothing calls every WASI function that changes a file, on existing and missing
// files.
func TestGuestChangesNothing(t *testing.T) {
	top, ws := hostile(t)
	untouched(t, top)
	type step struct {
		op
		want string
	}
	onPath := func(name, want string) []step {
		p := path(name)
		return []step{
			{op{Op: "path_create_directory", FD: fdWork, Path: p}, want},
			{op{Op: "path_remove_directory", FD: fdWork, Path: p}, want},
			{op{Op: "path_unlink_file", FD: fdWork, Path: p}, want},
			{op{Op: "path_rename", FD: fdWork, Path: p, FD2: fdWork, Path2: path("renamed")}, want},
			{op{Op: "path_rename", FD: fdWork, Path: path("d"), FD2: fdWork, Path2: p}, want},
			// A5: the engine itself refuses operations across two preopens.
			{op{Op: "path_rename", FD: fdWork, Path: p, FD2: fdRoot, Path2: path("renamed")}, "ENOSYS"},
			{op{Op: "path_link", FD: fdWork, Path: p, FD2: fdRoot, Path2: path("hard")}, "ENOSYS"},
			{op{Op: "path_link", FD: fdWork, Path: p, FD2: fdWork, Path2: path("hard")}, "EPERM"},
			{op{Op: "path_link", FD: fdWork, Flags: symlinkFollow, Path: path("f"), FD2: fdWork, Path2: p}, "EPERM"},
			// A1, A9: links to any target.
			{op{Op: "path_symlink", Path: path("../secret"), FD: fdWork, Path2: p}, "EPERM"},
			{op{Op: "path_symlink", Path: path("/etc/passwd"), FD: fdWork, Path2: p}, "EPERM"},
			{op{Op: "path_symlink", Path: path("f"), FD: fdWork, Path2: p}, "EPERM"},
			{op{Op: "path_filestat_set_times", FD: fdWork, Path: p, Flags: symlinkFollow, FDFlags: setAtimNow | setMtimNow}, want},
			{op{Op: "path_filestat_set_times", FD: fdWork, Path: p, Offset: 1, Size: 1, FDFlags: setAtim | setMtim}, want},
		}
	}
	onFile := []step{
		{op{Op: "fd_write", FD: last, Bytes: 4}, "EROFS"},
		{op{Op: "fd_pwrite", FD: last, Bytes: 4, Offset: 1}, "EROFS"},
		{op{Op: "fd_allocate", FD: last, Offset: 0, Size: 1 << 40}, "EROFS"},
		{op{Op: "fd_filestat_set_size", FD: last, Size: 0}, "EROFS"},
		{op{Op: "fd_filestat_set_size", FD: last, Size: 1 << 40}, "EROFS"},
		{op{Op: "fd_filestat_set_times", FD: last, FDFlags: setAtimNow | setMtimNow}, "EROFS"},
		{op{Op: "fd_filestat_set_times", FD: last, Offset: 1, Size: 1, FDFlags: setAtim | setMtim}, "EROFS"},
		{op{Op: "fd_fdstat_set_flags", FD: last, FDFlags: fdflagAppend}, "EROFS"},
		{op{Op: "fd_fdstat_set_flags", FD: last}, ""},
		{op{Op: "fd_sync", FD: last}, ""},
		{op{Op: "fd_datasync", FD: last}, ""},
		{op{Op: "fd_read", FD: last, Bytes: 10}, ""},
	}
	onDir := []step{
		{op{Op: "fd_write", FD: last, Bytes: 4}, "EROFS"},
		{op{Op: "fd_allocate", FD: last, Size: 1 << 40}, "EROFS"},
		{op{Op: "fd_filestat_set_size", FD: last, Size: 0}, "EROFS"},
		{op{Op: "fd_filestat_set_times", FD: last, FDFlags: setMtimNow}, "EROFS"},
		{op{Op: "fd_fdstat_set_flags", FD: last, FDFlags: fdflagAppend}, "EISDIR"},
	}
	onPreopen := []step{
		{op{Op: "fd_write", FD: fdWork, Bytes: 4}, "EISDIR"},
		{op{Op: "fd_pwrite", FD: fdWork, Bytes: 4}, "EISDIR"},
		{op{Op: "fd_filestat_set_size", FD: fdWork, Size: 0}, "EISDIR"},
		{op{Op: "fd_filestat_set_times", FD: fdWork, FDFlags: setMtimNow}, "EROFS"},
		{op{Op: "fd_filestat_set_times", FD: fdRoot, FDFlags: setMtimNow}, "EROFS"},
		{op{Op: "fd_sync", FD: fdWork}, ""},
		{op{Op: "fd_renumber", FD: fdWork, FD2: fdRoot}, "ENOTSUP"},
		{op{Op: "write_file", Path: path("/workspace/f")}, "EROFS"},
		{op{Op: "write_file", Path: path("/workspace/new")}, "EROFS"},
		{op{Op: "write_file", Path: path("/new")}, "EROFS"},
	}
	steps := slices.Concat(onPath("f", "EROFS"), onPath("d", "EROFS"), onPath("new", "EROFS"), onPath("in", "EROFS"), onPath("up", "EROFS"),
		onPath("dangling", "EROFS"), onPath("../out/f", "EPERM"), onPath("/etc/new", "EPERM"), onPreopen)
	opens := []step{{open("f"), ""}}
	steps = slices.Concat(steps, opens, onFile, []step{{open("d"), ""}}, onDir)
	ops := make([]op, len(steps))
	for i, s := range steps {
		ops[i] = s.op
		// The engine refuses a path that leads outside, before the file system sees it.
		if p := string(s.Path); strings.HasPrefix(p, "../") || strings.HasPrefix(p, "/etc") && s.Op != "path_symlink" {
			if s.want == "ENOSYS" {
				steps[i].want = "EPERM"
			}
		}
	}
	for i, r := range run(t, always(newFS(t, files.Options{}, ws)), ops...) {
		if s := steps[i]; r.Errno != s.want {
			t.Errorf("%s %q %q (fdflags %b): got %q, want %q", s.Op, s.Path, s.Path2, s.FDFlags, r.Errno, s.want)
		}
	}
}

// Through its own library, a benign guest can read everything that was granted.
func TestGuestReadsWhatIsGranted(t *testing.T) {
	_, ws := hostile(t)
	results := run(
		t, always(newFS(t, files.Options{}, ws, "**/.env", ".git/**")),
		op{Op: "read_file", Path: path("/workspace/f")},
		op{Op: "read_file", Path: path("/workspace/d/g")},
		op{Op: "walk", Path: path("/")},
		open("f"),
		op{Op: "fd_seek", FD: last, Offset: 2},
		op{Op: "fd_read", FD: last, Bytes: 100},
		op{Op: "fd_read", FD: last, Bytes: 100},
		op{Op: "fd_pread", FD: last, Bytes: 2, Offset: 1},
		op{Op: "fd_seek", FD: last, Whence: 3},
		op{Op: "path_readlink", FD: fdWork, Path: path("in"), Bytes: 100},
		op{Op: "path_readlink", FD: fdWork, Path: path("abs"), Bytes: 100},
		op{Op: "path_readlink", FD: fdWork, Path: path("env"), Bytes: 100},
		op{Op: "path_readlink", FD: fdWork, Path: path("f"), Bytes: 100},
		op{Op: "path_readlink", FD: fdWork, Path: path("in"), Bytes: 0},
	)
	walked := "/\n/workspace\n/workspace/abs\n/workspace/d\n/workspace/d/g\n/workspace/dangling\n/workspace/dots\n/workspace/env\n/workspace/f\n" +
		"/workspace/fifo\n/workspace/git\n/workspace/in\n/workspace/indir\n/workspace/loop\n/workspace/slash\n/workspace/up\n/workspace/updir"
	want := []struct{ errno, data string }{
		{"", "fine"},
		{"", "fine"},
		{"", walked},
		{"", ""},
		{"", ""},
		{"", "ne"},
		{"", ""},
		{"", "in"},
		{"EINVAL", ""},
		{"", "f"},
		{"EPERM", ""},
		{"EACCES", ""},
		{"EINVAL", ""},
		{"EINVAL", ""},
	}
	for i, r := range results {
		if r.Errno != want[i].errno || string(r.Data) != want[i].data {
			t.Errorf("%d %s: got %q, %q, want %q, %q", i, r.Op, r.Errno, r.Data, want[i].errno, want[i].data)
		}
		if bytes.Contains(r.Data, []byte("CANARY")) {
			t.Errorf("%d %s read the canary", i, r.Op)
		}
	}
}

// O_NOFOLLOW on a link fails with ELOOP. This error tells a guest that the file is a link.
func TestGuestMayRefuseLinks(t *testing.T) {
	_, ws := hostile(t)
	noFollow := open("in")
	noFollow.Flags = 0
	lstat := op{Op: "path_filestat_get", FD: fdWork, Path: path("in")}
	stat := lstat
	stat.Flags = symlinkFollow
	results := run(t, always(newFS(t, files.Options{}, ws)), noFollow, lstat, stat)
	if results[0].Errno != "ELOOP" {
		t.Errorf("path_open: %q", results[0].Errno)
	}
	const filetype, link, regular = 16, 7, 4
	if results[1].Data[filetype] != link || results[2].Data[filetype] != regular {
		t.Errorf("file types %d and %d", results[1].Data[filetype], results[2].Data[filetype])
	}
}
