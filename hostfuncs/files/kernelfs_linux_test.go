package files

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// TestKernelFilesDoNotOpen covers A17: procfs cannot be read even if it is mounted below the mount,
// for example in a container's root. Mounting procfs requires privileges, so this test calls the
// check directly.
func TestKernelFilesDoNotOpen(t *testing.T) {
	m, err := openMount(capability.GrantedFS{FS: capability.FS{Mount: "w", Mode: capability.ModeRead}, Dir: t.TempDir()}, Options{}, new(hostPaths), false)
	if err != nil {
		t.Fatal(err)
	}
	defer m.root.Close()
	for _, dir := range []string{"/proc/self", "/proc", "/sys/kernel"} {
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Skipf("not on this system: %v", err)
		}
		defer root.Close()
		for _, name := range []string{".", "status", "version", "notes"} {
			file, err := root.Open(name)
			if err != nil {
				continue
			}
			defer file.Close()
			if _, err := m.checkOpened(file, root, name, opening{}); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s in %s: %v", name, dir, err)
			}
		}
	}
}
