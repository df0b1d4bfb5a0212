package vendoring

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/wasmtool/wasmtool/internal/osreason"
)

// Directory is the name of the directory with packages, next to a script.
const Directory = "vendor"

// ErrExists is the error for a package that is there already.
var ErrExists = errors.New("already exists")

// Write adds packages to the directory vendor of dir. Each directory and module appears at once
// with all its files. Write adds nothing if one of them exists, unless replace is set. It follows
// no link that leaves dir. names are the files and directories that are in vendor and in dir
// afterwards. The error has no path outside of dir.
func Write(dir string, packages []*Package, replace bool) (names []string, err error) {
	own, err := os.OpenRoot(dir)
	if err != nil {
		return nil, reason(dir, err)
	}
	defer own.Close()
	if err := own.Mkdir(Directory, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, reason(Directory, err)
	}
	root, err := own.OpenRoot(Directory)
	if err != nil {
		return nil, reason(Directory, err)
	}
	defer root.Close()
	taken := make(map[string]bool)
	for _, p := range packages {
		for _, entry := range p.entries {
			if old := same(root, entry); len(old) > 0 && !replace || taken[key(entry)] {
				return nil, fmt.Errorf("%s/%s %w", Directory, entry, ErrExists)
			}
			taken[key(entry)] = true
		}
	}
	for _, p := range packages {
		if err := p.write(root); err != nil {
			return nil, err
		}
	}
	scoped, _ := fs.Glob(root.FS(), "@*/*") // a directory that cannot be read has no names
	vendored, _ := fs.Glob(root.FS(), "*")
	names, _ = fs.Glob(own.FS(), "*")
	return slices.Concat(names, vendored, scoped), nil
}

// write adds a package, and replaces what is there.
func (p *Package) write(root *os.Root) error {
	stage := ".new-" + rand.Text()
	defer root.RemoveAll(stage)
	for name, content := range p.Files {
		at := path.Join(stage, name)
		err := root.MkdirAll(path.Dir(at), 0o777)
		if err == nil {
			err = root.WriteFile(at, content, 0o666)
		}
		if err != nil {
			return reason(path.Join(Directory, name), err)
		}
	}
	for i, entry := range p.entries {
		old := same(root, entry)
		aside := func(n int) string { return path.Join(stage, fmt.Sprintf(".old-%d-%d", i, n)) }
		err := root.MkdirAll(path.Dir(entry), 0o777)
		for n, name := range old {
			err = errors.Join(err, root.Rename(name, aside(n)))
		}
		if err == nil {
			err = root.Rename(path.Join(stage, entry), entry)
		}
		if err != nil {
			for n, name := range old {
				_ = root.Rename(aside(n), name) // the first error is reported
			}
			return reason(path.Join(Directory, entry), err)
		}
	}
	return nil
}

// same returns the paths in root that are the same package as entry, such as another version.
func same(root *os.Root, entry string) []string {
	names, _ := fs.Glob(root.FS(), path.Join(path.Dir(entry), "*"))
	return slices.DeleteFunc(names, func(name string) bool { return key(path.Base(name)) != key(path.Base(entry)) })
}

func reason(name string, err error) error {
	why, _ := osreason.Of(err)
	return fmt.Errorf("%s: %w", name, why)
}
