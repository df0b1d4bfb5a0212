package files

import (
	"io/fs"
	"os"
	"path"
)

// create creates a regular file at a name that must not exist, not even as a link.
func (m *mount) create(rel string, o opening) (*os.File, fs.FileInfo, error) {
	h, err := m.parentOf(rel, followNone)
	if err != nil {
		return nil, nil, err
	}
	defer h.done()
	o.create, o.perm = true, 0o666
	return m.openIn(h.dir, h.base, o)
}

// mkdir creates a directory at a name that must not exist, not even as a link.
func (m *mount) mkdir(rel string) (fs.FileInfo, error) {
	h, err := m.hold(rel)
	if err != nil {
		return nil, err
	}
	defer h.done()
	if err := h.dir.Mkdir(h.base, 0o777); err != nil {
		return nil, m.guestError(err)
	}
	info, err := h.dir.Lstat(h.base)
	return info, m.guestError(err)
}

// remove removes a directory or, if dir is false, anything else.
func (m *mount) remove(rel string, mustBeDir, dir bool) error {
	if rel == "." {
		return fs.ErrPermission
	}
	h, err := m.hold(rel)
	if err != nil {
		return err
	}
	defer h.done()
	info, err := h.dir.Lstat(h.base)
	switch {
	case err != nil:
		return m.guestError(err)
	case dir && !info.IsDir():
		return ErrNotDir
	case dir && m.mayDenyBelow(rel):
		// Reporting whether the directory is empty would reveal denied files.
		return fs.ErrPermission
	case !dir && info.IsDir():
		return ErrIsDir
	case !dir && mustBeDir:
		return ErrNotDir
	}
	return m.guestError(m.removeHeld(h, dir))
}

// removeSame removes a file or empty directory if the path still names it.
func (m *mount) removeSame(rel string, want fs.FileInfo) {
	h, err := m.hold(rel)
	if err != nil {
		return
	}
	defer h.done()
	if info, err := h.dir.Lstat(h.base); err == nil && os.SameFile(info, want) {
		// if the removal fails, only an unused file is left behind
		_ = m.removeHeld(h, info.IsDir())
	}
}

// rename moves a file or directory to another path of the mount.
func (m *mount) rename(from, to place) error {
	if from.rel == "." || to.rel == "." {
		return fs.ErrPermission
	}
	source, err := m.hold(from.rel)
	if err != nil {
		return err
	}
	defer source.done()
	target, err := m.hold(to.rel)
	if err != nil {
		return err
	}
	defer target.done()

	moved, err := source.dir.Lstat(source.base)
	if err != nil {
		return m.guestError(err)
	}
	replaced, err := target.dir.Lstat(target.base)
	if err != nil && m.guestError(err) != fs.ErrNotExist {
		return m.guestError(err)
	}
	if err := m.checkRename(from, to, moved, replaced); err != nil {
		return err
	}
	if replaced != nil && replaced.Mode().IsRegular() && moved.Mode().IsRegular() {
		return m.renameOver(source, target, moved, replaced)
	}
	return m.guestError(m.renameHeld(source, target))
}

// renameOver renames a regular file over another one, and takes over its owner, group and
// permission bits.
func (m *mount) renameOver(source, target held, moved, replaced fs.FileInfo) error {
	if sameRights(moved, replaced) {
		return m.guestError(m.renameHeld(source, target))
	}
	file, err := source.dir.OpenFile(source.base, openFlags, 0)
	if err != nil {
		return m.guestError(err)
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return m.guestError(err)
	case !os.SameFile(info, moved): // the file was replaced, or a link was followed
		return fs.ErrPermission
	}
	// Use the open file, so that no other file is changed.
	if err := takeOver(file, moved, replaced); err != nil {
		return m.guestError(err)
	}
	if err := m.renameHeld(source, target); err != nil {
		_ = takeOver(file, replaced, moved) // restore the rights of the moved file
		return m.guestError(err)
	}
	return nil
}

// checkRename checks the types of both files. replaced is nil if the target does not exist.
func (m *mount) checkRename(from, to place, moved, replaced fs.FileInfo) error {
	switch kind := moved.Mode().Type(); {
	case kind == fs.ModeDir && (m.mayDenyBelow(from.rel) || m.mayDenyBelow(to.rel)):
		return fs.ErrPermission
	case kind == fs.ModeDir && replaced != nil && !replaced.IsDir():
		return ErrNotDir
	case kind == fs.ModeDir:
		return nil
	case from.mustBeDir || to.mustBeDir:
		return ErrNotDir
	case replaced != nil && replaced.IsDir():
		return ErrIsDir
	case kind == fs.ModeSymlink && path.Dir(from.rel) == path.Dir(to.rel), kind == 0:
		return nil
	}
	return fs.ErrPermission
}
