package files

import (
	"io"
	"io/fs"
	"os"
	"time"
)

// maxWrite bounds the bytes that are written between two looks at whether the call
// is over: writing cannot be interrupted.
const maxWrite = 4 << 20

// prepare does to a regular file what was asked for in opening it, now that it is
// known to be one.
func (f *File) prepare() error {
	if f.flags&OpenTruncate != 0 {
		if err := f.regular.Truncate(0); err != nil {
			return guestError(err)
		}
	}
	if f.flags&OpenAppend == 0 {
		return nil
	}
	f.appending.Store(true)
	if appendFlag != 0 {
		return nil // opened that way
	}
	return guestError(setAppend(f.regular, true))
}

// checkChange fails unless the file is open and lies where files are written.
func (f *File) checkChange() error {
	if err := f.check(); err != nil {
		return err
	}
	if f.place.mount == nil || !f.place.mount.writable {
		return ErrReadOnly
	}
	return nil
}

// checkWrite fails unless the file may be written to.
func (f *File) checkWrite() error {
	switch err := f.checkChange(); {
	case err != nil:
		return err
	case f.IsDir():
		return ErrIsDir
	case f.flags&OpenWrite == 0:
		return ErrAccess
	}
	return nil
}

// Write writes all of p where the last Read or Write ended, or at the end of the
// file when it is appending. It fails with ErrReadOnly where nothing may be
// written, ErrIsDir for a directory, ErrAccess for a file that was not opened for
// writing, and ErrLimit, before anything is written, at a limit.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.write(p, func() (int64, error) {
		if f.appending.Load() {
			return f.size()
		}
		return f.regular.Seek(0, io.SeekCurrent)
	}, func(p []byte, _ int64) (int, error) { return f.regular.Write(p) })
	return n, pathError("write", f.Path(), err)
}

// WriteAt is like Write at the given offset, which must not be negative, also when
// the file is appending. What lies between the end of the file and the offset
// counts as written.
func (f *File) WriteAt(p []byte, offset int64) (int, error) {
	n, err := f.write(p, func() (int64, error) {
		if offset < 0 {
			return 0, fs.ErrInvalid
		}
		return offset, nil
	}, f.writeAt)
	return n, pathError("write", f.Path(), err)
}

// writeAt writes at an offset; some hosts ignore that in a file that appends.
func (f *File) writeAt(p []byte, offset int64) (int, error) {
	if !f.appending.Load() {
		return f.regular.WriteAt(p, offset)
	}
	if err := setAppend(f.regular, false); err != nil {
		return 0, err
	}
	n, err := f.regular.WriteAt(p, offset)
	if appendErr := setAppend(f.regular, true); err == nil {
		err = appendErr
	}
	return n, err
}

// write writes all of p through put from where start says.
func (f *File) write(p []byte, start func() (int64, error), put func([]byte, int64) (int, error)) (int, error) {
	f.writing.Lock()
	defer f.writing.Unlock()
	if err := f.checkWrite(); err != nil || len(p) == 0 {
		return 0, err
	}
	offset, err := start()
	if err != nil {
		return 0, guestError(err)
	}
	size, err := f.size()
	if err != nil {
		return 0, guestError(err)
	}
	if err := f.fs.spend(max(0, offset-size)+int64(len(p)), offset, int64(len(p))); err != nil {
		return 0, err
	}
	written := 0
	for err == nil && written < len(p) {
		if err = f.check(); err != nil {
			break
		}
		var n int
		n, err = put(p[written:min(len(p), written+maxWrite)], offset+int64(written))
		written += n
		err = guestError(err)
	}
	f.fs.refund(int64(len(p) - written))
	return written, err
}

// SetSize cuts the file or makes it longer with zeros, which count as written. It
// fails as Write does.
func (f *File) SetSize(size int64) error { return pathError("truncate", f.Path(), f.setSize(size)) }

func (f *File) setSize(size int64) error {
	f.writing.Lock()
	defer f.writing.Unlock()
	if err := f.checkWrite(); err != nil {
		return err
	}
	if size < 0 {
		return fs.ErrInvalid
	}
	was, err := f.size()
	if err != nil {
		return guestError(err)
	}
	grows := max(0, size-was)
	if grows > 0 {
		if err := f.fs.spend(grows, 0, size); err != nil {
			return err
		}
	}
	if err := f.regular.Truncate(size); err != nil {
		f.fs.refund(grows)
		return guestError(err)
	}
	return nil
}

func (f *File) size() (int64, error) {
	info, err := f.regular.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Appending reports whether every Write goes to the end of the file.
func (f *File) Appending() bool { return f.appending.Load() }

// SetAppending says whether every Write goes to the end of the file. It fails with
// ErrReadOnly where nothing may be written, and with ErrUnsupported on Windows
// unless the file is that way already.
func (f *File) SetAppending(enable bool) error {
	return pathError("append", f.Path(), f.setAppending(enable))
}

func (f *File) setAppending(enable bool) error {
	f.writing.Lock()
	defer f.writing.Unlock()
	if err := f.check(); err != nil || enable == f.appending.Load() {
		return err
	}
	if err := f.checkWrite(); err != nil {
		return err
	}
	if err := setAppend(f.regular, enable); err != nil {
		return guestError(err)
	}
	f.appending.Store(enable)
	return nil
}

// Sync waits until what was written is on the disk. It does nothing for a
// directory or a file that was opened for reading only.
func (f *File) Sync() error {
	err := f.check()
	if err == nil && f.flags&OpenWrite != 0 {
		err = guestError(f.regular.Sync())
	}
	return pathError("sync", f.Path(), err)
}

// Chtimes is View.Chtimes for the open file. On Windows it must be open for
// writing.
func (f *File) Chtimes(access, change time.Time) error {
	err := f.checkChange()
	if err == nil && f.place.rel == "." {
		err = fs.ErrPermission
	}
	if err == nil {
		host := f.regular
		if f.IsDir() {
			host = f.dir.(*os.File) // a synthetic one is nowhere written
		}
		err = guestError(setTimes(host, access, change))
	}
	return pathError("chtimes", f.Path(), err)
}
