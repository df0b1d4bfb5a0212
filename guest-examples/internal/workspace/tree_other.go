//go:build !wasip1

package workspace

import (
	"io/fs"
	"os"
)

// openTree returns the files below directory.
func openTree(directory string) fs.FS { return os.DirFS(directory) }
