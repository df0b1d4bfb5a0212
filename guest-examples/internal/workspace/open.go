package workspace

import (
	"fmt"
	"io/fs"
)

// OpenFile opens the regular file that value, a path as Resolve takes it, names, and
// returns its name too. The caller closes it. The error names param and the fix.
func OpenFile(fsys fs.FS, param, value string) (name string, f fs.File, err error) {
	if name, err = Resolve(param, value); err != nil {
		return "", nil, err
	}
	info, err := fs.Stat(fsys, name) // to open a pipe may take for ever
	switch {
	case err != nil:
		return "", nil, Explain(fsys, param, name, err)
	case info.IsDir():
		return "", nil, fmt.Errorf("%s: %s is a folder; give the path of a file", param, Display(name))
	case !Regular(info):
		return "", nil, fmt.Errorf("%s: %s is not a regular file", param, Display(name))
	}
	if f, err = fsys.Open(name); err != nil {
		return "", nil, Explain(fsys, param, name, err)
	}
	return name, f, nil
}
