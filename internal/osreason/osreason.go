// Package osreason takes the host's paths out of errors of the operating system.
package osreason

import (
	"errors"
	"io/fs"
	"os"
)

// Of returns the reason in an error of package os about a file, such as "permission denied",
// without the paths that the error names, and whether it is one. Any other error is returned
// as it is.
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
