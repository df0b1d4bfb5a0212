//go:build unix

package files

import (
	"io/fs"
	"testing"
)

// TestWithoutGroup checks the mode of a file that cannot get the group of the file that it
// replaces. Its own group then gets only permissions that other users have as well.
func TestWithoutGroup(t *testing.T) {
	for perm, want := range map[fs.FileMode]fs.FileMode{
		0o660: 0o600, 0o664: 0o644, 0o666: 0o666, 0o775: 0o755, 0o640: 0o600, 0o604: 0o604, 0o600: 0o600, 0o770: 0o700, 0o647: 0o647,
	} {
		if got := withoutGroup(perm); got != want {
			t.Errorf("%o became %o, want %o", perm, got, want)
		}
	}
}
