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

// othersWrite are the modes by which group and others can write.
const othersWrite = 0o022

// Distrust says why a file is not used, at most once for each reason: others than the user
// of this process and root can change it, or it lies below a folder where they can put
// another one in its place. What a link leads to counts as well. could is what they could
// do with that, such as "grant permissions". Each error is the end of a sentence that
// begins with the file.
func Distrust(path string, info fs.FileInfo, could string) []error {
	var faults []error
	if info.Mode()&othersWrite != 0 {
		faults = append(faults, fmt.Errorf("can be changed by others, who could %s; take that from them: chmod go-w", could))
	}
	if !owned(info, os.Geteuid()) {
		faults = append(faults, fmt.Errorf("belongs to another user, who could %s; make it your own: chown", could))
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return append(faults, Reason(err))
	}
	for _, name := range slices.Compact([]string{path, real}) {
		if err := checkFolders(name); err != nil {
			return append(faults, err)
		}
	}
	return faults
}

// checkFolders checks the folders above a file, up to the root.
func checkFolders(path string) error {
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
			which := "the folder that it lies in"
			if level > 1 {
				which = fmt.Sprintf("the folder %d levels above it", level)
			}
			return fmt.Errorf("can be replaced by others, who can write to %s; take that from them: chmod go-w", which)
		}
	}
	return nil
}

// owned reports whether a file belongs to a user or to root. To root, everything is
// owned well enough: root chose to use it.
func owned(info fs.FileInfo, user int) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || user == 0 || stat.Uid == 0 || int(stat.Uid) == user
}
