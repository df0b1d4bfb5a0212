package files

import (
	"io/fs"
	"os"
	"path"
	"strings"
)

// parentOf returns a handle and a name in it for a cleaned path below the mount.
// Without deny patterns that is the mount and the whole path, and os.Root follows
// the links on the way. With them it is the directory that holds the last
// element, reached with no link followed. done must be called when err is nil.
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

// openChild opens the directory elem of parent without following a link, even one
// that is put there while it opens: what was opened must itself bear the name
// afterwards, and an open directory keeps its identity.
func (m *mount) openChild(parent *os.Root, elem string) (*os.Root, error) {
	child, err := parent.OpenRoot(elem + dirOnly)
	if err != nil {
		// Where a link leads to, if anywhere, must not show in the error.
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

// dirOnly after a path makes opening it as a root refuse anything but a directory
// before it is opened. OpenRoot alone opens first and looks afterwards, and
// opening a FIFO waits for ever.
const dirOnly = "/."

// held is a directory, open, and a name in it.
type held struct {
	dir  *os.Root
	base string
	rel  string // the path below the mount that led here
	done func() // closes dir
}

// hold opens the directory that holds the last element of a cleaned path, so that
// what is done there can't be led elsewhere. done must be called when err is nil.
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

// refuseKernelFS fails for a directory in which the kernel shows itself.
func (m *mount) refuseKernelFS(dir *os.Root) error {
	if dir == m.root { // it was looked at when it was opened
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
