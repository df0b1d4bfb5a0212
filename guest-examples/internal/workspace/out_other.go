//go:build !wasip1

package workspace

import (
	"io"
	"os"
)

// openOut opens a file for writing.
func openOut(path string, flags int) (io.WriteCloser, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|flags, 0o666)
	if err != nil {
		return nil, err
	}
	return f, nil
}
