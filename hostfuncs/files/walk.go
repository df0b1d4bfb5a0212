package files

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// held is an open directory and a name in it.
type held struct {
	dir  *os.Root
	base string
	rel  string // path below the mount that led here
	done func() // closes dir
}

// following says which links of a path an operation follows in a mount with deny patterns. In other
// mounts, os.Root follows links.
type following int

const (
	// followNone is for operations that change files.
	followNone following = iota
	// followInside follows links inside the path, but no link at its end.
	followInside
	followAll
)

// maxWalks limits how often a path is walked: once, and again after each link and each ".." in the
// middle of a target. Linux follows 40 links.
const maxWalks = 41

// parentOf returns a directory and a name in it for a cleaned path below the mount that is not
// denied. Without deny patterns, these are the mount and the whole path, and os.Root follows links
// inside the path. With deny patterns, they are the directory of the last element, opened without
// following a link, and the last element.
//
// Deny patterns match names, and a link is a second name. So parentOf never uses what the host
// finds through a link. It replaces the link in the path by its target, checks the new path, and
// walks the new path from the mount. Whatever other processes change meanwhile, the path of the
// result, rel, is not denied, and every directory was opened at its name in that path. With
// followAll, base was not a link when parentOf looked at it. It may be a link now, so the caller
// must check what it opens.
//
// If err is nil, the caller must call the function done of the result.
func (m *mount) parentOf(rel string, follow following) (held, error) {
	if !m.hasDeny() {
		return held{dir: m.root, base: rel, rel: rel, done: func() {}}, nil
	}
	elems := strings.Split(rel, "/")
	for range maxWalks {
		h, i, err := m.descend(elems)
		if err != nil {
			return held{}, err
		}
		last := i == len(elems)-1
		target, err := m.targetToFollow(h, last, follow)
		if err == nil && target == "" && last {
			h.rel = path.Join(elems...)
			return h, nil
		}
		h.done()
		if err == nil && target != "" { // without a target, the link is gone: walk the path again
			elems, err = m.through(elems, i, target)
		}
		if err != nil {
			return held{}, err
		}
	}
	return held{}, ErrLoop
}

// targetToFollow returns what replaces the element at which descend stopped: the target of a link,
// or "..". It returns "" if the element stays, and fails for a link inside the path that must not
// be followed.
func (m *mount) targetToFollow(h held, last bool, follow following) (string, error) {
	switch {
	case h.base == "..":
		return "..", nil
	case last && follow != followAll:
		return "", nil
	case follow == followNone:
		return "", fs.ErrPermission
	}
	return m.linkTarget(h)
}

// descend opens the directories of a path one after another, without following a link. It stops at
// a link, at "..", or at the last element, and returns the index of that element and the directory
// that contains it. If err is nil, the caller must call the function done of the result.
func (m *mount) descend(elems []string) (h held, i int, err error) {
	h = held{dir: m.root, done: func() {}}
	for ; ; i++ {
		h.base = elems[i]
		if h.base == ".." || i == len(elems)-1 {
			return h, i, nil
		}
		child, err := m.openChild(h.dir, h.base)
		if err == errIsLink {
			return h, i, nil
		}
		h.done()
		if err != nil {
			return held{}, 0, err
		}
		h.dir, h.done = child, func() { _ = child.Close() }
	}
}

// through returns the path in which target replaces the element with index i. descend has found
// that the elements before it are directories and no links, so ".." at this place means the
// directory above, and through removes both. Later in the path, ".." may come after a link, and
// stays. through fails if the path leads out of the mount or is denied, before the host looks for
// any part of it.
func (m *mount) through(elems []string, i int, target string) ([]string, error) {
	next := slices.Clone(elems[:i])
	for elem := range strings.SplitSeq(target, "/") {
		if elem != "" && elem != "." {
			next = append(next, elem)
		}
	}
	rest := elems[i+1:]
	if len(rest) == 0 && (target == "." || strings.HasSuffix(target, "/") || strings.HasSuffix(target, "/.")) {
		rest = []string{"."} // refuses anything but a directory
	}
	next = append(next, rest...)
	for i < len(next) && next[i] == ".." {
		if i == 0 {
			return nil, ErrOutside
		}
		i--
		next = slices.Delete(next, i, i+2)
	}
	if len(next) == 0 {
		next = []string{"."}
	}

	name := strings.Join(next, "/")
	switch {
	case len(name) > maxPathBytes:
		return nil, ErrNameTooLong
	case !utf8.ValidString(name): // patterns match valid names only
		return nil, fs.ErrInvalid
	}
	if err := checkNames(name); err != nil {
		return nil, err
	}
	// The next walk stops at "..". What follows is checked when ".." has been removed.
	walked := next
	if up := slices.Index(next, ".."); up >= 0 {
		walked = next[:up]
	}
	if m.denies(path.Join(walked...)) {
		return nil, fs.ErrPermission
	}
	return next, nil
}

// linkTarget returns the target of a link, slash-separated, or "" if the name is not a link. It
// fails with ErrOutside for an absolute target, which is a path of the host.
func (m *mount) linkTarget(h held) (string, error) {
	info, err := h.dir.Lstat(h.base)
	if err != nil {
		return "", m.guestError(err)
	}
	if info.Mode().Type() != fs.ModeSymlink {
		return "", nil
	}
	target, err := h.dir.Readlink(h.base)
	switch err := m.guestError(err); err {
	case nil:
	case fs.ErrInvalid: // the name refers to another file by now
		return "", fs.ErrPermission
	default:
		return "", err
	}
	if target == "" || filepath.IsAbs(target) || filepath.VolumeName(target) != "" || os.IsPathSeparator(target[0]) {
		return "", ErrOutside
	}
	return filepath.ToSlash(target), nil
}

// errIsLink means that a name that must be a directory is a link. It does not reach a guest.
var errIsLink = errors.New("is a link")

// openChild opens the directory elem of parent without following a link, even if a link replaces
// the directory at the same time. After opening, the name must still refer to the opened directory,
// which keeps its identity while it is open. A directory that os.Root found through a link is
// closed unused. openChild fails with errIsLink for a link, wherever the link leads and whether or
// not its target exists.
func (m *mount) openChild(parent *os.Root, elem string) (*os.Root, error) {
	child, err := parent.OpenRoot(elem + dirOnly)
	if err != nil {
		if named, lookErr := parent.Lstat(elem); lookErr != nil {
			err = lookErr
		} else if named.Mode().Type() == fs.ModeSymlink {
			return nil, errIsLink
		}
		return nil, m.guestError(err)
	}
	if err := m.checkChild(child, parent, elem); err != nil {
		_ = child.Close()
		return nil, err
	}
	return child, nil
}

// checkChild fails unless elem in parent refers to the open directory child itself.
func (m *mount) checkChild(child, parent *os.Root, elem string) error {
	opened, err := child.Stat(".")
	if err != nil {
		return m.guestError(err)
	}
	named, err := parent.Lstat(elem)
	switch {
	case err != nil:
		return m.guestError(err)
	case named.Mode().Type() == fs.ModeSymlink:
		return errIsLink
	case !named.IsDir() || !os.SameFile(named, opened):
		return fs.ErrPermission
	}
	return nil
}

// dirOnly is appended to a path before OpenRoot, so that anything but a directory is refused before
// it is opened. OpenRoot alone checks the type only after opening, and opening a FIFO blocks
// forever.
const dirOnly = "/."

// hold opens the directory of the last element of a cleaned path, for an operation that changes
// files. Operations on the open directory cannot be redirected elsewhere. If err is nil, the caller
// must call the function done.
func (m *mount) hold(rel string) (held, error) {
	h := held{rel: rel}
	var err error
	if dir := path.Dir(rel); m.hasDeny() || dir == "." {
		h, err = m.parentOf(rel, followNone)
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
