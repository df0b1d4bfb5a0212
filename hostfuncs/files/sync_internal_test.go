package files

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// Sync reaches the host for a file of the operator, and not for scratch space, which no one reads
// after the call. The host's file is closed, so that syncing it fails.
func TestScratchSpaceIsNotSynced(t *testing.T) {
	fsys, err := New([]capability.GrantedFS{
		{FS: capability.FS{Mount: "workspace", Mode: capability.ModeWrite}, Dir: t.TempDir()},
		{FS: capability.FS{Mount: capability.ScratchMount, Mode: capability.ModeWrite}},
	}, Options{ScratchIn: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = fsys.Close() }) // fails, because the host's files are closed
	for name, want := range map[string]error{"/workspace/a": fs.ErrClosed, "/tmp/a": nil} {
		f, err := fsys.View("/").Open(name, OpenWrite|OpenCreate)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_ = f.regular.Close()
		if err := f.Sync(); !errors.Is(err, want) {
			t.Errorf("%s: with a closed file: got %v, want %v", name, err, want)
		}
		fsys.Revoke()
		if err := f.Sync(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s: after the call: got %v", name, err)
		}
		fsys.revoked.Store(false)
	}
}
