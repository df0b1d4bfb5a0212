package workspace

import (
	"errors"
	"os"

	"github.com/wasmtool/wasmtool/guest/files"
)

var errExists = errors.New("there is a file of this name already")

// Remove removes the file name, as Target returned it with was, unless it is no
// longer what was describes.
func (d Dir) Remove(param, name string, was *files.Answer) error {
	err := d.checkWritable(name)
	if err == nil {
		err = d.checkUnchanged(name, was)
	}
	if err == nil {
		err = os.Remove(d.join(name))
	}
	if err != nil {
		return d.explainWrite(param, name, err)
	}
	return nil
}

// Move gives the file name another name, at which there must be nothing, and
// makes the folders that it needs. The folders made are returned as by Write.
func (d Dir) Move(param, name, to string) (made []string, err error) {
	if err := d.checkWritable(name); err != nil {
		return nil, d.explainWrite(param, name, err)
	}
	if made, err = d.makeParents(to); err == nil {
		if _, statErr := os.Lstat(d.join(to)); statErr == nil {
			err = errExists
		} else {
			err = os.Rename(d.join(name), d.join(to))
		}
	}
	if err != nil {
		d.RemoveFolders(made)
		return nil, d.explainWrite(param, to, err)
	}
	return made, nil
}

// RemoveFolders removes the empty ones of the folders that Write or Move made.
func (d Dir) RemoveFolders(made []string) {
	for i := len(made) - 1; i >= 0; i-- {
		_ = os.Remove(d.join(made[i])) // what can't be removed is an empty folder
	}
}
