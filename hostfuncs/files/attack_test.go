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

	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// hostile creates a mount whose links and special files try to lead a guest outside, and returns
// its path. Every file outside the mount contains the canary.
func hostile(t testing.TB) (ws string) {
	t.Helper()
	top := t.TempDir()
	ws = filepath.Join(top, "ws")
	write(t, top, map[string]string{
		"secret":      canary,
		"out/f":       canary,
		"ws-evil/f":   canary,
		"ws/f":        "fine",
		"ws/d/g":      "fine",
		"ws/d/deep/h": "fine",
	})
	for link, target := range map[string]string{
		"up":        "../secret",
		"abs":       filepath.Join(top, "secret"),
		"updir":     "../out",
		"absdir":    filepath.Join(top, "out"),
		"dots":      "..",
		"viadir":    "updir/f",
		"climb":     "d/../../secret",
		"hostetc":   "/etc/passwd",
		"proc":      "/proc/self/environ",
		"dangling":  "../not-there",
		"backin":    "../ws/f",
		"d/inup":    "../../secret",
		"in":        "f",
		"indir":     "d",
		"d/sibling": "../f",
		"loop":      "loop",
		"loop2a":    "loop2b",
		"loop2b":    "loop2a",
		"slash":     "../out/",
		"evil":      "../ws-evil/f",
	} {
		symlink(t, target, filepath.Join(ws, link))
	}
	if err := syscall.Mkfifo(filepath.Join(ws, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	// The path of a Unix socket must be short.
	t.Chdir(ws)
	listener, err := net.Listen("unix", "sock")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return ws
}

// attack is a path and the error that opening it must return. Names refer to the cases of
// docs/attacks.md.
type attack struct {
	name, path string
	want       error
}

var attacks = []attack{
	{"A2 relative link to outside", "up", files.ErrOutside},
	{"A2 absolute link to outside", "abs", files.ErrOutside},
	{"A2 link to a directory outside", "updir/f", files.ErrOutside},
	{"A2 absolute link to a directory outside", "absdir/f", files.ErrOutside},
	{"A2 link to the parent", "dots/secret", files.ErrOutside},
	{"A2 link to a link", "viadir", files.ErrOutside},
	{"A2 link that climbs out of a directory", "climb", files.ErrOutside},
	{"A2 link in a directory", "d/inup", files.ErrOutside},
	{"A2 out and back in", "backin", files.ErrOutside},
	{"A2 link to /etc", "hostetc", files.ErrOutside},
	{"A2 link to /proc", "proc", files.ErrOutside},
	{"A2 links in a circle", "loop", files.ErrLoop},
	{"A2 two links in a circle", "loop2a", files.ErrLoop},
	{"A7 FIFO", "fifo", fs.ErrPermission},
	{"A7 FIFO as a directory", "fifo/x", files.ErrNotDir},
	{"A7 socket", "sock", fs.ErrPermission},
	{"A8 parent with a slash", "../", files.ErrOutside},
	{"A8 link with a slash", "updir/", files.ErrOutside},
	{"A8 link whose target has a slash", "slash", files.ErrOutside},
	{"A8 both", "slash/", files.ErrOutside},
	{"A10 sibling with the same start", "../ws-evil/f", files.ErrOutside},
	{"A10 link to the sibling", "evil", files.ErrOutside},
	{"A11 missing file below a link to outside", "updir/new", files.ErrOutside},
	{"A12 empty", "", fs.ErrInvalid},
	{"A12 upwards after a directory", "a/../../x", files.ErrOutside},
	{"A12 upwards", "../secret", files.ErrOutside},
	{"A12 only dots", "..", files.ErrOutside},
	{"A12 absolute", "/etc/passwd", fs.ErrNotExist},
	{"A12 absolute upwards", "/../secret", files.ErrOutside},
	{"A12 file with a slash", "f/", files.ErrNotDir},
	{"A12 file with a slash and a dot", "f/.", files.ErrNotDir},
	{"A12 below a file", "f/x", files.ErrNotDir},
	{"A12 link to a file with a slash", "in/", files.ErrNotDir},
	{"A12 NUL", "f\x00", fs.ErrInvalid},
	{"A12 NUL and a path", "f\x00/../../secret", fs.ErrInvalid},
	{"A12 long name", strings.Repeat("x", 5000), files.ErrNameTooLong},
	{"A12 name of 256 bytes", strings.Repeat("x", 256), files.ErrNameTooLong},
	{"A12 name of 255 bytes", strings.Repeat("x", 255), fs.ErrNotExist},
	{"A12 long path", strings.Repeat("d/", 2100), files.ErrNameTooLong},
	{"A12 deep path", strings.Repeat("d/", 300), files.ErrNameTooLong},
	{"A12 invalid UTF-8", "f\xff", fs.ErrInvalid},
	{"A12 Windows device", "con", fs.ErrNotExist},
	{"A12 Windows device", "nul", fs.ErrNotExist},
	{"A12 Windows drive", `C:\Windows`, fs.ErrNotExist},
	{"A14 link to outside that leads nowhere", "dangling", files.ErrOutside},
}

func TestAttacksOnOpen(t *testing.T) {
	ws := hostile(t)
	for _, mount := range []struct {
		name string
		deny []string
	}{{"plain", nil}, {"deny", []string{"no-such-name"}}} {
		view := newFS(t, read("workspace", ws, mount.deny...)).View("/workspace")
		for _, a := range attacks {
			t.Run(mount.name+"/"+a.name, func(t *testing.T) {
				for _, flags := range []files.OpenFlags{0, files.OpenDirectory, files.OpenNoFollow} {
					f, err := view.Open(a.path, flags)
					if err == nil {
						_ = f.Close()
						t.Fatalf("opened with flags %b", flags)
					}
					noHostPath(t, err, filepath.Dir(ws))
					if flags == 0 && !errors.Is(err, a.want) {
						t.Errorf("got %v, want %v", err, a.want)
					}
				}
			})
		}
	}
}

// TestAttacksOnStat checks that Stat reveals only the metadata of names inside the mount.
func TestAttacksOnStat(t *testing.T) {
	ws := hostile(t)
	for _, deny := range [][]string{nil, {"no-such-name"}} {
		view := newFS(t, read("workspace", ws, deny...)).View("/workspace")
		for _, a := range attacks {
			info, err := view.Stat(a.path)
			switch a.path {
			case "fifo", "sock":
				if err != nil || info.Mode().IsRegular() {
					t.Errorf("%s: stat: %v, %v", a.name, info, err)
				}
			default:
				if err == nil {
					t.Errorf("%s: stat: %v", a.name, info.Name())
				}
			}
		}
		for link, want := range map[string]error{"up": nil, "updir": nil, "updir/f": files.ErrOutside, "updir/": files.ErrOutside, "dots/secret": files.ErrOutside} {
			info, err := view.Lstat(link)
			if !errors.Is(err, want) || (want == nil && info.Mode().Type() != fs.ModeSymlink) {
				t.Errorf("deny %q: lstat %s: %v, want %v", deny, link, err, want)
			}
		}
	}
}

func TestInnerLinksAreFollowed(t *testing.T) {
	ws := hostile(t)
	for _, deny := range [][]string{nil, {"no-such-name"}} {
		view := newFS(t, read("workspace", ws, deny...)).View("/workspace")
		for _, name := range []string{"in", "indir/g", "indir/../in", "d/sibling", "indir/sibling"} {
			if got, err := readFile(view, name); err != nil || got != "fine" {
				t.Errorf("deny %q: read %s: got %q, %v", deny, name, got, err)
			}
		}
		if _, err := view.Open("in", files.OpenNoFollow); !errors.Is(err, files.ErrLoop) {
			t.Errorf("deny %q: open in without following: %v", deny, err)
		}
		if _, err := view.Open("indir", files.OpenNoFollow|files.OpenDirectory); !errors.Is(err, files.ErrLoop) {
			t.Errorf("deny %q: open indir without following: %v", deny, err)
		}
		// A trailing slash means the target of the link.
		f, err := view.Open("indir/", files.OpenNoFollow)
		if err != nil {
			t.Fatalf("deny %q: open indir/: %v", deny, err)
		}
		_ = f.Close()
		if _, err := view.Open("in", files.OpenDirectory); !errors.Is(err, files.ErrNotDir) {
			t.Errorf("deny %q: open a link to a file as a directory: %v", deny, err)
		}
	}
}

func TestReadlinkRevealsNoHostPath(t *testing.T) {
	ws := hostile(t)
	write(t, ws, map[string]string{"s/x": ""})
	symlink(t, "../../secret", filepath.Join(ws, "s/out"))
	// Lexically, d/deep/s/out leads to d/secret. In fact it leads outside.
	symlink(t, "../../s", filepath.Join(ws, "d/deep/s"))
	for name, grantDeny := range map[string][]string{"plain": nil, "deny": {"no-such-name"}} {
		view := newFS(t, read("workspace", ws, grantDeny...)).View("/workspace")
		for link, want := range map[string]string{"in": "f", "indir": "d", "d/sibling": "../f", "loop": "loop"} {
			if got, err := view.Readlink(link); err != nil || got != want {
				t.Errorf("%s: readlink %s: %q, %v", name, link, got, err)
			}
		}
		for _, link := range []string{"up", "abs", "updir", "dots", "climb", "hostetc", "proc", "dangling", "d/inup", "s/out", "d/deep/s/out"} {
			if got, err := view.Readlink(link); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s: readlink %s: %q, %v", name, link, got, err)
			}
		}
		for _, other := range []string{"f", "d", ".", "fifo", "in/"} {
			if got, err := view.Readlink(other); !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("%s: readlink %s: %q, %v", name, other, got, err)
			}
		}
	}
}

// TestDevicesDoNotOpen checks that devices are recognised by their type and not by their name.
func TestDevicesDoNotOpen(t *testing.T) {
	dir := t.TempDir()
	const null = 1<<8 | 3
	if err := syscall.Mknod(filepath.Join(dir, "null"), syscall.S_IFCHR|0o666, null); err != nil {
		t.Skipf("no devices can be made here: %v", err)
	}
	for _, deny := range [][]string{nil, {"no-such-name"}} {
		if _, err := newFS(t, read("w", dir, deny...)).View("/w").Open("null", 0); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("deny %q: %v", deny, err)
		}
	}
}

func TestNothingOpensForChange(t *testing.T) {
	ws := hostile(t)
	before := snapshot(t, filepath.Dir(ws))
	for _, deny := range [][]string{nil, {"no-such-name"}} {
		view := newFS(t, read("workspace", ws, deny...)).View("/")
		for _, name := range []string{"/", "workspace", "workspace/f", "workspace/d", "workspace/new", "workspace/up", "workspace/dangling", "new"} {
			// Unknown flags are refused as well.
			for flags := files.OpenWrite; flags != 0; flags <<= 1 {
				for _, more := range []files.OpenFlags{0, files.OpenDirectory, files.OpenNoFollow} {
					if _, err := view.Open(name, flags|more); !errors.Is(err, files.ErrReadOnly) {
						t.Errorf("open %s with flags %b: %v", name, flags|more, err)
					}
				}
			}
		}
	}
	if after := snapshot(t, filepath.Dir(ws)); !slices.Equal(before, after) {
		t.Errorf("files changed:\n%q\n%q", before, after)
	}
}

// snapshot describes all files below dir, with their content and times.
func snapshot(t testing.TB, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		line := path + " " + info.Mode().String() + " " + info.ModTime().String()
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += " " + string(content)
		}
		all = append(all, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestSystemDirectoriesAreNotMounted(t *testing.T) {
	top := t.TempDir()
	symlink(t, "/etc", filepath.Join(top, "link"))
	symlink(t, "/", filepath.Join(top, "slash"))
	for _, dir := range []string{
		"/", "//", "/.", "/etc", "/etc/", "/etc/..", "/dev", "/dev/.", "/tmp/../etc",
		filepath.Join(top, "link"), filepath.Join(top, "slash"), filepath.Join(top, "slash", "etc"),
		"/proc", "/proc/self", "/proc/self/cwd/../../../../../../../../etc", "/proc/self/root", "/proc/self/fd", "/sys", "/sys/kernel", "/dev/shm", "/dev/pts",
	} {
		if _, err := os.Stat(dir); err != nil {
			continue // does not exist on this system
		}
		if fsys, err := files.New(grants(read("w", dir)), files.Options{}); err == nil {
			_ = fsys.Close()
			t.Errorf("mounted %s", dir)
		} else if !strings.Contains(err.Error(), "mount w: the directory is") {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// TestAFIFOIsNotMounted checks that mounting a FIFO fails at once and does not wait for a writer.
func TestAFIFOIsNotMounted(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := files.New(grants(read("w", fifo)), files.Options{}); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("got %v", err)
	}
}

// TestHardLinksAreOrdinaryFiles covers A6: os.Root cannot distinguish a hard link from the file.
// The test ensures that the documented behaviour does not change.
func TestHardLinksAreOrdinaryFiles(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"outside": "shared", "ws/x": ""})
	if err := os.Link(filepath.Join(top, "outside"), filepath.Join(top, "ws", "hard")); err != nil {
		t.Skipf("no hard links here: %v", err)
	}
	if got, err := readFile(newFS(t, read("w", filepath.Join(top, "ws"))).View("/w"), "hard"); err != nil || got != "shared" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestUnspeakableNamesAreNotListed checks that a name which is not a valid guest path is not
// listed. A guest that opens all listed names therefore gets no error.
func TestUnspeakableNamesAreNotListed(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"ok": ""})
	if err := os.WriteFile(filepath.Join(dir, "bad\xff"), nil, 0o644); err != nil {
		t.Skipf("no such names here: %v", err)
	}
	if got := list(t, newFS(t, read("w", dir)).View("/w"), "."); !slices.Equal(got, []string{"ok"}) {
		t.Errorf("got %q", got)
	}
}

func TestUnreadableFilesArePermissionErrors(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": canary})
	if err := os.Chmod(filepath.Join(dir, "f"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := newFS(t, read("w", dir)).View("/w").Open("f", 0); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}
