package workspace

import (
	"io/fs"
	"syscall"
)

// Regular reports whether a file of the workspace is a regular file. info describes the file. Its
// mode alone is not enough: a file without a type in WASI, such as a pipe, has the mode of a
// regular file.
func Regular(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return info.Mode().IsRegular() && (!ok || stat.Filetype == syscall.FILETYPE_REGULAR_FILE)
}
