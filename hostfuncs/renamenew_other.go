//go:build !linux

package hostfuncs

// renameNew renames in one directory to a name that nothing bore at the last look. What another
// has put there since is replaced: package os knows no better.
func (m *mount) renameNew(from, to held) error { return m.renameHeld(from, to) }
