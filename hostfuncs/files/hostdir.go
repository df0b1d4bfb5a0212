package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// hostDir is a directory of the host, held open.
type hostDir struct {
	root *os.Root
	self *os.File // the same, for what os.Root has no method for
	info fs.FileInfo
	real string // its path with all links resolved
	// parents are the directory itself and all above it, to the top.
	parents []fs.FileInfo
}

// openHostDir opens a directory that an operator wants to mount. Its errors are
// reasons in words, without the path.
func openHostDir(dir string, paths *hostPaths) (hostDir, error) {
	if dir == "" {
		return hostDir{}, errors.New("has no directory; name one")
	}
	real, parents, err := paths.directory(dir)
	if err != nil {
		return hostDir{}, err
	}
	root, err := os.OpenRoot(real + string(filepath.Separator) + ".") // see dirOnly
	if err != nil {
		return hostDir{}, hostDirError(err)
	}
	d := hostDir{root: root, real: real, parents: parents}
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

// examine refuses directories that may not be mounted. It trusts the handle and
// not the path: both must still be the same directory.
func (d *hostDir) examine(paths *hostPaths) error {
	var err error
	if d.info, err = d.root.Stat("."); err != nil {
		return hostDirError(err)
	}
	if !os.SameFile(d.info, d.parents[0]) {
		return errors.New("was replaced while it was opened; try again")
	}
	if d.isHostRoot(paths) {
		return errors.New("is the root of a file system of the host; name a directory below it")
	}
	if d.touchesSystem(paths) || isKernelFS(d.self) {
		return errors.New("is, holds or lies in a system directory of the host; name another one")
	}
	return nil
}

// isHostRoot reports whether d is the top of its file system's path, by name or
// by identity.
func (d *hostDir) isHostRoot(paths *hostPaths) bool {
	if len(d.parents) == 1 {
		return true
	}
	top, err := paths.lstat(filepath.VolumeName(d.real) + string(filepath.Separator))
	return err == nil && os.SameFile(top, d.info)
}

// touchesSystem reports whether d is a system directory, lies in one or holds
// one. It compares identities, so that a system directory counts under whatever
// name it was reached, such as /private/etc.
func (d *hostDir) touchesSystem(paths *hostPaths) bool {
	for _, name := range systemDirs() {
		system, err := paths.lstat(name)
		if err != nil {
			continue // this host has none of that name
		}
		above := []fs.FileInfo{system} // and the root, which is never mounted
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

// refuseProtected fails when d is, holds or lies in one of the directories, or would hold
// one that is not there yet; or when it holds a link on the way to one, which a guest could
// replace.
func (d *hostDir) refuseProtected(dirs []string, paths *hostPaths) error {
	for _, dir := range dirs {
		near, err := paths.nearest(dir)
		if err != nil || contains(near.parents, d.info) || near.there && contains(d.parents, near.parents[0]) || near.links && d.holdsLinkTo(dir) {
			return errors.New("is, holds or lies in a directory that no tool may write to: that of the operator's file, of tools, of stores or of compiled code; name another one, or grant it for reading")
		}
	}
	return nil
}

// holdsLinkTo reports whether a link on the way to dir lies in d or below it, or may do so.
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
		return errors.New("is not a directory; name one")
	case ErrTooManyOpen:
		return errors.New("the host has too many files open")
	}
	return errors.New("the directory cannot be opened")
}

// checkTogether refuses mounts that undo each other: one inside another in the
// guest, where two names could mean the same file, and two that share host files
// when one allows what the other does not: it has deny patterns, or is read-only.
// Scratch shares with nothing, since other calls have theirs beside it.
func checkTogether(mounts []*mount) error {
	for i, b := range mounts {
		for _, a := range mounts[:i] {
			if nested(a.at, b.at) {
				return &MountError{Mount: b.name, Reason: "lies inside mount " + a.name + " in the guest, or the other way round; give them separate paths"}
			}
			if !contains(a.parents, b.info) && !contains(b.parents, a.info) {
				continue
			}
			share := "shares files with mount " + a.name + ", and "
			switch {
			case a.scratch != "" || b.scratch != "":
				return &MountError{Mount: b.name, Reason: share + "one of them is the private directory of a call; name a directory that does not hold the temporary files of this machine"}
			case a.noLinks() || b.noLinks():
				return &MountError{Mount: b.name, Reason: share + "one of them has deny patterns; mount separate directories"}
			case a.writable != b.writable:
				return &MountError{Mount: b.name, Reason: share + "only one of them may be written to; mount separate directories"}
			}
		}
	}
	return nil
}

func nested(a, b string) bool {
	_, inA := below(a, b)
	_, inB := below(b, a)
	return inA || inB
}

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
