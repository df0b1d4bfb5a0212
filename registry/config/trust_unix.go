//go:build unix

package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/wasmtool/wasmtool/internal/plainfile"
)

// othersWrite are the modes by which group and others can write.
const othersWrite = 0o022

// checkTrust refuses a file that others can change, or that lies in a folder where
// others can put another one in its place. What a link leads to counts as well.
func checkTrust(path string, info fs.FileInfo) error {
	switch {
	case info.Mode()&othersWrite != 0:
		return errors.New("can be changed by others, who could grant permissions; take that from them: chmod go-w")
	case !owned(info, os.Geteuid()):
		return errors.New("belongs to another user, who could grant permissions; make it your own: chown")
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return plainfile.Reason(err)
	}
	for _, folder := range []string{filepath.Dir(path), filepath.Dir(real)} {
		info, err := os.Stat(folder)
		if err != nil {
			return plainfile.Reason(err)
		}
		if info.Mode()&othersWrite != 0 && info.Mode()&fs.ModeSticky == 0 {
			return errors.New("lies in a folder where others can put another file in its place; take that from them: chmod go-w on the folder")
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
