package workspace

import (
	"errors"
	"os"

	"github.com/wasmtool/wasmtool/guest/files"
)

var errExists = errors.New("a file of this name already exists")

// Remove removes the file called name. The arguments name and was come from Target. Remove fails if
// the file has changed since.
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

// Move renames the file called name. Its new path is to, which must not exist. Move creates missing
// directories and, like Write, returns them.
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
		d.RemoveDirectories(made)
		return nil, d.explainWrite(param, to, err)
	}
	return made, nil
}

// RemoveDirectories removes the created directories that are empty.
func (d Dir) RemoveDirectories(made []string) {
	for i := len(made) - 1; i >= 0; i-- {
		_ = os.Remove(d.join(made[i])) // at worst an empty directory is left
	}
}
