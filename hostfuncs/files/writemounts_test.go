package files_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// TestAMountForReadingStaysAsItIs covers A3 and A5: a mount for reading cannot be changed through
// any path or method, regardless of the other mounts.
func TestAMountForReadingStaysAsItIs(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"ro/f": "fine", "ro/d/g": "fine", "rw/h": "fine"})
	fsys := newFS(t, read("ro", filepath.Join(top, "ro")), readWrite("rw", filepath.Join(top, "rw")))
	root := fsys.View("/")
	for _, name := range []string{"ro/f", "ro/new", "ro/d", "ro", ".", "new", "rw/../ro/f"} {
		opened := func(flags files.OpenFlags) error { _, err := root.Open(name, flags); return err }
		for op, err := range map[string]error{
			"open": opened(files.OpenWrite), "create": opened(create), "truncate": opened(files.OpenTruncate), "append": opened(files.OpenAppend),
			"mkdir": root.Mkdir(name), "unlink": root.Unlink(name), "rmdir": root.Rmdir(name), "rename": root.Rename(name, "rw/x"),
			"rename to": root.Rename("rw/h", name), "chtimes": root.Chtimes(name, true, time.Unix(1, 0), time.Unix(1, 0)),
		} {
			if !errors.Is(err, files.ErrReadOnly) {
				t.Errorf("%s %s: %v", op, name, err)
			}
		}
	}
	for _, name := range []string{"ro/f", "ro/d", "/"} {
		f, err := root.Open(name, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, writeErr := f.Write([]byte("x"))
		for op, err := range map[string]error{"write": writeErr, "size": f.SetSize(0), "append": f.SetAppending(true), "times": f.Chtimes(time.Unix(1, 0), time.Unix(1, 0))} {
			if !errors.Is(err, files.ErrReadOnly) {
				t.Errorf("%s of open %s: %v", op, name, err)
			}
		}
	}
	holds(t, filepath.Join(top, "ro/f"), "fine")
	holds(t, filepath.Join(top, "rw/h"), "fine")
}

// TestNothingIsRenamedFromMountToMount checks that no file is renamed from one mount to another.
// This holds for two writable mounts as well, because their modes, limits and links may differ.
func TestNothingIsRenamedFromMountToMount(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	write(t, a, map[string]string{"f": "fine"})
	root := newFS(t, readWrite("a", a), readWrite("b", b), scratch()).View("/")
	for _, to := range []string{"b/f", "tmp/f"} {
		if err := root.Rename("a/f", to); !errors.Is(err, files.ErrCrossMount) {
			t.Errorf("rename to %s: %v", to, err)
		}
	}
	holds(t, filepath.Join(a, "f"), "fine")
}

// TestOverlappingMountsOfDifferentModesAreRefused checks that two mounts of one directory are
// refused unless they have the same mode.
func TestOverlappingMountsOfDifferentModesAreRefused(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"sub/x": "X"})
	sub := filepath.Join(dir, "sub")
	for name, pair := range map[string][2]string{"same": {dir, dir}, "below": {dir, sub}, "above": {sub, dir}} {
		for _, g := range [][2]capability.GrantedFS{
			{read("a", pair[0]), readWrite("b", pair[1])},
			{readWrite("a", pair[0]), read("b", pair[1])},
			{readWrite("a", pair[0], "x"), readWrite("b", pair[1])},
			{readWrite("a", pair[0]), readWrite("b", pair[1], "x")},
		} {
			fsys, err := files.New(grants(g[0], g[1]), files.Options{})
			var mountErr *files.MountError
			if !errors.As(err, &mountErr) || mountErr.Mount != "b" {
				_ = fsys.Close()
				t.Errorf("%s: %v, deny %q and %q: %v", name, g[0].Mode, g[0].Deny, g[1].Deny, err)
			}
		}
	}
	both := newFS(t, readWrite("a", dir), readWrite("b", sub))
	if err := writeFile(both.View("/b"), "x", "new"); err != nil {
		t.Fatal(err)
	}
	if got, err := readFile(both.View("/a"), "sub/x"); err != nil || got != "new" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestProtectedDirectories covers A17: a guest cannot write to directories that the host trusts.
func TestProtectedDirectories(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"cache/modules/x": "", "other/x": ""})
	cache := filepath.Join(top, "cache")
	o := files.Options{Protected: []string{cache}}
	for _, dir := range []string{top, cache, filepath.Join(cache, "modules")} {
		if fsys, err := files.New(grants(readWrite("w", dir)), o); err == nil {
			_ = fsys.Close()
			t.Errorf("mounted %s for writing", dir)
		} else {
			noHostPath(t, err, top)
		}
		newFSWith(t, o, read("w", dir))
	}
	newFSWith(t, o, readWrite("w", filepath.Join(top, "other")))
	// The guest could create a directory that does not exist yet.
	o.Protected = []string{filepath.Join(top, "other", "later", "modules")}
	for _, dir := range []string{top, filepath.Join(top, "other")} {
		if fsys, err := files.New(grants(readWrite("w", dir)), o); err == nil {
			_ = fsys.Close()
			t.Errorf("mounted %s for writing, which would hold a protected directory", dir)
		}
	}
	newFSWith(t, o, readWrite("w", cache))
	// A grant can protect further directories, such as a directory that a reload of the operator's
	// file added.
	grant := capability.Grant{FS: grants(readWrite("w", top)), Protected: []string{cache}}
	if b, err := hostfuncs.Bind(grant, files.Options{}, hostfuncs.Services{}); err == nil {
		_ = b.Close()
		t.Error("bound a directory that the grant protects for writing")
	}
}

// TestLinksToProtectedDirectories covers A17: a guest cannot replace a link that leads to a
// protected directory. Otherwise the guest could redirect the host.
func TestLinksToProtectedDirectories(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"cache/modules/x": "", "ws/sub/x": "", "other/x": ""})
	ws := filepath.Join(top, "ws")
	symlink(t, filepath.Join(top, "cache"), filepath.Join(ws, "absolute"))
	symlink(t, filepath.Join("..", "..", "cache"), filepath.Join(ws, "sub", "relative"))
	symlink(t, filepath.Join("ws", "sub", "relative"), filepath.Join(top, "chain"))
	symlink(t, filepath.Join(top, "nowhere"), filepath.Join(ws, "sub", "dangling"))
	symlink(t, "loop", filepath.Join(ws, "sub", "loop"))
	symlink(t, filepath.Join("ws", "sub", "..", "absolute"), filepath.Join(top, "there-and-back"))
	for _, dir := range []string{
		filepath.Join(ws, "absolute"), filepath.Join(ws, "absolute", "modules"), filepath.Join(ws, "sub", "relative"),
		filepath.Join(top, "chain"), filepath.Join(top, "chain", "modules", "x"), filepath.Join(ws, "sub", "dangling", "later"),
		filepath.Join(ws, "sub", "loop"), filepath.Join(top, "there-and-back"),
	} {
		o := files.Options{Protected: []string{dir}}
		fsys, err := files.New(grants(readWrite("w", ws)), o)
		if err == nil {
			_ = fsys.Close()
			t.Errorf("mounted a directory for writing that contains a link on the path of %s", dir)
			continue
		}
		noHostPath(t, err, top)
		newFSWith(t, o, read("w", ws))
	}
	newFSWith(t, files.Options{Protected: []string{filepath.Join(ws, "absolute"), filepath.Join(top, "chain")}}, readWrite("w", filepath.Join(top, "other")))
}
