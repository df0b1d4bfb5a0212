package files_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// inNamespace runs a test in a separate process that may mount file systems. It reports whether the
// current process is that process. The mounts are removed when the process exits.
func inNamespace(t *testing.T) bool {
	t.Helper()
	const inside = "WASMTOOL_TEST_IN_NAMESPACE"
	if os.Getenv(inside) != "" {
		return true
	}
	again := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	again.Env = append(os.Environ(), inside+"=1")
	again.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := again.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		t.Skipf("no namespaces here: %v", err)
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("no mounts here: %s", out)
	case !strings.Contains(string(out), "--- PASS"):
		t.Errorf("it did not run: %s", out)
	}
	return false
}

// mount mounts a file system until the test ends.
func mount(t *testing.T, source, target, kind string, flags uintptr, data string) {
	t.Helper()
	if err := syscall.Mount(source, target, kind, flags, data); err != nil {
		t.Skipf("mount %s: %v", source, err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(target, syscall.MNT_DETACH) })
}

// TestReplaceWithoutRoomOnTheHost checks that a full host file system is an ordinary error, and
// that nothing is left of the failed operation.
func TestReplaceWithoutRoomOnTheHost(t *testing.T) {
	if !inNamespace(t) {
		return
	}
	dir := t.TempDir()
	mount(t, "tmpfs", dir, "tmpfs", 0, "size=1m")
	write(t, dir, map[string]string{"f": "old"})
	for mount, deny := range map[string][]string{"plain": nil, "deny": {"no-such-name"}} {
		view := newFS(t, readWrite("w", dir, deny...)).View("/w")
		for _, name := range []string{"f", "new"} {
			err := view.Replace(name, make([]byte, 2<<20), nil)
			if !errors.Is(err, files.ErrIO) {
				t.Errorf("%s: %s: %v", mount, name, err)
			}
			noHostPath(t, err, dir)
		}
		// The failed operation has freed its space.
		if err := view.Replace("g", make([]byte, 900<<10), nil); err != nil {
			t.Errorf("%s: %v", mount, err)
		}
		if err := view.Unlink("g"); err != nil {
			t.Error(err)
		}
	}
	if got := filesIn(t, dir); !slices.Equal(got, []string{"f"}) {
		t.Errorf("there is %q", got)
	}
	holds(t, filepath.Join(dir, "f"), "old")
}

// TestReplaceInOtherFileSystems covers A17: in a file system that is mounted below the directory,
// files are replaced as usual, except in file systems of the kernel. A file that is itself a mount
// point stays.
func TestReplaceInOtherFileSystems(t *testing.T) {
	if !inNamespace(t) {
		return
	}
	ws := t.TempDir()
	write(t, ws, map[string]string{"t/x": "", "p/x": "", "one": "old", "k": "old"})
	at := func(name string) string { return filepath.Join(ws, name) }
	mount(t, "tmpfs", at("t"), "tmpfs", 0, "")
	write(t, ws, map[string]string{"t/f": "old", "t/d/g": "old", "t/one": "old"})
	mount(t, at("t/one"), at("one"), "", syscall.MS_BIND, "")
	mount(t, "/proc", at("p"), "", syscall.MS_BIND|syscall.MS_REC, "")
	mount(t, "/proc/self/comm", at("k"), "", syscall.MS_BIND, "")
	comm, err := os.ReadFile(at("k"))
	if err != nil {
		t.Fatal(err)
	}

	for mount, deny := range map[string][]string{"plain": nil, "deny": {"no-such-name"}} {
		view := newFS(t, readWrite("w", ws, deny...)).View("/w")
		for _, test := range []struct {
			name string
			want error
		}{
			{"t/f", nil},
			{"t/d/g", nil},
			{"t/new", nil},
			{"one", fs.ErrPermission},
			{"t", files.ErrIsDir},
			{"p/self/comm", fs.ErrPermission},
			{"p/version", fs.ErrPermission},
			{"p/new", fs.ErrPermission},
			{"p/sys/kernel/hostname", fs.ErrPermission},
			{"k", fs.ErrPermission},
		} {
			err := view.Replace(test.name, []byte(mount), nil)
			if !errors.Is(err, test.want) {
				t.Errorf("%s: %s: got %v, want %v", mount, test.name, err, test.want)
			}
			if err == nil {
				holds(t, at(test.name), mount)
			}
		}
	}
	holds(t, at("one"), "old")
	holds(t, at("k"), string(comm))
	if got := filesIn(t, at("t")); !slices.Equal(got, []string{"d/g", "f", "new", "one"}) {
		t.Errorf("there is %q", got)
	}
	entries, err := os.ReadDir(ws)
	if err != nil || strings.Join(names(entries), " ") != "k one p t" {
		t.Errorf("there is %q, %v", names(entries), err)
	}
}
