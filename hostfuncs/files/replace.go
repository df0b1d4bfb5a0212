package files

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path"
	"time"
)

// Seen describes a file as the guest last saw it, from Lstat or a Batch. The guest wants to replace
// this file.
type Seen struct {
	// None means that the file did not exist; the other fields are then ignored.
	None bool
	// Size is the size of the regular file in bytes, and ModTime the time of its last change.
	Size    int64
	ModTime time.Time
}

// is reports whether info still describes the file that the guest has seen. A nil info means that
// no file exists. A nil Seen accepts any file.
func (s *Seen) is(info fs.FileInfo) bool {
	switch {
	case s == nil:
		return true
	case info == nil || s.None:
		return info == nil && s.None
	}
	// A guest receives the time in nanoseconds. A time that does not fit, such as the year 2300,
	// overflows in the same way here.
	return info.Size() == s.Size && info.ModTime().UnixNano() == s.ModTime.UnixNano()
}

// Replace atomically replaces the content of a file. It writes a temporary file in the same
// directory, which then replaces the file. The new file takes over the owner, group and permission
// bits, as with Rename. If the file does not exist, it is created as by Open. The caller keeps
// content and must not change it while Replace runs.
//
// seen describes the file that must exist when Replace begins; nil accepts any state. After the
// content is written, Replace checks again, and fails if the file has changed. A later change by
// another process is lost. On Linux, a file that another process creates after the check is not
// lost. A change that keeps the size may go unnoticed if the clock of the host is coarse.
//
// Replace fails with ErrChanged if the file is not the one seen, with ErrLoop for a link and with
// ErrIsDir for a directory. It fails with fs.ErrPermission for other types, for setuid and setgid
// files, and for a file that this process is not allowed to write. It fails with ErrLimit at a
// limit, and in the same cases as the other methods that change directories.
func (v View) Replace(name string, content []byte, seen *Seen) error {
	return v.change("replace", name, func(p place) error {
		if p.mustBeDir || p.rel == "." {
			return ErrIsDir
		}
		return v.fs.replace(p, content, seen)
	})
}

// replace does the work of Replace within the budget. Written bytes count even if the replacement
// fails.
func (f *FS) replace(p place, content []byte, seen *Seen) error {
	size := int64(len(content))
	if err := f.spend(size, 0, size); err != nil {
		return err
	}
	if err := f.countCreated(); err != nil {
		f.refund(size)
		return err
	}
	before, now, err := p.mount.putWhole(p.rel, seen, func(file *os.File) error { return f.writeAll(file, content) })
	if now == nil {
		f.refund(size)
		f.uncountCreated()
	}
	if err == nil {
		f.note(func(t tempNames) { t.replace(p, before, now) })
	}
	return err
}

// writeAll writes the content in parts and fails if the call ends before the last part.
func (f *FS) writeAll(file *os.File, content []byte) error {
	for len(content) > 0 {
		if f.revoked.Load() {
			return fs.ErrClosed
		}
		n, err := file.Write(content[:min(len(content), maxWrite)])
		if err != nil {
			return guestError(err)
		}
		content = content[n:]
	}
	return nil
}

// putWhole replaces the file at a cleaned path with a new file, and calls the function write to
// write the content. The old file must be a regular file, or not exist. The arguments before and
// now of write describe the old and the new file. now is nil if no file was created, not even
// temporarily.
func (m *mount) putWhole(rel string, seen *Seen, write func(*os.File) error) (before, now fs.FileInfo, err error) {
	h, err := m.hold(rel)
	if err != nil {
		return nil, nil, err
	}
	defer h.done()
	if before, err = m.mayReplace(h, seen); err != nil {
		return nil, nil, err
	}
	temp, file, now, err := m.createBeside(h, before)
	if err != nil {
		return nil, nil, err
	}
	err = write(file)
	if closeErr := m.guestError(file.Close()); err == nil {
		err = closeErr
	}
	if err == nil {
		err = m.putInPlace(temp, h, before)
	}
	if err != nil {
		// if the removal fails, only the temporary file is left behind
		_ = m.removeHeld(temp, false)
	}
	return before, now, err
}

// mayReplace describes the file that may be replaced, or returns nil if none exists. Replacing a
// file does not require permission to write to it, so mayReplace checks that permission.
func (m *mount) mayReplace(h held, seen *Seen) (fs.FileInfo, error) {
	// As in open, check the type first.
	info, err := h.dir.Lstat(h.base)
	switch err := m.guestError(err); {
	case err == fs.ErrNotExist && seen.is(nil):
		return nil, nil
	case err == fs.ErrNotExist:
		return nil, ErrChanged
	case err != nil:
		return nil, err
	case info.Mode().Type() == fs.ModeSymlink:
		return nil, ErrLoop
	}
	o := opening{noFollow: true, access: os.O_WRONLY}
	if err := o.check(info); err != nil {
		return nil, err
	}
	if !seen.is(info) {
		return nil, ErrChanged
	}
	if sameDevice(info, m.info) {
		return info, m.guestError(m.mayWrite(h))
	}
	file, info, err := m.openIn(h.dir, h.base, o) // also checks the file system
	if err != nil {
		return nil, err
	}
	return info, m.guestError(file.Close())
}

// putInPlace renames a file to a name if that name still refers to the file that the parameter
// before describes. If before is nil, the name must not exist.
func (m *mount) putInPlace(from, to held, before fs.FileInfo) error {
	if err := m.stillThere(to, before); err != nil {
		return err
	}
	if before != nil {
		return m.guestError(m.renameHeld(from, to))
	}
	if err := m.guestError(m.renameNew(from, to)); err != fs.ErrExist {
		return err
	}
	return ErrChanged
}

// stillThere fails if a name no longer refers to the file described by before; nil means that no
// file exists.
func (m *mount) stillThere(h held, before fs.FileInfo) error {
	now, err := h.dir.Lstat(h.base)
	switch err := m.guestError(err); {
	case err == fs.ErrNotExist && before == nil:
		return nil
	case err != nil && err != fs.ErrNotExist:
		return err
	case err != nil, before == nil, !os.SameFile(now, before),
		now.Mode() != before.Mode(), now.Size() != before.Size(), !now.ModTime().Equal(before.ModTime()):
		return ErrChanged
	}
	return nil
}

// createBeside creates a temporary file in the directory of the file that it will replace. before
// is nil if that file does not exist.
func (m *mount) createBeside(h held, before fs.FileInfo) (held, *os.File, fs.FileInfo, error) {
	perm := fs.FileMode(0o666)
	if before != nil {
		perm = firstPerm(before)
	}
	temp := h
	temp.base = hostTempPrefix + rand.Text()
	temp.rel = path.Join(path.Dir(h.rel), temp.base)
	file, info, err := m.openIn(h.dir, temp.base, opening{noFollow: true, access: os.O_WRONLY, create: true, perm: perm})
	if err != nil {
		return held{}, nil, nil, err
	}
	if before == nil || sameRights(info, before) {
		return temp, file, info, nil
	}
	if err := takeOver(file, info, before); err != nil {
		_ = file.Close()
		_ = m.removeHeld(temp, false)
		return held{}, nil, nil, m.guestError(err)
	}
	return temp, file, info, nil
}
