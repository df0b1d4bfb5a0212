package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// hostDir is an open directory of the host.
type hostDir struct {
	root     *os.Root
	self     *os.File // the same directory, for operations that os.Root does not have
	info     fs.FileInfo
	resolved string // path with all links resolved
	// parents describes the directory itself and all directories above it.
	parents []fs.FileInfo
}

// openHostDir opens a directory that an operator wants to mount. Its errors are reasons for a
// MountError and do not contain the path.
func openHostDir(dir string, paths *hostPaths) (hostDir, error) {
	if dir == "" {
		return hostDir{}, errors.New("has no directory; name a directory")
	}
	resolved, parents, err := paths.directory(dir)
	if err != nil {
		return hostDir{}, err
	}
	root, err := os.OpenRoot(resolved + string(filepath.Separator) + ".") // see dirOnly
	if err != nil {
		return hostDir{}, hostDirError(err)
	}
	d := hostDir{root: root, resolved: resolved, parents: parents}
	if d.self, err = root.Open("."); err != nil {
		_ = root.Close()
		return hostDir{}, hostDirError(err)
	}
	if err := d.examine(paths); err != nil {
		_ = d.close()
		return hostDir{}, err
	}
	return d, nil
}

func (d *hostDir) close() error { return errors.Join(d.self.Close(), d.root.Close()) }

// examine refuses directories that must not be mounted. It checks the open handle and not the path,
// and both must still be the same directory.
func (d *hostDir) examine(paths *hostPaths) error {
	var err error
	if d.info, err = d.root.Stat("."); err != nil {
		return hostDirError(err)
	}
	if !os.SameFile(d.info, d.parents[0]) {
		return errors.New("the directory was replaced while it was opened; try again")
	}
	if d.isHostRoot(paths) {
		return errors.New("the directory is the root of a file system of the host; name a directory below it")
	}
	if d.touchesSystem(paths) || isKernelFS(d.self) {
		return errors.New("the directory is, contains or lies in a system directory of the host; name another directory")
	}
	return nil
}

// isHostRoot reports whether d is the root of its file system, by name or by identity.
func (d *hostDir) isHostRoot(paths *hostPaths) bool {
	if len(d.parents) == 1 {
		return true
	}
	top, err := paths.lstat(filepath.VolumeName(d.resolved) + string(filepath.Separator))
	return err == nil && os.SameFile(top, d.info)
}

// touchesSystem reports whether d is a system directory, lies in one or contains one. It compares
// identities, so a system directory is recognised under any name, such as /private/etc.
func (d *hostDir) touchesSystem(paths *hostPaths) bool {
	for _, name := range systemDirs() {
		system, err := paths.lstat(name)
		if err != nil {
			continue // this host does not have it
		}
		above := []fs.FileInfo{system} // also the root directory, which is never mounted
		if system.Mode().Type() == fs.ModeSymlink {
			if _, above, err = followed(name); err != nil {
				return true
			}
		}
		if contains(d.parents, above[0]) || contains(above, d.info) {
			return true
		}
	}
	return false
}

// refuseProtected fails if d is, contains or lies in a protected directory, even if the protected
// directory does not exist yet. It also fails if the path of a protected directory leads through a
// link in d, because a guest could replace that link.
func (d *hostDir) refuseProtected(dirs []string, paths *hostPaths) error {
	for _, dir := range dirs {
		near, err := paths.nearest(dir)
		if err != nil || contains(near.parents, d.info) || near.exists && contains(d.parents, near.parents[0]) || near.links && d.holdsLinkTo(dir) {
			return errors.New("the directory is, contains or lies in a directory that no tool may write to, which holds the operator's file, tools, stores or compiled code; name another directory, or grant this one for reading only")
		}
	}
	return nil
}

// holdsLinkTo reports whether the path dir leads through a link in or below d. It returns true in
// case of doubt.
func (d *hostDir) holdsLinkTo(dir string) bool {
	holders, err := linkHolders(dir)
	if err != nil {
		return true
	}
	for _, holder := range holders {
		if parents, err := parentsOf(holder); err != nil || contains(parents, d.info) {
			return true
		}
	}
	return false
}

func contains(infos []fs.FileInfo, info fs.FileInfo) bool {
	return slices.ContainsFunc(infos, func(other fs.FileInfo) bool { return os.SameFile(other, info) })
}

// hostDirError says in words why a directory cannot be opened.
func hostDirError(err error) error {
	switch guestError(err) {
	case fs.ErrNotExist:
		return errors.New("the directory does not exist")
	case fs.ErrPermission:
		return errors.New("the host denies access to the directory")
	case ErrNotDir:
		return errors.New("the path is not a directory; name a directory")
	case ErrTooManyOpen:
		return errors.New("the host has too many files open")
	}
	return errors.New("the directory cannot be opened")
}

// checkTogether refuses mounts that conflict. Two mounts conflict if one lies inside the other in
// the guest, because two names could then mean the same file. They also conflict if they share host
// files and one has deny patterns or only one is writable. A scratch directory must not share files
// with any mount, because the scratch directories of other calls are next to it.
func checkTogether(mounts []*mount) error {
	for i, b := range mounts {
		for _, a := range mounts[:i] {
			if nested(a.at, b.at) {
				return &MountError{Mount: b.name, Reason: "lies inside mount " + a.name + " in the guest, or contains it; give the two mounts separate paths"}
			}
			if !a.shares(b) && !b.shares(a) {
				continue
			}
			share := "shares files with mount " + a.name + ", and "
			switch {
			case a.scratch || b.scratch:
				return &MountError{Mount: b.name, Reason: share + "one of them is the private directory of a call; name a directory that does not contain the temporary files of this machine"}
			case a.hasDeny() || b.hasDeny():
				return &MountError{Mount: b.name, Reason: share + "one of them has deny patterns; mount separate directories"}
			case a.writable != b.writable:
				return &MountError{Mount: b.name, Reason: share + "only one of them may be written to; mount separate directories"}
			}
		}
	}
	return nil
}

// shares reports whether m lies in other, or is the same directory. A mount with only one name
// shares no directory below it, because that name is a regular file. Two such mounts count as
// sharing it even if the names differ, because the host may ignore the case of names.
func (m *mount) shares(other *mount) bool {
	return contains(m.parents, other.info) && (other.only == "" || m.only != "")
}

func nested(a, b string) bool {
	_, inA := below(a, b)
	_, inB := below(b, a)
	return inA || inB
}

// Identity identifies the host directory that a path leads to. It must not reach a guest.
type Identity struct {
	// Path is the absolute path with all links resolved.
	Path string
	// ID distinguishes the directory from every other existing directory, regardless of their
	// paths.
	ID string
	// Info describes the directory, for capability.GrantedFS.Is.
	Info fs.FileInfo
}

// Identify returns the identity of the directory that a path leads to. It opens the directory as
// New does, and fails if New would not mount it. No error text contains a path.
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
	return Identity{Path: d.resolved, ID: id, Info: d.info}, nil
}
