package files

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path"
	"time"
)

// Seen is what a guest knows of a file that it wants to replace, from Lstat or a Batch.
type Seen struct {
	// None says that there was nothing; the rest is not looked at then.
	None bool
	// Size is the size in bytes of the regular file that was there, and ModTime when its
	// content changed last.
	Size    int64
	ModTime time.Time
}

// is reports whether a file is still the one that was seen; nil stands for none.
func (s *Seen) is(info fs.FileInfo) bool {
	switch {
	case s == nil:
		return true
	case info == nil || s.None:
		return info == nil && s.None
	}
	// A guest has the time in nanoseconds: of a year that those do not reach, such as 2300, it
	// has what they come to.
	return info.Size() == s.Size && info.ModTime().UnixNano() == s.ModTime.UnixNano()
}

// Replace gives the file name the content, as a whole or not at all: a file beside it is
// written, which takes its place, with the owner, the group and the permission bits of what
// it replaces, as with Rename. Where nothing is there, it is created as by Open. The content
// stays the caller's, and must not change while Replace runs.
//
// seen is what must be there when Replace begins; nil stands for whatever is. Once the content
// is written it looks again, and fails if anything else is there by then. What others do after
// that look is lost, but on Linux for a file that they create where there was none. A change
// that keeps the size may go unseen where the clock of the host is coarse.
//
// It fails with ErrChanged for a file that is not the one seen, with ErrLoop for a link,
// with ErrIsDir for a directory, with fs.ErrPermission for what is neither a file nor
// that, for a file that runs with the rights of its owner or group and for one that may not
// be written to itself, with ErrLimit at a limit, and as the other methods do that change
// what a directory holds.
func (v View) Replace(name string, content []byte, seen *Seen) error {
	return v.change("replace", name, func(p place) error {
		if p.mustBeDir || p.rel == "." {
			return ErrIsDir
		}
		return v.fs.replace(p, content, seen)
	})
}

// replace does so within the budget. What is written counts, whether or not it comes to
// take the file's place.
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

// writeAll writes the content, unless the call ends meanwhile.
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

// putWhole replaces the regular file that a cleaned path names, or nothing, by one that
// write writes to. It describes both; now is nil if no file was made, not even one that was
// removed again.
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
		_ = m.removeHeld(temp, false) // what stays is only litter
	}
	return before, now, err
}

// mayReplace describes the file in whose place another may be put: nil for nothing. Replacing
// a file needs no right to write to it, so that this is tried.
func (m *mount) mayReplace(h held, seen *Seen) (fs.FileInfo, error) {
	// As in open, look first.
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
	file, info, err := m.openIn(h.dir, h.base, o) // which looks at the file system, too
	if err != nil {
		return nil, err
	}
	return info, m.guestError(file.Close())
}

// putInPlace renames a file to a name that still has the file that before describes, nil for
// none.
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

// stillThere fails when a name no longer has the file that before describes, nil for none.
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

// createBeside creates a file in the directory of another, which it is to replace, or of
// nothing.
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
