package guestfs

import (
	"errors"
	"io"
	"io/fs"

	"github.com/tetratelabs/wazero/experimental/sys"
	wazerosys "github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// file is a file or directory that a guest has opened.
type file struct {
	f      *files.File
	traces *Traces
	closed bool
}

// IsAppend reports whether writes go to the end of the file.
func (f *file) IsAppend() bool { return f.f.Appending() }

// SetAppend sets whether writes go to the end of the file.
func (f *file) SetAppend(enable bool) sys.Errno { return toErrno(f.f.SetAppending(enable)) }

// Write writes all of buf.
func (f *file) Write(buf []byte) (int, sys.Errno) {
	n, err := f.f.Write(buf)
	return n, toErrno(err)
}

// Pwrite writes all of buf at an offset.
func (f *file) Pwrite(buf []byte, off int64) (int, sys.Errno) {
	n, err := f.f.WriteAt(buf, off)
	return n, toErrno(err)
}

// Truncate sets the size of the file.
func (f *file) Truncate(size int64) sys.Errno { return toErrno(f.f.SetSize(size)) }

// Utimens sets the times of the file. It never returns EPERM or ENOSYS: the engine would then retry
// by path, and the path may lead to another file by then.
func (f *file) Utimens(atim, mtim int64) sys.Errno {
	return toErrno(f.f.Chtimes(toTime(atim), toTime(mtim)))
}

// Sync waits until the file is stored on disk.
func (f *file) Sync() sys.Errno { return toErrno(f.f.Sync()) }

// Datasync does what Sync does.
func (f *file) Datasync() sys.Errno { return f.Sync() }

// Dev returns the device of the file.
func (f *file) Dev() (uint64, sys.Errno) {
	st, errno := f.Stat()
	return st.Dev, errno
}

// Ino returns the inode number of the file.
func (f *file) Ino() (wazerosys.Inode, sys.Errno) {
	st, errno := f.Stat()
	return st.Ino, errno
}

// IsDir reports whether the file is a directory.
func (f *file) IsDir() (bool, sys.Errno) { return f.f.IsDir(), 0 }

// Stat describes the file.
func (f *file) Stat() (wazerosys.Stat_t, sys.Errno) {
	info, err := f.f.Stat()
	if err != nil {
		return wazerosys.Stat_t{}, toErrno(err)
	}
	return toStat(info, f.f.Path()), 0
}

// Read reads from the current offset; 0 bytes without an error mean the end of the file.
func (f *file) Read(buf []byte) (int, sys.Errno) {
	n, err := f.f.Read(buf)
	return n, readErrno(err)
}

// Pread reads from an offset; 0 bytes without an error mean the end of the file.
func (f *file) Pread(buf []byte, off int64) (int, sys.Errno) {
	n, err := f.f.ReadAt(buf, off)
	return n, readErrno(err)
}

func readErrno(err error) sys.Errno {
	if err == io.EOF {
		return 0
	}
	return toErrno(err)
}

// position is an alias of int64. Without it, go vet would require the results of io.Seeker for a
// method Seek(int64, int), but sys.File has other results.
type position = int64

// Seek sets the offset. A directory can only be set back to its start.
func (f *file) Seek(offset position, whence int) (int64, sys.Errno) {
	n, err := f.f.Seek(offset, whence)
	return n, toErrno(err)
}

// Readdir returns the next n entries. It returns fewer entries only at the end.
func (f *file) Readdir(n int) ([]sys.Dirent, sys.Errno) {
	entries, err := f.f.ReadDir(n)
	if err != nil {
		return nil, toErrno(err)
	}
	return toDirents(entries), 0
}

// Close closes the file.
func (f *file) Close() sys.Errno {
	errno := closeErrno(f.f.Close())
	if errno == 0 && !f.closed { // after an error, the engine keeps the descriptor
		f.closed = true
		f.traces.open--
	}
	return errno
}

// closeErrno treats closing a closed file as success. When a call ends, its file system closes the
// files that the guest left open. The engine then closes them again. If that failed, the engine
// would keep their descriptors.
func closeErrno(err error) sys.Errno {
	if errors.Is(err, fs.ErrClosed) {
		return 0
	}
	return toErrno(err)
}
