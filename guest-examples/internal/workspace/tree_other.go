//go:build !wasip1

package workspace

import (
	"io/fs"
	"os"
)

// openTree returns the files below folder.
func openTree(folder string) fs.FS { return os.DirFS(folder) }
