package files

import (
	"io/fs"
	"os"
	"time"
)

// The methods of View that change what a directory holds. All fail with
// ErrReadOnly where nothing may be written, with fs.ErrPermission for a denied
// path and for the mount itself, and as Open does.

// Mkdir makes a directory (mode 0777, less the umask of this process). It fails
// with fs.ErrExist when there is anything, and with ErrLimit at the limit.
func (v View) Mkdir(name string) error {
	return v.change("mkdir", name, func(p place) error {
		if p.rel == "." {
			return fs.ErrExist
		}
		return v.fs.creating(p, func() (fs.FileInfo, error) { return p.mount.mkdir(p.rel) })
	})
}

// Unlink removes anything but a directory, for which it fails with ErrIsDir. Of a
// link it removes the link.
func (v View) Unlink(name string) error { return v.remove("unlink", name, false) }

// Rmdir removes an empty directory. It fails with ErrNotDir for anything else, with
// ErrNotEmpty, and with fs.ErrPermission where a denied path could lie in the
// directory, whether or not it does.
func (v View) Rmdir(name string) error { return v.remove("rmdir", name, true) }

func (v View) remove(op, name string, dir bool) error {
	return v.change(op, name, func(p place) error {
		if err := p.mount.remove(p.rel, p.mustBeDir, dir); err != nil {
			return err
		}
		v.fs.note(func(t tempNames) { delete(t, tempName{p.mount, p.rel}) })
		return nil
	})
}

// Rename moves a file or directory within its mount, and replaces a file or an
// empty directory that is there, in one step. A regular file that replaces another
// takes over that one's owner, group and permission bits, since a guest has no other
// way to keep them, as far as this process may give them: a group that it can't have
// gets no more than everybody.
//
// It fails with ErrCrossMount for names in two mounts, and with fs.ErrPermission
// for a directory where a denied path could lie in it at its old or new name, for
// a link that would leave its directory and so lead elsewhere, and for anything
// that is no file, directory or link.
func (v View) Rename(from, to string) error {
	return v.change("rename", from, func(p place) error {
		target, err := v.fs.resolveToChange(v.at, to)
		if err != nil {
			return err
		}
		if target.mount != p.mount {
			return ErrCrossMount
		}
		if err := p.mount.rename(p, target); err != nil {
			return err
		}
		v.fs.note(func(t tempNames) { t.rename(p, target) })
		v.fs.noteWritten(target)
		return nil
	})
}

// Chtimes sets the time of the last access and of the last change; a zero time
// stays as it is. follow says whether a link at the end of the path is followed;
// ErrLoop answers one that is not.
func (v View) Chtimes(name string, follow bool, access, change time.Time) error {
	return v.change("chtimes", name, func(p place) error {
		if p.rel == "." {
			return fs.ErrPermission
		}
		o := opening{mustBeDir: p.mustBeDir, noFollow: !follow && !p.mustBeDir, access: timesAccess}
		file, _, err := p.mount.open(p.rel, o)
		if err != nil {
			return err
		}
		defer file.Close()
		return guestError(setTimes(file, access, change))
	})
}

// change resolves a path and changes what it names.
func (v View) change(op, name string, do func(p place) error) error {
	p, err := v.fs.resolveToChange(v.at, name)
	if err == nil {
		if err = v.fs.begin(); err == nil {
			if err = do(p); err == nil {
				v.fs.noteWritten(p)
			}
			v.fs.end()
		}
	}
	return pathError(op, p.guest, err)
}

// create creates a regular file that is not there yet.
func (f *FS) create(p place, o opening) (host *os.File, info fs.FileInfo, err error) {
	if p.mustBeDir {
		return nil, nil, ErrIsDir
	}
	if err := f.begin(); err != nil {
		return nil, nil, err
	}
	defer f.end()
	err = f.creating(p, func() (_ fs.FileInfo, err error) {
		host, info, err = p.mount.create(p.rel, o)
		return info, err
	})
	return host, info, err
}

// creating counts and notes what do makes. It is called between begin and end.
func (f *FS) creating(p place, do func() (fs.FileInfo, error)) error {
	if err := f.countCreated(); err != nil {
		return err
	}
	info, err := do()
	if err != nil {
		f.uncountCreated()
		return err
	}
	f.note(func(t tempNames) { t.add(p, info) })
	return nil
}

// noteWritten notes for the Usage that what p names was changed. What a call has for
// itself concerns nobody.
func (f *FS) noteWritten(p place) {
	if p.mount.scratch == "" {
		f.writtenPaths.Add(p.guest)
	}
}

// note changes what is known of temporary files. It is called between begin and end.
func (f *FS) note(change func(tempNames)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f.temps)
}
