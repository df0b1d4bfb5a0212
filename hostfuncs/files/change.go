package files

import (
	"io/fs"
	"os"
	"time"
)

// The methods of View that change directories. They fail with ErrReadOnly in a place that cannot be
// written. They fail with fs.ErrPermission for a denied path, for the mount itself, and for a path
// through a link in a mount with deny patterns. They also fail in the same cases as Open.

// Mkdir creates a directory with mode 0777, less the umask of this process. It fails with
// fs.ErrExist if the name exists, and with ErrLimit at the limit.
func (v View) Mkdir(name string) error {
	return v.change("mkdir", name, func(p place) error {
		if p.rel == "." {
			return fs.ErrExist
		}
		return v.fs.creating(p, func() (fs.FileInfo, error) { return p.mount.mkdir(p.rel) })
	})
}

// Unlink removes a file or a link. It removes a link itself and not its target. For a directory, it
// fails with ErrIsDir.
func (v View) Unlink(name string) error { return v.remove("unlink", name, false) }

// Rmdir removes an empty directory. It fails with ErrNotDir for anything else, and with ErrNotEmpty
// for a directory that is not empty. If a denied path could lie in the directory, Rmdir fails with
// fs.ErrPermission, whether or not that path exists.
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

// Rename moves a file or directory within its mount and atomically replaces an existing file or
// empty directory. A regular file that replaces another one takes over its owner, group and
// permission bits, as far as this process may set them. A guest cannot preserve them itself. If the
// group cannot be set, the permissions of the file's own group are reduced to the permissions of
// others.
//
// Rename fails with ErrCrossMount for names in two mounts. It fails with fs.ErrPermission in these
// cases:
//
//   - A directory could contain a denied path at its old or new name.
//   - A link would move to another directory, which would change its target.
//   - The name is not a file, directory or link.
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

// Chtimes sets the times of the last access and the last change. A zero time leaves the time
// unchanged. follow says whether to follow a link at the end of the path; without it, a link fails
// with ErrLoop.
func (v View) Chtimes(name string, follow bool, access, change time.Time) error {
	return v.change("chtimes", name, func(p place) error {
		if p.rel == "." {
			return fs.ErrPermission
		}
		o := opening{mustBeDir: p.mustBeDir, noFollow: !follow && !p.mustBeDir, access: timesAccess}
		file, _, _, err := p.mount.open(p.rel, o)
		if err != nil {
			return err
		}
		defer file.Close()
		return guestError(setTimes(file, access, change))
	})
}

// change resolves a path and calls the function do to change the file at this path.
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

// create creates a regular file that does not exist yet.
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

// creating calls the function do to create a file, and counts and records the file. It must be
// called between begin and end.
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

// noteWritten records the path of p for WrittenPaths. It omits scratch space, which only the call
// itself can see.
func (f *FS) noteWritten(p place) {
	if !p.mount.scratch {
		f.writtenPaths.Add(p.guest)
	}
}

// note updates the record of temporary files. It must be called between begin and end.
func (f *FS) note(change func(tempNames)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.temps == nil {
		f.temps = make(tempNames)
	}
	change(f.temps)
}
