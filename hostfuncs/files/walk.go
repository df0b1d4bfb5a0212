package files

import (
	"io/fs"
	"os"
	"path"
	"strings"
)

// parentOf returns a directory handle and a name in it for a cleaned path below the mount. Without
// deny patterns, these are the mount and the whole path, and os.Root follows links inside the path.
// With deny patterns, parent is the directory of the last element, opened without following a link,
// and base is the last element. If err is nil, the caller must call the function done.
func (m *mount) parentOf(rel string) (parent *os.Root, base string, done func(), err error) {
	if !m.noLinks() {
		return m.root, rel, func() {}, nil
	}
	parent, closeParent := m.root, func() {}
	for {
		elem, rest, more := strings.Cut(rel, "/")
		if !more {
			return parent, elem, closeParent, nil
		}
		child, err := m.openChild(parent, elem)
		closeParent()
		if err != nil {
			return nil, "", nil, err
		}
		parent, closeParent = child, func() { _ = child.Close() }
		rel = rest
	}
}

// openChild opens the directory elem of parent without following a link, even if a link replaces
// the directory at the same time. After opening, the name must still refer to the opened directory,
// which keeps its identity while it is open.
func (m *mount) openChild(parent *os.Root, elem string) (*os.Root, error) {
	child, err := parent.OpenRoot(elem + dirOnly)
	if err != nil {
		// The error must not reveal where a link leads or whether its target exists.
		if _, linkErr := m.statIn(parent, elem, true); linkErr != nil {
			return nil, linkErr
		}
		return nil, m.guestError(err)
	}
	opened, err := child.Stat(".")
	if err == nil {
		var named fs.FileInfo
		if named, err = parent.Lstat(elem); err == nil && named.IsDir() && os.SameFile(named, opened) {
			return child, nil
		}
	}
	_ = child.Close()
	if err != nil {
		return nil, m.guestError(err)
	}
	return nil, fs.ErrPermission
}

// dirOnly is appended to a path before OpenRoot, so that anything but a directory is refused before
// it is opened. OpenRoot alone checks the type only after opening, and opening a FIFO blocks
// forever.
const dirOnly = "/."

// held is an open directory and a name in it.
type held struct {
	dir  *os.Root
	base string
	rel  string // path below the mount that led here
	done func() // closes dir
}

// hold opens the directory of the last element of a cleaned path. Operations on the open directory
// cannot be redirected elsewhere. If err is nil, the caller must call the function done.
func (m *mount) hold(rel string) (held, error) {
	h := held{rel: rel}
	var err error
	if dir := path.Dir(rel); m.noLinks() || dir == "." {
		h.dir, h.base, h.done, err = m.parentOf(rel)
	} else {
		h.base = path.Base(rel)
		h.dir, err = m.root.OpenRoot(dir + dirOnly)
		err = m.guestError(err)
		h.done = func() { _ = h.dir.Close() }
	}
	if err != nil {
		return held{}, err
	}
	if err := m.refuseKernelFS(h.dir); err != nil {
		h.done()
		return held{}, err
	}
	return h, nil
}

// refuseKernelFS fails for a directory in a file system of the kernel, such as /proc.
func (m *mount) refuseKernelFS(dir *os.Root) error {
	if dir == m.root { // checked when it was opened
		return nil
	}
	info, err := dir.Stat(".")
	if err != nil {
		return m.guestError(err)
	}
	if sameDevice(info, m.info) {
		return nil
	}
	file, err := dir.Open(".")
	if err != nil {
		return m.guestError(err)
	}
	defer file.Close()
	if isKernelFS(file) {
		return fs.ErrPermission
	}
	return nil
}
