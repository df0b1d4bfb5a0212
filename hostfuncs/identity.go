package hostfuncs

import "io/fs"

// Identity is which directory of the host a path leads to. It is not for guests.
type Identity struct {
	// Path is the absolute path with all links resolved.
	Path string
	// ID tells the directory from every other that there is, whatever their paths are.
	ID string
	// Info is the directory, for capability.GrantedFS.Is.
	Info fs.FileInfo
}

// Identify looks which directory a path leads to. It opens it for that, as Bind does, and fails
// where Bind would not mount it; no error text holds a path.
func Identify(dir string) (Identity, error) {
	var paths hostPaths
	d, err := openHostDir(dir, &paths)
	if err != nil {
		return Identity{}, err
	}
	defer d.close()
	id, err := identityOf(d.self)
	if err != nil {
		return Identity{}, hostDirError(err)
	}
	return Identity{Path: d.real, ID: id, Info: d.info}, nil
}
