package files

import (
	"io"
	"io/fs"
	"os"
	"path"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// maxRead limits the bytes of one Read. A read cannot be interrupted, and must not continue for
// long after the call has ended.
const maxRead = 4 << 20

// File is an open file or directory of an [FS]. After Close, or once its FS is revoked, all methods
// fail with fs.ErrClosed. It is safe for concurrent use.
type File struct {
	fs       *FS
	place    place
	resolved string // like place.rel, without links if the mount has deny patterns
	flags    OpenFlags

	// Exactly one of regular and dir is set.
	regular *os.File
	dir     interface {
		Stat() (fs.FileInfo, error)
		ReadDir(n int) ([]fs.DirEntry, error)
		Seek(offset int64, whence int) (int64, error)
		Close() error
	}

	closed    atomic.Bool
	appending atomic.Bool
	writing   sync.Mutex   // held while the file is written or resized
	listed    atomic.Int64 // number of entries returned since the last rewind

	listing    sync.Mutex // held while the directory is read or closed
	listingErr error      // why listing stopped; reset by the next rewind
	dirClosed  bool
}

// Path returns the absolute guest path that was used to open the file.
func (f *File) Path() string { return f.place.guest }

// IsDir reports whether the file is a directory.
func (f *File) IsDir() bool { return f.dir != nil }

func (f *File) check() error {
	if f.closed.Load() || f.fs.revoked.Load() {
		return fs.ErrClosed
	}
	return nil
}

// checkRead returns an error unless the file is open for reading and is not a directory.
func (f *File) checkRead() error {
	if err := f.check(); err != nil {
		return err
	}
	if f.IsDir() {
		return ErrIsDir
	}
	if f.flags&OpenNoRead != 0 {
		return ErrAccess
	}
	return nil
}

// Stat describes the current state of the file.
func (f *File) Stat() (fs.FileInfo, error) {
	err := f.check()
	var info fs.FileInfo
	if err == nil {
		if f.IsDir() {
			info, err = f.dir.Stat()
		} else {
			info, err = f.regular.Stat()
		}
		err = guestError(err)
	}
	if err != nil {
		return nil, pathError("stat", f.Path(), err)
	}
	return namedInfo{info, path.Base(f.Path())}, nil
}

// Read reads at most 4 MiB from the current offset. At the end it returns 0 and io.EOF. It fails
// with ErrIsDir for a directory, and with ErrAccess for a file opened for writing only.
func (f *File) Read(p []byte) (int, error) {
	if err := f.checkRead(); err != nil {
		return 0, pathError("read", f.Path(), err)
	}
	n, err := f.regular.Read(p[:min(len(p), maxRead)])
	return n, f.readError(err)
}

// ReadAt is like Read at the given offset, which must not be negative. Unlike an io.ReaderAt, it
// may return fewer bytes than requested without an error.
func (f *File) ReadAt(p []byte, offset int64) (int, error) {
	err := f.checkRead()
	if err == nil && offset < 0 {
		err = fs.ErrInvalid
	}
	if err != nil {
		return 0, pathError("read", f.Path(), err)
	}
	n, err := f.regular.ReadAt(p[:min(len(p), maxRead)], offset)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, f.readError(err)
}

func (f *File) readError(err error) error {
	if err == io.EOF {
		return err
	}
	return pathError("read", f.Path(), guestError(err))
}

// Seek sets the offset for the next Read as io.Seeker describes, and returns this offset. In a
// directory, it can only return to the start.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	err := f.check()
	switch {
	case err != nil:
	case f.IsDir() && offset == 0 && whence == io.SeekStart:
		err = f.rewind()
		offset = 0
	case f.IsDir(), whence < io.SeekStart, whence > io.SeekEnd:
		// Some hosts accept other values of whence.
		err = fs.ErrInvalid
	default:
		offset, err = f.regular.Seek(offset, whence)
		err = guestError(err)
	}
	if err != nil {
		return 0, pathError("seek", f.Path(), err)
	}
	return offset, nil
}

func (f *File) rewind() error {
	f.listing.Lock()
	defer f.endListing()
	if err := f.check(); err != nil {
		return err
	}
	f.uncountListed()
	_, f.listingErr = f.dir.Seek(0, io.SeekStart)
	f.listingErr = guestError(f.listingErr)
	return f.listingErr
}

// ReadDir returns the next n entries of a directory in no particular order, or fewer at the end. If
// n is 0 or less, it returns all remaining entries. It omits denied entries and names that are not
// valid guest paths. It fails with ErrTooLarge if one call would return more than 65,536 entries,
// or if all open directories together have listed 262,144. After an error it fails until Seek
// returns to the start.
func (f *File) ReadDir(n int) ([]fs.DirEntry, error) {
	err := f.check()
	if err == nil && !f.IsDir() {
		err = ErrNotDir
	}
	var entries []fs.DirEntry
	if err == nil {
		entries, err = f.list(n)
	}
	return entries, pathError("readdir", f.Path(), err)
}

func (f *File) list(n int) ([]fs.DirEntry, error) {
	f.listing.Lock()
	defer f.endListing()
	if f.listingErr != nil {
		return nil, f.listingErr
	}
	var entries []fs.DirEntry
	for n <= 0 || len(entries) < n {
		if f.listingErr = f.check(); f.listingErr != nil {
			return nil, f.listingErr
		}
		batch, err := f.dir.ReadDir(f.batch(n, len(entries)))
		if err != nil && err != io.EOF {
			f.listingErr = guestError(err)
			return nil, f.listingErr
		}
		before := len(entries)
		for _, entry := range batch {
			if f.shows(entry.Name()) {
				entries = append(entries, entry)
			}
		}
		added := len(entries) - before
		f.listed.Add(int64(added))
		if !f.fs.countListed(added) || len(entries) > maxListing {
			f.listingErr = ErrTooLarge
			return nil, f.listingErr
		}
		if err == io.EOF {
			break
		}
	}
	return entries, nil
}

// batch returns how many entries to request from the host. It requests at most one entry beyond
// maxListing, which shows that there are too many.
func (f *File) batch(n, have int) int {
	const maxBatch = 1024
	left := maxListing + 1 - have
	if n > 0 {
		left = min(left, n-have)
	}
	return min(left, maxBatch)
}

// shows reports whether the guest may see an entry of this directory. If the directory was opened
// through a link, its entries have two names, and neither may be denied.
func (f *File) shows(name string) bool {
	m := f.place.mount
	switch {
	case m == nil:
		return true
	case !utf8.ValidString(name), m.denies(path.Join(f.place.rel, name)):
		return false
	}
	return f.resolved == f.place.rel || !m.denies(path.Join(f.resolved, name))
}

// uncountListed subtracts the entries of this directory from the count of listed entries.
func (f *File) uncountListed() { f.fs.listed.Add(-f.listed.Swap(0)) }

// Close closes the file. Closing it again fails with fs.ErrClosed.
func (f *File) Close() error {
	f.fs.forget(f)
	return pathError("close", f.Path(), f.close())
}

func (f *File) close() error {
	if !f.closed.CompareAndSwap(false, true) {
		return fs.ErrClosed
	}
	if f.IsDir() {
		return f.closeDir()
	}
	return guestError(f.regular.Close())
}

// endListing must be called instead of listing.Unlock.
func (f *File) endListing() {
	f.listing.Unlock()
	if f.closed.Load() {
		_ = f.closeDir() // Close has returned, so no caller can use the error
	}
}

// closeDir closes a directory. Package os reuses the buffer of a directory when it is closed, even
// during a read. So if a read is in progress, the reading goroutine closes the directory
// afterwards. Close does not wait for it, because the host may hang.
func (f *File) closeDir() error {
	if !f.listing.TryLock() {
		return nil
	}
	defer f.listing.Unlock()
	if f.dirClosed {
		return nil
	}
	f.dirClosed = true
	f.uncountListed()
	return guestError(f.dir.Close())
}
