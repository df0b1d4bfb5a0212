package hostfuncs

import "golang.org/x/sys/unix"

// renameNew renames in one directory to a name that nothing bears: it fails with EEXIST for
// what another has put there meanwhile. Where a file system can't tell, it replaces that.
func (m *mount) renameNew(from, to held) error {
	err := m.withDir(from.dir, func(fd int) error {
		return unix.Renameat2(fd, from.base, fd, to.base, unix.RENAME_NOREPLACE)
	})
	if err == nil || err == unix.EEXIST {
		return err
	}
	return m.renameHeld(from, to)
}
