//go:build unix

package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// TestAttacksOnReplacing checks that only regular files are replaced, regardless of the content of
// the mount. No file is replaced through a link that leads out of the mount.
func TestAttacksOnReplacing(t *testing.T) {
	ws := hostile(t)
	before, inside := outsideOf(t, ws), snapshot(t, ws)
	for mount, deny := range map[string][]string{"plain": nil, "deny": {"no-such-name"}} {
		view := newFS(t, readWrite("workspace", ws, deny...)).View("/workspace")
		for _, a := range attacks {
			if a.want == fs.ErrNotExist && a.path != "/etc/passwd" {
				continue // a name that does not exist, so Replace may create it
			}
			for _, seen := range []*files.Seen{nil, {None: true}, seenOf(t, filepath.Join(ws, "../secret"))} {
				err := view.Replace(a.path, []byte("mine"), seen)
				if err == nil {
					t.Errorf("%s, %s: replaced with %+v", mount, a.name, seen)
				}
				noHostPath(t, err, filepath.Dir(ws))
			}
		}
	}
	if after := outsideOf(t, ws); !slices.Equal(before, after) {
		t.Errorf("outside changed:\n%q\n%q", before, after)
	}
	if after := snapshot(t, ws); !slices.Equal(inside, after) {
		t.Errorf("inside changed:\n%q\n%q", inside, after)
	}
}

// TestReplaceAndLinks checks that a link at the end of a path is neither followed nor replaced,
// regardless of its target. A link inside the path is followed within the mount.
func TestReplaceAndLinks(t *testing.T) {
	for mount, deny := range map[string][]string{"plain": nil, "deny": {"no-such-name"}} {
		ws := hostile(t)
		view := newFS(t, readWrite("w", ws, deny...)).View("/w")
		for _, link := range []string{"in", "indir", "up", "abs", "updir", "dangling", "hostetc", "loop", "d/sibling", "d/inup", "dots"} {
			target, err := os.Readlink(filepath.Join(ws, link))
			if err != nil {
				t.Fatal(err)
			}
			for _, seen := range []*files.Seen{nil, {None: true}, seenOf(t, filepath.Join(ws, link)), seenOf(t, filepath.Join(ws, "f"))} {
				if err := view.Replace(link, []byte("mine"), seen); !errors.Is(err, files.ErrLoop) {
					t.Errorf("%s: %s with %+v: %v", mount, link, seen, err)
				}
			}
			if now, err := os.Readlink(filepath.Join(ws, link)); err != nil || now != target {
				t.Errorf("%s: %s leads to %q, %v, want %q", mount, link, now, err, target)
			}
		}
		holds(t, filepath.Join(ws, "f"), "fine")

		err := view.Replace("indir/g", []byte("mine"), nil)
		switch {
		case deny == nil && err == nil:
			holds(t, filepath.Join(ws, "d/g"), "mine")
		case deny == nil || !errors.Is(err, fs.ErrPermission):
			t.Errorf("%s: through a link that stays in the mount: %v", mount, err)
		}
	}
}

// TestOnlyRegularFilesAreReplaced covers A7: FIFOs, devices and sockets are neither replaced nor
// opened.
func TestOnlyRegularFilesAreReplaced(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
	names := []string{"fifo"}
	const null = 1<<8 | 3
	if err := syscall.Mknod(filepath.Join(dir, "null"), syscall.S_IFCHR|0o666, null); err == nil {
		names = append(names, "null")
	}
	write(t, dir, map[string]string{"setuid": "old", "setgid": "old"})
	for name, mode := range map[string]fs.FileMode{"setuid": fs.ModeSetuid | 0o755, "setgid": fs.ModeSetgid | 0o755} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	before := snapshotOfModes(t, dir)
	for _, deny := range [][]string{nil, {"no-such-name"}} {
		view := newFS(t, readWrite("w", dir, deny...)).View("/w")
		for _, name := range names {
			for _, seen := range []*files.Seen{nil, {None: true}, seenOf(t, filepath.Join(dir, name))} {
				if err := view.Replace(name, []byte("mine"), seen); !errors.Is(err, fs.ErrPermission) {
					t.Errorf("%s with %+v: %v", name, seen, err)
				}
			}
		}
	}
	if after := snapshotOfModes(t, dir); !slices.Equal(before, after) {
		t.Errorf("changed:\n%q\n%q", before, after)
	}
}

// snapshotOfModes lists the content of a directory, including files that cannot be read.
func snapshotOfModes(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.Name()+" "+info.Mode().String()+" "+info.ModTime().String())
	}
	return all
}

// TestReplaceKeepsPermissions checks that the new file has the permission bits of the old one,
// including bits that the umask would clear.
func TestReplaceKeepsPermissions(t *testing.T) {
	old := syscall.Umask(0o027)
	t.Cleanup(func() { syscall.Umask(old) })
	for mount, deny := range map[string][]string{"plain": nil, "deny": {"no-such-name"}} {
		dir := t.TempDir()
		view := newFS(t, readWrite("w", dir, deny...)).View("/w")
		mode := func(name string) fs.FileMode {
			t.Helper()
			info, err := os.Lstat(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			return info.Mode()
		}
		for _, perm := range []fs.FileMode{0o600, 0o640, 0o644, 0o660, 0o666, 0o700, 0o755, 0o777, 0o602} {
			write(t, dir, map[string]string{"f": "old"})
			if err := os.Chmod(filepath.Join(dir, "f"), perm); err != nil {
				t.Fatal(err)
			}
			for _, seen := range []*files.Seen{seenOf(t, filepath.Join(dir, "f")), nil} {
				if err := view.Replace("f", []byte("new"), seen); err != nil {
					t.Errorf("%s: %v: %v", mount, perm, err)
				}
				if got := mode("f"); got != perm {
					t.Errorf("%s: it has %v, want %v", mount, got, perm)
				}
			}
			holds(t, filepath.Join(dir, "f"), "new")
		}
		if err := view.Replace("new", nil, nil); err != nil {
			t.Fatal(err)
		}
		if got := mode("new"); got != 0o640 {
			t.Errorf("%s: a new file has %v", mount, got)
		}
	}
}

// TestReplaceOfFilesThatMayNotBeWritten checks that a file is not replaced if this process is not
// allowed to write to it, even if its directory permits that.
func TestReplaceOfFilesThatMayNotBeWritten(t *testing.T) {
	dir := t.TempDir()
	for mount, deny := range map[string][]string{"plain": nil, "deny": {"no-such-name"}} {
		for _, perm := range []fs.FileMode{0o400, 0o444, 0o555, 0} {
			write(t, dir, map[string]string{"f": "old"})
			if err := os.Chmod(filepath.Join(dir, "f"), perm); err != nil {
				t.Fatal(err)
			}
			err := newFS(t, readWrite("w", dir, deny...)).View("/w").Replace("f", []byte("new"), seenOf(t, filepath.Join(dir, "f")))
			info, statErr := os.Lstat(filepath.Join(dir, "f"))
			if statErr != nil || info.Mode() != perm {
				t.Errorf("%s: it has %v, %v, want %v", mount, info.Mode(), statErr, perm)
			}
			if err := os.Chmod(filepath.Join(dir, "f"), 0o600); err != nil {
				t.Fatal(err)
			}
			want, content := error(nil), "new" // root may write to all files
			if os.Geteuid() != 0 {
				want, content = fs.ErrPermission, "old"
			}
			if !errors.Is(err, want) {
				t.Errorf("%s: %v: got %v, want %v", mount, perm, err, want)
			}
			holds(t, filepath.Join(dir, "f"), content)
		}
	}
	if got := filesIn(t, dir); !slices.Equal(got, []string{"f"}) {
		t.Errorf("there is %q", got)
	}
}

func TestReplaceInADirectoryThatMayNotBeWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root writes to every directory")
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{"d/f": "old"})
	if err := os.Chmod(filepath.Join(dir, "d"), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "d"), 0o700) })
	for mount, deny := range map[string][]string{"plain": nil, "deny": {"no-such-name"}} {
		fsys := newFSWith(t, files.Options{MaxWritten: 3, MaxCreated: 1}, readWrite("w", dir, deny...))
		for _, name := range []string{"d/f", "d/new"} {
			err := fsys.View("/w").Replace(name, []byte("new"), nil)
			if !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s: %s: %v", mount, name, err)
			}
			noHostPath(t, err, dir)
		}
		// The failed attempts count towards no limit.
		if err := errors.Join(fsys.View("/w").Replace("g", []byte("new"), nil), os.Remove(filepath.Join(dir, "g"))); err != nil {
			t.Errorf("%s: %v", mount, err)
		}
	}
	holds(t, filepath.Join(dir, "d/f"), "old")
}

// TestReplaceLeavesOtherNamesOfAFile covers A6: if a file also has a name outside the mount, only
// the name in the mount gets the new content.
func TestReplaceLeavesOtherNamesOfAFile(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"outside": "shared", "ws/x": ""})
	if err := os.Link(filepath.Join(top, "outside"), filepath.Join(top, "ws", "hard")); err != nil {
		t.Skipf("no hard links here: %v", err)
	}
	if err := newFS(t, readWrite("w", filepath.Join(top, "ws"))).View("/w").Replace("hard", []byte("new"), nil); err != nil {
		t.Fatal(err)
	}
	holds(t, filepath.Join(top, "outside"), "shared")
	holds(t, filepath.Join(top, "ws/hard"), "new")
}

// TestOwnersAreKept checks that a file keeps its owner and group when its content is replaced, or
// when another file is renamed over it. Otherwise edits by a program that runs as root would make a
// user lose access to a project.
func TestOwnersAreKept(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only the superuser gives files away")
	}
	dir := t.TempDir()
	view := newFS(t, readWrite("w", dir)).View("/w")
	for name, replace := range map[string]func() error{
		"replace": func() error { return view.Replace("f", []byte("new"), nil) },
		"rename":  func() error { return errors.Join(writeFile(view, "g", "new"), view.Rename("g", "f")) },
	} {
		for _, perm := range []fs.FileMode{0o660, 0o600, 0o644} {
			full := filepath.Join(dir, "f")
			if err := errors.Join(os.WriteFile(full, []byte("old"), 0o600), os.Chown(full, 1000, 1001), os.Chmod(full, perm)); err != nil {
				t.Fatal(err)
			}
			if err := replace(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			info, err := os.Stat(full)
			if err != nil {
				t.Fatal(err)
			}
			if s := info.Sys().(*syscall.Stat_t); s.Uid != 1000 || s.Gid != 1001 || info.Mode() != perm {
				t.Errorf("%s: %v of %d:%d, want %v of 1000:1001", name, info.Mode(), s.Uid, s.Gid, perm)
			}
			holds(t, full, "new")
		}
	}
}
