//go:build unix

package plainfile

import (
	"os"
	"path/filepath"
	"testing"
)

// The tests of package registry/config cover files and directories that other users can write.
func TestFileOfAnotherUserIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can create a file of another user")
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, 4242, 4242); err != nil {
		t.Skip("a file cannot be given to another user here:", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for user, want := range map[int]bool{0: true, 4242: true, 4243: false} {
		if got := owned(info, user); got != want {
			t.Errorf("to user %d: got %v", user, got)
		}
	}
}
