package files

import (
	"cmp"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"time"
)

// maxWrite limits the bytes written between two checks for the end of the call. A write cannot be
// interrupted.
const maxWrite = 4 << 20

// prepare truncates the file or sets append mode as requested, once the opened file is known to be
// a regular file.
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
		return nil // the host opened the file in append mode
	}
	return guestError(setAppend(f.regular, true))
}

// checkChange returns an error unless the file is open and its place can be written.
func (f *File) checkChange() error {
	if err := f.check(); err != nil {
		return err
	}
	if f.place.mount == nil || !f.place.mount.writable {
		return ErrReadOnly
	}
	return nil
}

// checkWrite returns an error unless the file may be written.
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

// Write writes all of p at the current offset, or at the end of the file in append mode. It fails
// with ErrReadOnly in a place that cannot be written, and with ErrIsDir for a directory. It fails
// with ErrAccess for a file not opened for writing. If it would exceed a limit, it fails with
// ErrLimit before writing any byte.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.write(p, func() (int64, error) {
		if f.appending.Load() {
			return f.size()
		}
		return f.regular.Seek(0, io.SeekCurrent)
	}, func(p []byte, _ int64) (int, error) { return f.regular.Write(p) })
	return n, pathError("write", f.Path(), err)
}

// WriteAt is like Write at the given offset, even in append mode. The offset must not be negative.
// The gap between the end of the file and the offset counts as written.
func (f *File) WriteAt(p []byte, offset int64) (int, error) {
	n, err := f.write(p, func() (int64, error) {
		if offset < 0 {
			return 0, fs.ErrInvalid
		}
		return offset, nil
	}, f.writeAt)
	return n, pathError("write", f.Path(), err)
}

// writeAt writes at an offset. It disables append mode during the write, because some hosts ignore
// the offset in append mode.
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

// write writes all of p with the function put, beginning at the offset that the function start
// returns.
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

// SetSize truncates the file or extends it with zeros, which count as written. It fails in the same
// cases as Write.
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

// Appending reports whether every Write appends to the file.
func (f *File) Appending() bool { return f.appending.Load() }

// SetAppending enables or disables append mode. It fails with ErrReadOnly in a place that cannot be
// written. On Windows it fails with ErrUnsupported unless the mode stays the same.
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

// Sync waits until written data is on disk. It has no effect for a directory, a file opened for
// reading only, or a file in scratch space, which is removed with the call.
func (f *File) Sync() error {
	err := f.check()
	if err == nil && f.flags&OpenWrite != 0 && !f.place.mount.scratch {
		err = guestError(f.regular.Sync())
	}
	return pathError("sync", f.Path(), err)
}

// Chtimes is like View.Chtimes for the open file. On Windows the file must be open for writing. In
// a mount with deny patterns, it fails for a file that was opened through a link.
func (f *File) Chtimes(access, change time.Time) error {
	err := f.checkChange()
	if err == nil && (f.place.rel == "." || f.place.rel != f.resolved) {
		err = fs.ErrPermission
	}
	if err == nil {
		host := f.regular
		if f.IsDir() {
			host = f.dir.(*os.File) // synthetic directories are never writable
		}
		err = guestError(setTimes(host, access, change))
	}
	return pathError("chtimes", f.Path(), err)
}

// Defaults of Options.
const (
	// DefaultMaxWritten is 256 MiB.
	DefaultMaxWritten = 256 << 20
	// DefaultMaxFileSize is 64 MiB.
	DefaultMaxFileSize = 64 << 20
	// DefaultMaxCreated is 10,000 files and directories.
	DefaultMaxCreated = 10_000
)

// budget holds the limits of a call and the amounts that the call has used.
type budget struct {
	maxWritten, maxFileSize, maxCreated int64

	written, created atomic.Int64
}

// newBudget returns the budget of the options.
func newBudget(o Options) budget {
	return budget{
		maxWritten:  cmp.Or(max(o.MaxWritten, 0), DefaultMaxWritten),
		maxFileSize: cmp.Or(max(o.MaxFileSize, 0), DefaultMaxFileSize),
		maxCreated:  int64(cmp.Or(max(o.MaxCreated, 0), DefaultMaxCreated)),
	}
}

// spend counts n bytes towards MaxWritten for a write of length bytes at the offset start. Neither
// start nor length may be negative. The caller must call refund for bytes that are then not
// written.
func (f *FS) spend(n, start, length int64) error {
	b := &f.budget
	switch {
	case length > b.maxFileSize || start > b.maxFileSize-length:
		return f.hitLimit("bytes of a file (%d)", b.maxFileSize)
	case b.written.Add(n) > b.maxWritten:
		f.refund(n)
		return f.hitLimit("bytes written (%d)", b.maxWritten)
	}
	return nil
}

func (f *FS) refund(n int64) { f.budget.written.Add(-n) }

// countCreated counts one created file. If the file is then not created, the caller must call
// uncountCreated.
func (f *FS) countCreated() error {
	if f.budget.created.Add(1) > f.budget.maxCreated {
		f.uncountCreated()
		return f.hitLimit("files created (%d)", f.budget.maxCreated)
	}
	return nil
}

func (f *FS) uncountCreated() { f.budget.created.Add(-1) }
