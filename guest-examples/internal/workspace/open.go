package workspace

import (
	"fmt"
	"io/fs"
)

// OpenFile opens the regular file at value, a path as for [Resolve], and also returns its name. The
// caller closes the file. The error names param and says what to do.
func OpenFile(fsys fs.FS, param, value string) (name string, f fs.File, err error) {
	if name, err = Resolve(fsys, param, value); err != nil {
		return "", nil, err
	}
	info, err := fs.Stat(fsys, name) // opening a pipe may block forever
	switch {
	case err != nil:
		return "", nil, Explain(fsys, param, name, err)
	case info.IsDir():
		return "", nil, fmt.Errorf("%s: %s is a directory; give the path of a file", param, Display(name))
	case !Regular(info):
		return "", nil, fmt.Errorf("%s: %s is not a regular file", param, Display(name))
	}
	if f, err = fsys.Open(name); err != nil {
		return "", nil, Explain(fsys, param, name, err)
	}
	return name, f, nil
}
