//go:build !wasip1

package workspace

import (
	"io/fs"
	"os"
)

// Open opens a file for reading.
func (d Dir) Open(name string) (fs.File, error) { return os.Open(d.join(name)) }
