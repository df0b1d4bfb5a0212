//go:build unix

package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// pathsOfTheHost creates directories with links of all kinds between them, and returns their
// parent. Each directory has a file that contains its name.
func pathsOfTheHost(t *testing.T) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, top, map[string]string{
		"id": "top", "ws/id": "ws", "ws/sub/id": "sub", "ws2/id": "ws2", "cache/id": "cache", "cache/modules/id": "modules", "other/id": "other", "mid/id": "mid",
	})
	for link, target := range map[string]string{
		"link":     "ws",
		"mid/to":   "../ws",
		"abs":      filepath.Join(top, "ws"),
		"chain":    "mid/to/inlink",
		"dangling": "nowhere",
		"loop":     "loop",
		"filelink": "ws/id",
		"tocache":  "cache",
		"cache/up": "../ws",
		// Links in the mount, where a guest could replace them.
		"ws/inlink":  "sub",
		"ws/outlink": "../other",
	} {
		symlink(t, target, filepath.Join(top, link))
	}
	return top
}

// TestPathsOfMounts checks which host directory a path leads to, or why the path is refused.
func TestPathsOfMounts(t *testing.T) {
	top := pathsOfTheHost(t)
	t.Chdir(top)
	for _, test := range []struct{ path, id, reason string }{
		{"ws", "ws", ""},
		{"ws/", "ws", ""},
		{"ws/.//sub/.", "sub", ""},
		{"ws/../other", "other", ""},
		{"ws/none/../sub", "sub", ""},
		{"link", "ws", ""},
		{"link/", "ws", ""},
		{"link/sub", "sub", ""},
		{"link/../other", "other", ""},
		{"mid/to", "ws", ""},
		{"mid/to/sub", "sub", ""},
		{"mid/to/..", "mid", ""}, // resolved lexically
		{"abs/sub", "sub", ""},
		{"chain", "sub", ""},
		{"ws/outlink", "other", ""},
		{"cache/up/inlink", "sub", ""},
		{".", "top", ""},
		{"none", "", "the directory does not exist"},
		{"none/none", "", "the directory does not exist"},
		{"link/none", "", "the directory does not exist"},
		{"dangling", "", "the directory does not exist"},
		{"dangling/none", "", "the directory does not exist"},
		{"loop", "", "the directory cannot be opened"},
		{"loop/sub", "", "the directory cannot be opened"},
		{"ws/id", "", "the path is not a directory; name a directory"},
		{"ws/id/none", "", "the path is not a directory; name a directory"},
		{"link/id", "", "the path is not a directory; name a directory"},
		{"link/id/none", "", "the path is not a directory; name a directory"},
		{"filelink", "", "the path is not a directory; name a directory"},
	} {
		for spelling, path := range map[string]string{
			// Not joined with filepath.Join, which would clean the paths.
			"absolute": top + "/" + test.path, "relative": test.path, "from above": "../" + filepath.Base(top) + "/" + test.path,
		} {
			t.Run(test.path+"/"+spelling, func(t *testing.T) {
				fsys, err := files.New(grants(read("w", path)), files.Options{})
				if err == nil {
					defer closed(t, fsys)
				}
				checkReason(t, err, test.reason, top)
				if test.reason != "" {
					return
				}
				if got, err := readFile(fsys.View("/w"), "id"); err != nil || got != test.id {
					t.Errorf("it is %q, %v, want %q", got, err, test.id)
				}
			})
		}
	}
}

// TestPathsOfProtectedDirectories checks which mounts for writing conflict with protected
// directories.
func TestPathsOfProtectedDirectories(t *testing.T) {
	const refused = "the directory is, contains or lies in a directory that no tool may write to, which holds the operator's file, tools, stores or compiled code; name another directory, or grant this one for reading only"
	top, aside, in := pathsOfTheHost(t), t.TempDir(), t.TempDir()
	t.Chdir(top)
	for _, test := range []struct{ mount, protected, reason string }{
		// The directory itself, its parents and its content.
		{"ws", "ws", refused},
		{"ws", ".", refused},
		{"ws", "ws/sub", refused},
		{"ws/sub", "ws", refused},
		{"ws", "cache", ""},
		{"ws", "cache/modules", ""},
		{"ws", "ws2", ""},
		{"ws2", "ws", ""},
		// Other spellings.
		{"ws", "ws/../cache", ""},
		{"ws", "cache/../ws/sub", refused},
		{"ws", "none/../ws", refused},
		// A directory that does not exist yet.
		{"ws", "ws/later", refused},
		{"ws", "ws/later/and/later", refused},
		{"ws", "ws/sub/later", refused},
		{"ws/sub", "ws/later", ""},
		{"ws", "later", ""},
		{"ws", "cache/later/and/later", ""},
		{"other", "ws/later", ""},
		// A file, and a file instead of a directory.
		{"ws", "ws/id", refused},
		{"ws/sub", "ws/id", ""},
		{"ws", "cache/id", ""},
		{"ws", "cache/id/later", refused},
		{"ws", "ws/id/later", refused},
		// Links outside the mount.
		{"ws", "link", refused},
		{"ws", "link/sub", refused},
		{"ws", "link/later/and/later", refused},
		{"ws", "mid/to", refused},
		{"ws", "mid/to/sub", refused},
		{"ws", "mid/to/later", refused},
		{"ws", "abs/later", refused},
		{"ws", "cache/up/sub", refused},
		{"ws/sub", "chain", refused},
		{"ws/sub", "link", refused},
		{"ws/sub", "link/later", ""},
		{"ws", "tocache", ""},
		{"ws", "tocache/modules", ""},
		{"ws", "tocache/later", ""},
		{"cache", "tocache/later", refused},
		{"ws", "filelink", refused},
		{"ws", "link/../cache", ""},
		// Dangling links, whose targets may be created anywhere later.
		{"ws", "dangling", ""},
		{"ws", "dangling/later", ""},
		{".", "dangling", refused},
		{"ws", "loop", refused},
		{"ws", "loop/later", refused},
		// Links in the mount that lead out of it.
		{"ws", "ws/outlink", refused},
		{"ws", "ws/outlink/later", refused},
		{"ws", "link/outlink", refused},
		{"ws", "chain", refused},
		{"other", "ws/outlink", refused},
		{"ws/sub", "ws/outlink", ""},
		{"ws2", "ws/inlink", ""},
		// Links to the mount.
		{"link", "ws/sub", refused},
		{"link", "cache", ""},
		{"mid/to", "link/later", refused},
		{"chain", "ws", refused},
		{"ws/outlink", "ws", ""},
		{"ws/outlink", "other/later", refused},
	} {
		for spelling, of := range map[string]func(string) string{
			"absolute": func(path string) string { return top + "/" + path }, "relative": func(path string) string { return path },
		} {
			t.Run(strings.ReplaceAll(test.mount+" and "+test.protected+"/"+spelling, "..", "up"), func(t *testing.T) {
				mount, o := of(test.mount), files.Options{Protected: []string{of(test.protected)}}
				fsys, err := files.New(grants(readWrite("w", mount)), o)
				if err == nil {
					closed(t, fsys)
				}
				checkReason(t, err, test.reason, top)
				newFSWith(t, o, read("w", mount)) // reading a protected directory is allowed
				// Paths that were cached for the other mounts must not change the result.
				o.ScratchIn = in
				fsys, err = files.New(grants(readWrite("before", aside), scratch(), readWrite("w", mount)), o)
				if err == nil {
					closed(t, fsys)
				}
				checkReason(t, err, test.reason, top)
			})
		}
	}
}

// checkReason fails the test unless the mount w was refused for the given reason, or accepted if
// the reason is empty.
func checkReason(t *testing.T, err error, reason, top string) {
	t.Helper()
	noHostPath(t, err, top)
	var refused *files.MountError
	switch {
	case err == nil && reason == "":
	case err == nil:
		t.Errorf("it was mounted, but should have been refused with %q", reason)
	case !errors.As(err, &refused) || refused.Reason != reason:
		t.Errorf("got %v, want %q", err, reason)
	}
}

// TestPathsThatCannotBeLookedAt checks that a path that cannot be examined is refused.
func TestPathsThatCannotBeLookedAt(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may examine every path")
	}
	top := pathsOfTheHost(t)
	closedDir := filepath.Join(top, "cache")
	if err := os.Chmod(closedDir, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(closedDir, 0o700) })
	for _, path := range []string{"cache/modules", "cache/later", "tocache/modules", "cache/up/sub"} {
		o := files.Options{Protected: []string{filepath.Join(top, path)}}
		if fsys, err := files.New(grants(readWrite("w", filepath.Join(top, "ws"))), o); err == nil {
			closed(t, fsys)
			t.Errorf("mounted beside %s", path)
		}
		if fsys, err := files.New(grants(read("w", filepath.Join(top, path))), files.Options{}); err == nil {
			closed(t, fsys)
			t.Errorf("mounted %s", path)
		}
	}
}
