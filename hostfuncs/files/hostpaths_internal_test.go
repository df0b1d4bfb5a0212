package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHostPathsDetectReplacedDirectories checks that a directory is refused if it was replaced
// after hostPaths had looked at it. A directory that was missing is looked at again.
func TestHostPathsDetectReplacedDirectories(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, later := filepath.Join(top, "dir"), filepath.Join(top, "later")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	var paths hostPaths
	if near, err := paths.nearest(later); err != nil || near.exists {
		t.Errorf("got %+v, %v for a missing directory", near, err)
	}
	if err := os.Mkdir(later, 0o700); err != nil {
		t.Fatal(err)
	}
	if near, err := paths.nearest(later); err != nil || !near.exists {
		t.Errorf("got %+v, %v for a directory that now exists", near, err)
	}

	if resolved, _, err := paths.directory(dir); err != nil || resolved != dir {
		t.Fatalf("got %q, %v", resolved, err)
	}
	if err := os.Rename(dir, dir+".old"); err != nil {
		t.Fatal(err)
	}
	if d, err := openHostDir(dir, &paths); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("got %v, %v for a removed directory", d, err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if d, err := openHostDir(dir, &paths); err == nil || !strings.Contains(err.Error(), "was replaced") {
		t.Errorf("got %v, %v for another directory", d, err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(later, dir); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if d, err := openHostDir(dir, &paths); err == nil || !strings.Contains(err.Error(), "was replaced") {
		t.Errorf("got %v, %v for a link", d, err)
	}
}
