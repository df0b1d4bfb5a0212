//go:build !wasip1

package workspace

import "io/fs"

// Regular reports whether info, of a file of the workspace, describes a regular file.
func Regular(info fs.FileInfo) bool {
	return info.Mode().IsRegular()
}
