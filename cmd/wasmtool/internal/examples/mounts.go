package examples

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/manifests"
)

// firstFileTime is the time of the files in examples that do not set the clock. It is fixed, so
// that a tool that shows the times of files, or sorts by them, has the same output in every run.
var firstFileTime = time.Date(2022, time.January, 1, 0, 0, 0, 0, time.UTC)

// mounts maps the names of an example's mounts to their directories. An [os.Root] keeps every path
// inside its directory, even if the tool created links.
type mounts map[string]*os.Root

// openMounts creates an empty directory below dir for each of the named mounts.
func openMounts(dir string, names []string) (mounts, error) {
	m := make(mounts)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	for _, name := range names {
		own := filepath.Join(dir, name)
		if err := os.Mkdir(own, 0o700); err != nil {
			return nil, errors.Join(err, m.close())
		}
		root, err := os.OpenRoot(own)
		if err != nil {
			return nil, errors.Join(err, m.close())
		}
		m[name] = root
	}
	return m, nil
}

func (m mounts) close() error {
	var errs []error
	for _, root := range m {
		errs = append(errs, root.Close(), os.RemoveAll(root.Name()))
	}
	return errors.Join(errs...)
}

// offered returns the directories in the form that a Registry accepts.
func (m mounts) offered() map[string]capability.Mount {
	offered := make(map[string]capability.Mount)
	for name, root := range m {
		offered[name] = capability.Mount{Dir: root.Name(), Mode: capability.ModeWrite}
	}
	return offered
}

// write creates the files, with ascending times: each file is a second older than the next, and the
// last is a second older than now.
func (m mounts) write(files []manifests.ExampleFile, now time.Time) error {
	for i, f := range files {
		root := m[f.Mount]
		if err := root.MkdirAll(path.Dir(f.Path), 0o700); err != nil {
			return err
		}
		if err := root.WriteFile(f.Path, []byte(f.Text), 0o600); err != nil {
			return err
		}
		at := now.Add(time.Duration(i-len(files)) * time.Second)
		if err := root.Chtimes(f.Path, at, at); err != nil {
			return err
		}
	}
	return nil
}

// read returns the content of a file. found is false if the file cannot be read.
func (m mounts) read(p manifests.ExamplePath) (text string, found bool) {
	data, err := m[p.Mount].ReadFile(p.Path)
	return string(data), err == nil
}

// exists reports whether the path exists, as a file, a directory or a link.
func (m mounts) exists(p manifests.ExamplePath) bool {
	_, err := m[p.Mount].Lstat(p.Path)
	return !errors.Is(err, fs.ErrNotExist)
}
