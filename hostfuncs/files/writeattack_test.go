//go:build unix

package files_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// outsideOf describes all files next to the mount ws.
func outsideOf(t testing.TB, ws string) []string {
	t.Helper()
	return slices.DeleteFunc(snapshot(t, filepath.Dir(ws)), func(line string) bool {
		return strings.HasPrefix(line, ws+" ") || strings.HasPrefix(line, ws+"/")
	})
}

// TestAttacksOnWriting checks that a path that must not open does not open for writing either. No
// file is created, changed or removed through such a path.
func TestAttacksOnWriting(t *testing.T) {
	ws := hostile(t)
	before := outsideOf(t, ws)
	inside := snapshot(t, ws)
	for _, mount := range []struct {
		name string
		deny []string
	}{{"plain", nil}, {"deny", []string{"no-such-name"}}} {
		fsys := newFS(t, readWrite("workspace", ws, mount.deny...))
		view := fsys.View("/workspace")
		for _, a := range attacks {
			// Names that do not exist yet, and may exist later.
			if a.want == fs.ErrNotExist && a.path != "/etc/passwd" {
				continue
			}
			for flag, flags := range map[string]files.OpenFlags{
				"write": files.OpenWrite, "write only": files.OpenWrite | files.OpenNoRead, "create": create,
				"create to read": files.OpenCreate, "truncate": files.OpenWrite | files.OpenTruncate,
				"create anew": create | files.OpenExclusive, "append": create | files.OpenAppend, "no link": create | files.OpenNoFollow,
			} {
				f, err := view.Open(a.path, flags)
				if err == nil {
					_ = f.Close()
					t.Errorf("%s, %s: opened to %s", mount.name, a.name, flag)
				}
				noHostPath(t, err, filepath.Dir(ws))
			}
			for op, err := range map[string]error{
				"mkdir": view.Mkdir(a.path), "rmdir": view.Rmdir(a.path), "rename": view.Rename("none", a.path),
				"times": view.Chtimes(a.path, true, time.Unix(1, 0), time.Unix(1, 0)), "replace": view.Replace(a.path, []byte("x"), nil),
			} {
				if err == nil {
					t.Errorf("%s, %s: %s succeeded", mount.name, a.name, op)
				}
				noHostPath(t, err, filepath.Dir(ws))
			}
		}
		// Above, the source of Rename does not exist. Here, the source exists and leads outside.
		for _, name := range []string{"updir/f", "absdir/f", "dots/secret", "viadir/x"} {
			for op, err := range map[string]error{
				"unlink": view.Unlink(name), "rename": view.Rename(name, "stolen"), "rename to": view.Rename("f", name),
				"replace": view.Replace(name, []byte("x"), nil), "rename into": view.Rename("d", filepath.Dir(name)+"/d"), "mkdir": view.Mkdir(filepath.Dir(name) + "/new"),
			} {
				if err == nil {
					t.Errorf("%s: %s %s succeeded", mount.name, op, name)
				}
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

// TestNothingIsCreatedThroughALink covers A14: no file is created through a dangling link, inside
// or outside the mount.
func TestNothingIsCreatedThroughALink(t *testing.T) {
	for mount, deny := range map[string][]string{"plain": nil, "deny": {"no-such-name"}} {
		ws := hostile(t)
		symlink(t, "not-there-either", filepath.Join(ws, "inner"))
		view := newFS(t, readWrite("w", ws, deny...)).View("/w")
		for link, want := range map[string]error{"dangling": files.ErrOutside, "inner": files.ErrLoop} {
			if deny != nil {
				want = fs.ErrPermission
			}
			if err := writeFile(view, link, "x"); !errors.Is(err, want) {
				t.Errorf("%s: %s: got %v, want %v", mount, link, err, want)
			}
			if _, err := view.Open(link, create|files.OpenExclusive); !errors.Is(err, fs.ErrExist) {
				t.Errorf("%s: create %s anew: %v", mount, link, err)
			}
			if err := view.Mkdir(link); !errors.Is(err, fs.ErrExist) {
				t.Errorf("%s: mkdir %s: %v", mount, link, err)
			}
		}
		missing(t, filepath.Join(ws, "not-there-either"))
		missing(t, filepath.Join(ws, "../not-there"))
	}
}

// TestLinksAreReplacedAndRemovedThemselves checks that a link itself is replaced or removed, never
// its target.
func TestLinksAreReplacedAndRemovedThemselves(t *testing.T) {
	for mount, deny := range map[string][]string{"plain": nil, "deny": {"no-such-name"}} {
		ws := hostile(t)
		before := outsideOf(t, ws)
		view := newFS(t, readWrite("w", ws, deny...)).View("/w")
		for _, link := range []string{"up", "abs", "dangling", "hostetc", "in"} {
			if err := writeFile(view, "mine", "mine"); err != nil {
				t.Fatal(err)
			}
			if err := view.Rename("mine", link); err != nil {
				t.Errorf("%s: rename over %s: %v", mount, link, err)
			}
			holds(t, filepath.Join(ws, link), "mine")
		}
		for _, link := range []string{"updir", "absdir", "proc", "loop"} {
			if err := view.Unlink(link); err != nil {
				t.Errorf("%s: unlink %s: %v", mount, link, err)
			}
			missing(t, filepath.Join(ws, link))
		}
		// A5: in another directory, the link would have another target.
		if err := view.Rename("d/sibling", "moved"); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: a link leaves its directory: %v", mount, err)
		}
		if err := view.Rename("d/sibling", "d/renamed"); err != nil {
			t.Errorf("%s: rename a link: %v", mount, err)
		}
		holds(t, filepath.Join(ws, "f"), "fine")
		if after := outsideOf(t, ws); !slices.Equal(before, after) {
			t.Errorf("%s: outside changed:\n%q\n%q", mount, before, after)
		}
	}
}

// TestInnerLinksAreWrittenThrough checks that, without deny patterns, links within the mount are
// also followed for writing.
func TestInnerLinksAreWrittenThrough(t *testing.T) {
	ws := hostile(t)
	view := newFS(t, readWrite("w", ws)).View("/w")
	if err := writeFile(view, "in", "through the link"); err != nil {
		t.Fatal(err)
	}
	holds(t, filepath.Join(ws, "f"), "through the link")
	if err := writeFile(view, "indir/new", "new"); err != nil {
		t.Fatal(err)
	}
	if err := view.Rename("indir/new", "indir/renamed"); err != nil {
		t.Fatal(err)
	}
	holds(t, filepath.Join(ws, "d/renamed"), "new")
	if _, err := view.Open("in", files.OpenWrite|files.OpenNoFollow); !errors.Is(err, files.ErrLoop) {
		t.Errorf("write to a link itself: %v", err)
	}
}

// TestOnlyRegularFilesOpenForWriting covers A7: opening for writing does not wait for a reader, has
// no effect on a device, and fails for a socket.
func TestOnlyRegularFilesOpenForWriting(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
	// Open a reader, so that the host would allow opening the FIFO for writing.
	reader, err := os.OpenFile(filepath.Join(dir, "fifo"), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	names := []string{"fifo"}
	const null = 1<<8 | 3
	if err := syscall.Mknod(filepath.Join(dir, "null"), syscall.S_IFCHR|0o666, null); err == nil {
		names = append(names, "null")
	}
	for _, deny := range [][]string{nil, {"no-such-name"}} {
		view := newFS(t, readWrite("w", dir, deny...)).View("/w")
		for _, name := range names {
			for _, flags := range []files.OpenFlags{files.OpenWrite, create, files.OpenWrite | files.OpenNoRead | files.OpenTruncate, files.OpenCreate, files.OpenAppend} {
				if _, err := view.Open(name, flags); !errors.Is(err, fs.ErrPermission) {
					t.Errorf("open %s with flags %b: %v", name, flags, err)
				}
			}
			if err := view.Chtimes(name, true, time.Unix(1, 0), time.Unix(1, 0)); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("times of %s: %v", name, err)
			}
			if err := view.Rename(name, "x"); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("rename %s: %v", name, err)
			}
		}
	}
	t.Chdir(dir)
	listener, err := net.Listen("unix", "sock")
	if err != nil {
		t.Skipf("no sockets here: %v", err)
	}
	defer listener.Close()
	if err := writeFile(newFS(t, readWrite("w", dir)).View("/w"), "sock", "x"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("open a socket: %v", err)
	}
}

func TestModesOfWhatIsWritten(t *testing.T) {
	old := syscall.Umask(0o027)
	t.Cleanup(func() { syscall.Umask(old) })
	dir := t.TempDir()
	write(t, dir, map[string]string{"script": "old", "setuid": "old", "setgid": "old"})
	mode := func(name string, mode fs.FileMode) {
		t.Helper()
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	has := func(name string, want fs.FileMode) {
		t.Helper()
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v, want %v", name, info.Mode(), err, want)
		}
	}
	mode("script", 0o755)
	mode("setuid", fs.ModeSetuid|0o755)
	mode("setgid", fs.ModeSetgid|0o755)
	view := newFS(t, readWrite("w", dir)).View("/w")
	// New files and directories follow the umask and not the mode that the engine requests.
	if err := writeFile(view, "f", "new"); err != nil {
		t.Fatal(err)
	}
	has("f", 0o640)
	if err := view.Mkdir("d"); err != nil {
		t.Fatal(err)
	}
	has("d", fs.ModeDir|0o750)
	// A file keeps the mode of the file that it replaces.
	if err := view.Rename("f", "script"); err != nil {
		t.Fatal(err)
	}
	has("script", 0o755)
	holds(t, filepath.Join(dir, "script"), "new")
	// Setuid and setgid files are neither written nor used as a source of permission bits.
	for _, name := range []string{"setuid", "setgid"} {
		if err := writeFile(view, name, "evil"); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("write to %s: %v", name, err)
		}
		holds(t, filepath.Join(dir, name), "old")
		if err := writeFile(view, "evil", "evil"); err != nil {
			t.Fatal(err)
		}
		if err := view.Rename("evil", name); err != nil {
			t.Fatal(err)
		}
		has(name, 0o755)
	}
}

// TestHardLinksAreWrittenThrough covers A6: an existing hard link is the operator's responsibility.
// The test ensures that the documented behaviour does not change.
func TestHardLinksAreWrittenThrough(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"outside": "shared", "ws/x": ""})
	if err := os.Link(filepath.Join(top, "outside"), filepath.Join(top, "ws", "hard")); err != nil {
		t.Skipf("no hard links here: %v", err)
	}
	if err := writeFile(newFS(t, readWrite("w", filepath.Join(top, "ws"))).View("/w"), "hard", "new"); err != nil {
		t.Fatal(err)
	}
	holds(t, filepath.Join(top, "outside"), "new")
}

// TestDeniedPathsAreNotChanged covers denied paths and their parents, in any letter case.
func TestDeniedPathsAreNotChanged(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		".env": canary, "a/.env": canary, ".git/config": canary, "keys/private/k.pem": canary, "free/sub/f": "fine", "f": "fine", "keys/f": "fine",
	})
	for _, empty := range []string{"empty", "keys/empty", "keys/private/empty"} {
		if err := os.Mkdir(filepath.Join(dir, empty), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	before := snapshot(t, dir)
	view := newFS(t, readWrite("w", dir, ".env", "a/.env", ".git/**", "keys/*/*.pem", "[k]eys/private/deep/**")).View("/w")
	denied := []string{".env", ".ENV", ".env/x", "a/.Env", ".git", ".GIT/hooks", ".git/hooks/post-commit", ".g\u200cit/x", "keys/private/k.pem", "KEYS/x/y.PEM", "keys/private/deep"}
	for _, name := range denied {
		for op, err := range map[string]error{
			"write": writeFile(view, name, "x"), "mkdir": view.Mkdir(name), "unlink": view.Unlink(name), "rmdir": view.Rmdir(name),
			"rename": view.Rename(name, "x"), "rename to": view.Rename("f", name), "rename a directory to": view.Rename("free", name),
			"times": view.Chtimes(name, true, time.Unix(1, 0), time.Unix(1, 0)), "replace": view.Replace(name, []byte("x"), nil),
		} {
			if !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s %s: %v", op, name, err)
			}
		}
	}
	// A parent of a denied path, or of a path that would be denied.
	for _, name := range []string{"a", "keys", "keys/private", "keys/private/", "keys/empty", "KEYS"} {
		want := fs.ErrPermission
		if name == "KEYS" {
			want = fs.ErrNotExist // if letter case matters; otherwise ErrPermission
		}
		for op, err := range map[string]error{"rename": view.Rename(name, "moved"), "rmdir": view.Rmdir(name)} {
			if !errors.Is(err, want) && !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s %s: %v", op, name, err)
			}
		}
	}
	// If a directory moved to a parent of denied paths, the deny patterns would apply to its
	// content.
	for _, name := range []string{"a", "keys", "keys/new", "keys/empty", "KEYS/New"} {
		if err := view.Rename("free", name); err == nil {
			t.Errorf("rename a directory to %s", name)
		}
	}
	if after := snapshot(t, dir); !slices.Equal(before, after) {
		t.Errorf("changed:\n%q\n%q", before, after)
	}
	// All other paths can be changed as usual.
	for op, err := range map[string]error{
		"rename a directory": view.Rename("free/sub", "free/other"), "rmdir": view.Rmdir("empty"),
		"rename into": view.Rename("f", "keys/g"), "write": writeFile(view, "keys/private/x.txt", "x"), "mkdir": view.Mkdir("keys/new"),
	} {
		if err != nil {
			t.Errorf("%s: %v", op, err)
		}
	}
}

// TestAPatternForAnyDirectory checks that no directory is moved or removed if a pattern may match
// in any directory. Files can still be moved and removed.
func TestAPatternForAnyDirectory(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"d/f": "fine", "d/.env": canary, "bare/.env": canary})
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	view := newFS(t, readWrite("w", dir, "**/.env")).View("/w")
	for _, name := range []string{"d", "bare", "empty"} {
		// The guest sees no file in the directory bare, so bare must behave like the directory
		// empty.
		if err := view.Rmdir(name); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("rmdir %s: %v", name, err)
		}
		if err := view.Rename(name, "x"); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("rename %s: %v", name, err)
		}
	}
	if err := view.Rename("d/f", "empty/f"); err != nil {
		t.Error(err)
	}
	holds(t, filepath.Join(dir, "d/.env"), canary)
}
