// Package osreason removes host paths from errors of the operating system.
package osreason

import (
	"errors"
	"io/fs"
	"os"
)

// Of returns the reason, such as "permission denied", in an error of package os that names a path.
// Any other error is returned unchanged, and found is false.
func Of(err error) (reason error, found bool) {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err, true
	case errors.As(err, &link):
		return link.Err, true
	}
	return err, false
}
