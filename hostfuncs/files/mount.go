package files

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// mount is a directory of the host at a guest path.
type mount struct {
	name       string // the operator's name
	at         string // guest path
	root       *os.Root
	self       *os.File // the same directory as root
	deny       denyList
	only       string      // the only name that is not denied; empty for all names
	onlyIs     fs.FileInfo // the file of this name when the mount was opened; nil if none
	writable   bool
	scratch    bool      // a private directory of the call, not a directory of the operator
	scratchDir string    // the scratch directory, to remove at the end
	later      *laterDir // nil if the directory is opened at the start

	info    fs.FileInfo   // of the mounted directory
	parents []fs.FileInfo // of the mounted directory and all its parents on the host
	escape  error         // error of package os for a path that leads out of a root
}

// openMount opens the directory of a grant. If alone is true, no other mount could share files with
// it, so a scratch directory is made only when it is used.
func openMount(g capability.GrantedFS, o Options, paths *hostPaths, alone bool) (*mount, error) {
	m := &mount{name: g.Mount, at: g.GuestPath(), writable: g.Mode == capability.ModeWrite, scratch: g.Mount == capability.ScratchMount}
	refuse := func(reason string) (*mount, error) { return nil, &MountError{Mount: m.name, Reason: reason} }

	if g.Mode != capability.ModeRead && g.Mode != capability.ModeWrite {
		return refuse("mode " + g.Mode.String() + " is not supported; grant read or write")
	}
	rel, _, err := cleanPath(m.at)
	if err != nil || path.Join("/", rel) != m.at {
		return refuse("the guest path must be absolute and clean, such as /" + g.Mount)
	}
	if m.deny, err = newDenyList(g.Deny); err != nil {
		return refuse(err.Error())
	}
	if m.scratch {
		if err := checkScratch(g); err != nil {
			return refuse(err.Error())
		}
		if alone {
			m.later = &laterDir{open: func() error { return m.openDir(g, o, new(hostPaths)) }}
			return m, nil
		}
	}
	if err := m.openDir(g, o, paths); err != nil {
		return refuse(err.Error())
	}
	if err := m.openOnly(g, o, paths); err != nil {
		_ = m.close()
		return refuse(err.Error())
	}
	return m, nil
}

// openDir opens or creates the host directory of the mount. Its errors are reasons for a MountError
// and do not contain the path.
func (m *mount) openDir(g capability.GrantedFS, o Options, paths *hostPaths) error {
	name := g.Dir
	if m.scratch {
		var err error
		if name, err = newScratch(o); err != nil {
			return err
		}
		m.scratchDir = name
	}
	dir, err := openHostDir(name, paths)
	if err == nil && g.Is != nil && !os.SameFile(g.Is, dir.info) {
		err = errors.Join(errors.New("the directory is not the one that was approved; call the tool again to approve the current one"), dir.close())
	}
	if err == nil && (m.writable || g.Outside) && g.Only == "" {
		if err = dir.refuseProtected(o.Protected, paths); err != nil {
			_ = dir.close()
		}
	}
	if err != nil {
		_ = removeScratch(m.scratchDir)
		return err
	}
	// Package os does not export this error. Provoke it once to learn its value.
	var escape *fs.PathError
	if _, err := dir.root.Stat(".."); !errors.As(err, &escape) {
		_ = dir.close()
		_ = removeScratch(m.scratchDir)
		return errors.New("the operating system of the host does not keep paths inside the directory")
	}
	m.root, m.self, m.info, m.parents, m.escape = dir.root, dir.self, dir.info, dir.parents, escape.Err
	return nil
}

// close removes a scratch directory with its content, and closes the mount.
func (m *mount) close() error {
	if m.later != nil && !m.later.end() {
		return nil
	}
	var err error
	if m.scratch {
		err = m.emptyScratch()
	}
	return errors.Join(err, m.self.Close(), m.root.Close(), removeScratch(m.scratchDir))
}

// denies reports whether a cleaned path below the mount is denied.
func (m *mount) denies(rel string) bool {
	return isHostTemp(rel) || m.only != "" && rel != "." && rel != m.only || m.deny.denies(rel)
}

// hasDeny reports whether the mount denies paths, by deny patterns or because only one name is
// accessible. The host must then follow no link, because a link is a second name, and both compare
// names; see parentOf.
func (m *mount) hasDeny() bool { return m.only != "" || len(m.deny) > 0 }

// mayDenyBelow reports whether a path below the directory rel could be denied. It returns true in
// case of doubt.
func (m *mount) mayDenyBelow(rel string) bool { return m.only != "" || m.deny.mayLieBelow(rel) }

// guestError maps an error of package os to an error of this package.
func (m *mount) guestError(err error) error {
	if errors.Is(err, m.escape) {
		return ErrOutside
	}
	return guestError(err)
}

// opening specifies how a mount opens a path.
type opening struct {
	mustBeDir bool // refuse files
	noFollow  bool // refuse a link at the end of the path
	reads     bool // change nothing; links are followed also in a mount with deny patterns
	append    bool
	access    int // os.O_RDONLY, os.O_WRONLY or os.O_RDWR
	// create creates a file that must not exist yet. perm holds its permission bits, which the
	// umask of this process reduces.
	create bool
	perm   fs.FileMode
}

// following returns the links that are followed in a mount with deny patterns.
func (o opening) following() following {
	switch {
	case !o.reads:
		return followNone
	case o.noFollow:
		return followInside
	}
	return followAll
}

// hostFlags returns the flags for the host. They never include O_TRUNC, because a file is truncated
// only after the opened file was checked.
func (o opening) hostFlags() int {
	flags := openFlags | o.access
	if o.append {
		flags |= appendFlag
	}
	if o.create {
		flags |= os.O_CREATE | os.O_EXCL
	}
	return flags
}

// check refuses anything but a regular file or a directory. For writing it also refuses
// directories, and setuid and setgid files.
func (o opening) check(info fs.FileInfo) error {
	mode := info.Mode()
	switch {
	case info.IsDir() && o.access != os.O_RDONLY:
		return ErrIsDir
	case info.IsDir():
		return nil
	case !mode.IsRegular():
		return fs.ErrPermission
	case o.mustBeDir:
		return ErrNotDir
	case o.access != os.O_RDONLY && mode&(fs.ModeSetuid|fs.ModeSetgid) != 0:
		return fs.ErrPermission
	}
	return nil
}

// open opens rel if it is a regular file or a directory, and refuses anything else. The opened file
// is checked, because another process may replace the file while it is opened. The result resolved
// is the path of the opened file. It differs from rel if a link was followed because of the deny
// patterns.
func (m *mount) open(rel string, o opening) (file *os.File, info fs.FileInfo, resolved string, err error) {
	if file, info, ok := m.openPlain(rel, o); ok {
		return file, info, rel, nil
	}
	h, err := m.parentOf(rel, o.following())
	if err != nil {
		return nil, nil, "", err
	}
	defer h.done()

	// Check the type before opening, because opening a device can have an effect.
	before, err := m.statIn(h, !o.noFollow)
	if err != nil {
		return nil, nil, "", err
	}
	if before.Mode().Type() == fs.ModeSymlink {
		return nil, nil, "", ErrLoop
	}
	if err := o.check(before); err != nil {
		return nil, nil, "", err
	}
	file, info, err = m.openIn(h.dir, h.base, o)
	return file, info, h.rel, err
}

// openIn opens or creates a name in a directory.
func (m *mount) openIn(parent *os.Root, base string, o opening) (*os.File, fs.FileInfo, error) {
	file, err := parent.OpenFile(base, o.hostFlags(), o.perm)
	if err != nil {
		return nil, nil, m.guestError(err)
	}
	// The name may refer to another file by now. Check the opened file.
	info, err := m.checkOpened(file, parent, base, o)
	if err != nil {
		_ = file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// checkOpened applies checkKind to an open file. If the host must not follow a link, it also checks
// that the name refers to the file itself.
func (m *mount) checkOpened(file *os.File, parent *os.Root, base string, o opening) (fs.FileInfo, error) {
	info, err := m.checkKind(file, o)
	if err != nil {
		return nil, err
	}
	if (m.hasDeny() || o.noFollow) && !o.create { // a created file is not a link
		named, err := parent.Lstat(base)
		if err != nil {
			return nil, m.guestError(err)
		}
		if !os.SameFile(named, info) {
			return nil, fs.ErrPermission
		}
	}
	return info, nil
}

// checkKind refuses an open file of the wrong kind, or on a kernel file system such as procfs.
func (m *mount) checkKind(file *os.File, o opening) (fs.FileInfo, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, m.guestError(err)
	}
	if err := o.check(info); err != nil {
		return nil, err
	}
	switch {
	case m.only != "" && !info.IsDir() && !m.mayBeOnly(info):
		return nil, fs.ErrPermission
	case !sameDevice(info, m.info) && isKernelFS(file):
		return nil, fs.ErrPermission
	}
	return info, nil
}

// stat describes rel. If follow or mustBeDir is true, it follows a link at the end of rel.
// mustBeDir also refuses anything but a directory.
func (m *mount) stat(rel string, mustBeDir, follow bool) (fs.FileInfo, error) {
	links := followInside
	if follow = follow || mustBeDir; follow {
		links = followAll
	}
	h, err := m.parentOf(rel, links)
	if err != nil {
		return nil, err
	}
	defer h.done()
	info, err := m.statIn(h, follow)
	if err != nil {
		return nil, err
	}
	if mustBeDir && !info.IsDir() {
		return nil, ErrNotDir
	}
	return info, nil
}

// statIn describes a name in an open directory. If follow is true but the mount has deny patterns,
// it fails for a link, whether or not the target exists.
func (m *mount) statIn(h held, follow bool) (fs.FileInfo, error) {
	if follow && !m.hasDeny() {
		info, err := h.dir.Stat(h.base)
		return info, m.guestError(err)
	}
	info, err := h.dir.Lstat(h.base)
	if err != nil {
		return nil, m.guestError(err)
	}
	if follow && info.Mode().Type() == fs.ModeSymlink {
		return nil, fs.ErrPermission
	}
	return info, nil
}

// readlink returns the target of a link if it stays in the mount. Other targets are host paths and
// must not be visible to the guest.
func (m *mount) readlink(rel string) (string, error) {
	h, err := m.parentOf(rel, followInside)
	if err != nil {
		return "", err
	}
	defer h.done()
	target, err := m.linkTarget(h)
	if err != nil {
		return "", err
	}
	if target == "" {
		return "", fs.ErrInvalid
	}
	if named := path.Join(path.Dir(h.rel), target); named == ".." || strings.HasPrefix(named, "../") {
		return "", ErrOutside
	}
	if m.denies(path.Join(path.Dir(h.rel), target)) {
		return "", fs.ErrPermission
	}
	if !m.hasDeny() {
		// If rel leads through other links, the lexical check above is not sufficient.
		if _, err := h.dir.Stat(h.base); errors.Is(err, m.escape) {
			return "", ErrOutside
		}
	}
	return target, nil
}
