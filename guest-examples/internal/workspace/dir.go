package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	// tempPrefix begins the name of a file that is being written. The host
	// removes what has it when it stops a call.
	tempPrefix = ".wasmtool-tmp-"
	// maxTemps is how many names are tried for one: others may be writing in
	// the same folder.
	maxTemps = 100
)

var (
	errChanged = errors.New("it changed meanwhile; read it again")
	errNoTemp  = fmt.Errorf("its folder holds too many files named %s…; remove them", tempPrefix)
)

// Dir is a workspace that is written to. What lies outside is the host's to
// refuse.
type Dir struct {
	fs.FS
	path string
}

// OpenDir returns the directory at path, which is Mount in the sandbox. Like
// Open it does not look whether there is one.
func OpenDir(path string) Dir {
	return Dir{FS: openTree(path), path: path}
}

// Target resolves the path value of the parameter param to the name of a file
// to write, and describes the file if there is one; otherwise info is nil. A
// folder, a link and anything else that is no regular file is an error.
func (d Dir) Target(param, value string) (name string, info fs.FileInfo, err error) {
	name, err = Resolve(param, value)
	if err != nil {
		return "", nil, err
	}
	if strings.HasPrefix(path.Base(name), tempPrefix) {
		return "", nil, fmt.Errorf("%s: names that begin with %s are reserved for files that are being written", param, tempPrefix)
	}
	info, err = os.Lstat(d.join(name))
	switch {
	case errors.Is(err, fs.ErrNotExist) && strings.HasSuffix(value, "/"), err == nil && info.IsDir():
		return "", nil, fmt.Errorf("%s: %s is a folder; give the path of a file", param, Display(value))
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return name, nil, nil
	case err != nil:
		return "", nil, d.explainWrite(param, name, err)
	case info.Mode().Type() == fs.ModeSymlink:
		return "", nil, fmt.Errorf("%s: %s is a link%s; give the path of the file itself", param, Display(name), linkTarget(d.FS, name))
	case !Regular(info):
		return "", nil, fmt.Errorf("%s: %s is not a regular file", param, Display(name))
	}
	return name, info, nil
}

// Write gives the file name, as Target returned it with was, a new content. It
// does so as a whole or not at all: a file beside it is written and takes its
// place, unless the file is no longer what was describes. Missing folders are
// made, and returned from the outermost to the innermost; after an error they
// are removed again.
//
// The new file is made with the permissions that the host gives to new files,
// and it is for the host to keep those of the file that is replaced.
func (d Dir) Write(param, name string, was fs.FileInfo, content []byte) (made []string, err error) {
	if was == nil {
		made, err = d.makeParents(name)
	} else {
		err = d.checkWritable(name)
	}
	if err == nil {
		err = d.replace(name, was, content)
	}
	if err == nil {
		return made, nil
	}
	d.RemoveFolders(made)
	return nil, d.explainWrite(param, name, err)
}

// makeParents makes the folders above name that are missing.
func (d Dir) makeParents(name string) (made []string, err error) {
	var missing []string
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		info, err := os.Stat(d.join(folder))
		if err == nil && !info.IsDir() {
			return nil, fmt.Errorf("%s is a file, not a folder", Display(folder))
		}
		if err == nil {
			break
		}
		// What lies below a file is answered with ENOTDIR; the file comes next.
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return nil, err
		}
		missing = append(missing, folder)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		if err := os.Mkdir(d.join(missing[i]), 0o777); err != nil {
			return made, err
		}
		made = append(made, missing[i])
	}
	return made, nil
}

// checkWritable reports an error if the file itself must not be written, which
// replacing it would not notice.
func (d Dir) checkWritable(name string) error {
	f, err := openOut(d.join(name), 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// replace writes content beside the file name and puts it in its place.
func (d Dir) replace(name string, was fs.FileInfo, content []byte) error {
	temp, f, err := d.createTemp(path.Dir(name))
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = d.checkUnchanged(name, was)
	}
	if err == nil {
		err = os.Rename(temp, d.join(name))
	}
	if err != nil {
		_ = os.Remove(temp) // err says more
	}
	return err
}

// createTemp creates a file in the folder that did not exist before. The names
// are counted, not drawn, as a tool without real randomness draws the same ones.
func (d Dir) createTemp(folder string) (name string, f io.WriteCloser, err error) {
	for i := range maxTemps {
		name = filepath.Join(d.join(folder), fmt.Sprintf("%s%d", tempPrefix, i))
		f, err = openOut(name, os.O_CREATE|os.O_EXCL)
		if !errors.Is(err, fs.ErrExist) {
			return name, f, err
		}
	}
	return "", nil, errNoTemp
}

// checkUnchanged reports an error if the file is not what was describes.
func (d Dir) checkUnchanged(name string, was fs.FileInfo) error {
	now, err := os.Lstat(d.join(name))
	switch {
	case errors.Is(err, fs.ErrNotExist) && was == nil:
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil || was == nil,
		now.Mode() != was.Mode(), now.Size() != was.Size(), !now.ModTime().Equal(was.ModTime()):
		return errChanged
	}
	return nil
}

func (d Dir) join(name string) string {
	return filepath.Join(d.path, filepath.FromSlash(name))
}
