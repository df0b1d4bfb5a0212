package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest/files"
)

// maxName limits the bytes of a name that is sent to the host. No operating system has longer
// names.
const maxName = 512 << 10

var errChanged = errors.New("the file changed in the meantime; read it again")

// Dir is the file system of a call. Files in mounts for writing can be written. The host refuses
// paths outside the mounts. The methods take names as [Resolve] returns them.
type Dir struct {
	base   string  // absolute path of the working directory
	path   string  // where base is for package os; the same in the sandbox
	mounts []mount // the workspace comes first
	room   []byte  // for small files; see Read
}

// mount is a mount of a call.
type mount struct {
	at   string // absolute, cleaned path
	path string // where it is for package os; the same in the sandbox
}

// OpenDir returns a workspace whose files are in the directory at path, which is Mount in the
// sandbox. It does not check whether the directory exists; see [Explain].
func OpenDir(path string) Dir {
	return Dir{base: Mount, path: path, mounts: []mount{{Mount, path}}, room: make([]byte, roomFor(smallFile))}
}

// With returns a copy of d that also has the mount at the absolute path at, with the files of a
// directory. In the sandbox, At adds the mounts.
func (d Dir) With(at, directory string) Dir {
	d.mounts = append(slices.Clip(d.mounts), mount{at, directory})
	return d
}

// At returns a copy of d with the mounts and the working directory of a call. It fails if the
// working directory is not a directory in one of the mounts.
func (d Dir) At(call guest.Call) (Dir, error) {
	for _, m := range call.Mounts {
		if m.Path != Mount {
			d = d.With(m.Path, m.Path)
		}
	}
	if call.WorkingDirectory == "" || call.WorkingDirectory == Mount {
		return d, nil
	}
	base := path.Clean(call.WorkingDirectory)
	if _, inside := d.mountOf(base); inside {
		if info, err := os.Stat(d.join(base)); err == nil && info.IsDir() {
			d.base, d.path = base, d.join(base)
			return d, nil
		}
	}
	return d, fmt.Errorf("the working directory of the call, %s, is not a directory under %s; the program that makes the call must set another, or none", Display(call.WorkingDirectory), d.listed("or"))
}

// Base returns the absolute path of the working directory.
func (d Dir) Base() string { return d.base }

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
		return "", nil, fmt.Errorf("%s: %s is a link%s; give the path of the file itself", param, Display(name), linkTarget(d, name))
	case a.Type != 0:
		return "", nil, fmt.Errorf("%s: %s is not a regular file", param, Display(name))
	}
	return name, &a, nil
}

// resolve is [Resolve] for a file to write.
func (d Dir) resolve(param, value string) (string, error) {
	name, err := Resolve(d, param, value)
	if err == nil && strings.HasPrefix(path.Base(name), files.TempPrefix) {
		return "", fmt.Errorf("%s: names that begin with %s are reserved for files that are being written; use another name", param, files.TempPrefix)
	}
	return name, err
}

// describe describes a file; it does not follow links.
func (d Dir) describe(name string) files.Answer {
	answers, err := d.statMany([]string{name}, make([]byte, files.AnswerSize))
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
		dir, names := d.many([]string{name})
		err = dir.Replace(names[0], content, was)
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
	for directory := path.Dir(name); directory != "." && directory != "/"; directory = path.Dir(directory) {
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
