package files_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// TestABatchLeavesNothingOpen checks that a batch leaves no descriptor open in any case.
func TestABatchLeavesNothingOpen(t *testing.T) {
	ws := hostile(t)
	fsys := newFS(t, read("workspace", ws))
	names := variations(t, ws, "/workspace")
	room := make([]byte, 1<<16)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	ask := func() {
		for _, b := range []files.Batch{batch(fsys, names...), fsys.Batch(ended, names)} {
			b.Stat()
			b.List(room)
			b.Read(1<<20, room)
			b.Read(1, room[:3])
		}
	}
	ask() // the first run opens descriptors that the Go runtime keeps
	before := descriptors(t)
	for range 20 {
		ask()
	}
	if after := descriptors(t); after != before {
		t.Errorf("%d descriptors are open, %d before", after, before)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// TestABatchFindsDirectoriesAgain moves a directory out of the mount. The next batch must not use
// that directory any longer, and a running batch may use it for a few files only.
func TestABatchFindsDirectoriesAgain(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"ws/d/f": "fine"})
	fsys := newFS(t, read("w", filepath.Join(top, "ws")))
	if a := batch(fsys, "/w/d/f").Read(10, make([]byte, 10))[0]; a.Err != nil || string(a.Content) != "fine" {
		t.Fatalf("got %q, %v", a.Content, a.Err)
	}
	if err := os.Rename(filepath.Join(top, "ws/d"), filepath.Join(top, "d")); err != nil {
		t.Fatal(err)
	}
	write(t, top, map[string]string{"d/f": canary})
	for _, a := range batch(fsys, "/w/d/f").Read(100, make([]byte, 100)) {
		if a.Err == nil {
			t.Errorf("read %q", a.Content)
		}
	}
}
