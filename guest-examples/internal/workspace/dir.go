package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/wasmtool/wasmtool/guest/files"
)

// maxName limits the bytes of a name that is sent to the host. No operating system has longer
// names.
const maxName = 512 << 10

var errChanged = errors.New("the file changed in the meantime; read it again")

// Dir is a workspace that can be written. The host refuses paths outside of it.
type Dir struct {
	fs.FS
	path string
	room []byte // for small files; see Read
}

// OpenDir returns the directory at path, which is Mount in the sandbox. Like [Open], it does not
// check whether the directory exists.
func OpenDir(path string) Dir {
	return Dir{FS: openTree(path), path: path, room: make([]byte, roomFor(smallFile))}
}

// Target resolves value, the path in the parameter param, to the name of a file to write. The
// result was describes the file, or is nil if the file does not exist. A directory, a link or any
// other file that is not regular is an error.
func (d Dir) Target(param, value string) (name string, was *files.Answer, err error) {
	if name, err = d.resolve(param, value); err != nil {
		return "", nil, err
	}
	a := d.describe(name)
	switch {
	case errors.Is(a.Err, fs.ErrNotExist) && strings.HasSuffix(value, "/"), a.Err == nil && a.Type == fs.ModeDir:
		return "", nil, fmt.Errorf("%s: %s is a directory; give the path of a file", param, Display(value))
	case errors.Is(a.Err, fs.ErrNotExist), errors.Is(a.Err, syscall.ENOTDIR):
		return name, nil, nil
	case a.Err != nil:
		return "", nil, d.explainWrite(param, name, a.Err)
	case a.Type == fs.ModeSymlink:
		return "", nil, fmt.Errorf("%s: %s is a link%s; give the path of the file itself", param, Display(name), linkTarget(d.FS, name))
	case a.Type != 0:
		return "", nil, fmt.Errorf("%s: %s is not a regular file", param, Display(name))
	}
	return name, &a, nil
}

// resolve is [Resolve] for a file to write.
func (d Dir) resolve(param, value string) (string, error) {
	name, err := Resolve(param, value)
	if err == nil && strings.HasPrefix(path.Base(name), files.TempPrefix) {
		return "", fmt.Errorf("%s: names that begin with %s are reserved for files that are being written; use another name", param, files.TempPrefix)
	}
	return name, err
}

// describe describes a file; it does not follow links.
func (d Dir) describe(name string) files.Answer {
	answers, err := files.Dir(d.path).Stat([]string{name}, make([]byte, files.AnswerSize))
	switch {
	case err != nil && len(name) > maxName: // for a long name, the host would report too many files
		return files.Answer{Err: syscall.ENAMETOOLONG}
	case err != nil:
		return files.Answer{Err: err}
	}
	return answers[0]
}

// Write atomically replaces the content of a file, and keeps its permissions. The arguments name
// and was come from Target. Write fails if the file has changed since. It creates missing
// directories and returns them, outermost first. After an error it removes them again.
func (d Dir) Write(param, name string, was *files.Answer, content []byte) (made []string, err error) {
	if was == nil {
		was = &files.Answer{Err: syscall.ENOENT}
		made, err = d.makeParents(name)
	}
	if err == nil {
		err = files.Dir(d.path).Replace(name, content, was)
	}
	if err == nil {
		return made, nil
	}
	d.RemoveDirectories(made)
	switch {
	case errors.Is(err, syscall.ESTALE):
		err = errChanged
	case errors.Is(err, syscall.ELOOP):
		if _, _, isLink := d.Target(param, name); isLink != nil {
			return nil, isLink
		}
	}
	return nil, d.explainWrite(param, name, err)
}

// makeParents creates the missing parent directories of name.
func (d Dir) makeParents(name string) (made []string, err error) {
	var missing []string
	for directory := path.Dir(name); directory != "."; directory = path.Dir(directory) {
		info, err := os.Stat(d.join(directory))
		if err == nil && !info.IsDir() {
			return nil, fmt.Errorf("%s is a file, not a directory", Display(directory))
		}
		if err == nil {
			break
		}
		// A path below a file fails with ENOTDIR; the loop reaches that file next.
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return nil, err
		}
		missing = append(missing, directory)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		if err := os.Mkdir(d.join(missing[i]), 0o777); err != nil {
			return made, err
		}
		made = append(made, missing[i])
	}
	return made, nil
}

// checkWritable returns an error if the file can't be opened for writing. Replacing the file would
// not detect that.
func (d Dir) checkWritable(name string) error {
	f, err := os.OpenFile(d.join(name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// checkUnchanged returns an error if the file no longer matches was, the earlier answer.
func (d Dir) checkUnchanged(name string, was *files.Answer) error {
	now := d.describe(name)
	switch {
	case now.Err != nil && !errors.Is(now.Err, fs.ErrNotExist):
		return now.Err
	case now.Err != nil, now.Type != was.Type, now.Size != was.Size, !now.ModTime.Equal(was.ModTime):
		return errChanged
	}
	return nil
}

func (d Dir) join(name string) string {
	return filepath.Join(d.path, filepath.FromSlash(name))
}
