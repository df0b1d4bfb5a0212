//go:build unix

package plainfile

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// othersWrite holds the mode bits that let the group and other users write.
const othersWrite = 0o022

// Distrust returns the reasons not to use a file, each at most once. Only the user of this process
// and root may be able to change the file, or to replace it in a directory above it. If path is a
// link, its target is checked too. The parameter could describes the harm, such as "grant
// permissions". Each error message continues a sentence that begins with the file.
func Distrust(path string, info fs.FileInfo, could string) []error {
	var reasons []error
	if info.Mode()&othersWrite != 0 {
		reasons = append(reasons, fmt.Errorf("can be changed by other users, who could %s; remove that permission: chmod go-w", could))
	}
	if !owned(info, os.Geteuid()) {
		reasons = append(reasons, fmt.Errorf("belongs to another user, who could %s; take ownership of it: chown", could))
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return append(reasons, Reason(err))
	}
	for _, name := range slices.Compact([]string{path, resolved}) {
		if err := checkDirectories(name); err != nil {
			return append(reasons, err)
		}
	}
	return reasons
}

// checkDirectories checks the directories above a file, up to the root.
func checkDirectories(path string) error {
	at, err := filepath.Abs(path)
	if err != nil {
		return Reason(err)
	}
	for level := 1; at != filepath.Dir(at); level++ {
		at = filepath.Dir(at)
		info, err := os.Stat(at)
		if err != nil {
			return Reason(err)
		}
		if info.Mode()&othersWrite != 0 && info.Mode()&fs.ModeSticky == 0 {
			which := "its directory"
			if level > 1 {
				which = fmt.Sprintf("the directory %d levels above it", level)
			}
			return fmt.Errorf("can be replaced by other users, who can write to %s; remove that permission: chmod go-w", which)
		}
	}
	return nil
}

// owned reports whether a file belongs to the user or to root. If the user is root, it always
// returns true, because root chose to use the file.
func owned(info fs.FileInfo, user int) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || user == 0 || stat.Uid == 0 || int(stat.Uid) == user
}
