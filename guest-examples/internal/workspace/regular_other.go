//go:build !wasip1

package workspace

import "io/fs"

// Regular reports whether a file of the workspace is a regular file. info describes the file.
func Regular(info fs.FileInfo) bool {
	return info.Mode().IsRegular()
}
