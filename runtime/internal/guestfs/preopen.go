package guestfs

import (
	"io/fs"
	"sync"

	"github.com/tetratelabs/wazero/experimental/sys"
	wazerosys "github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// isPreopen reports whether the engine itself opens a pre-opened directory, which it does once for
// each instance. A guest that opens "." cannot request a mode of 0, so the mode identifies the
// engine.
func isPreopen(name string, flag sys.Oflag, perm fs.FileMode) bool {
	return name == "." && flag == sys.O_RDONLY && perm == 0
}

// readOnly implements the methods of sys.File that would change a file, for files that the engine
// opens itself.
type readOnly struct{}

// IsAppend is always false.
func (readOnly) IsAppend() bool { return false }

// SetAppend refuses to switch appending on. Switching it off has no effect.
func (readOnly) SetAppend(enable bool) sys.Errno {
	if enable {
		return sys.EROFS
	}
	return 0
}

// Write is refused.
func (readOnly) Write([]byte) (int, sys.Errno) { return 0, sys.EROFS }

// Pwrite is refused.
func (readOnly) Pwrite([]byte, int64) (int, sys.Errno) { return 0, sys.EROFS }

// Truncate is refused.
func (readOnly) Truncate(int64) sys.Errno { return sys.EROFS }

// Sync has nothing to write.
func (readOnly) Sync() sys.Errno { return 0 }

// Datasync has nothing to write.
func (readOnly) Datasync() sys.Errno { return 0 }

// preopenDir is the directory behind a pre-opened descriptor. The engine panics if opening such a
// directory fails, and keeps it open from one call to the next. So preopenDir opens nothing until
// the guest lists the directory, and then opens it in the file system of the current call.
type preopenDir struct {
	readOnly
	fs *guestFS

	mu     sync.Mutex
	opened *files.FS // the file system in which dir is open
	dir    *files.File
	closed bool
}

// Dev returns the device of the directory.
func (d *preopenDir) Dev() (uint64, sys.Errno) {
	st, errno := d.Stat()
	return st.Dev, errno
}

// Ino returns the inode number of the directory. The engine reads the number to list the directory,
// and keeps it.
func (d *preopenDir) Ino() (wazerosys.Inode, sys.Errno) {
	d.fs.traces.listed = true
	st, errno := d.Stat()
	return st.Ino, errno
}

// IsDir is always true.
func (*preopenDir) IsDir() (bool, sys.Errno) { return true, 0 }

// Stat describes the directory.
func (d *preopenDir) Stat() (wazerosys.Stat_t, sys.Errno) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return wazerosys.Stat_t{}, sys.EBADF
	}
	return d.fs.Stat(".")
}

// Utimens sets the times by path.
func (d *preopenDir) Utimens(atim, mtim int64) sys.Errno { return d.fs.Utimens(".", atim, mtim) }

// Read is refused.
func (*preopenDir) Read([]byte) (int, sys.Errno) { return 0, sys.EISDIR }

// Pread is refused.
func (*preopenDir) Pread([]byte, int64) (int, sys.Errno) { return 0, sys.EISDIR }

// Seek can only go back to the first entry.
func (d *preopenDir) Seek(offset position, whence int) (int64, sys.Errno) {
	d.fs.traces.listed = true
	d.mu.Lock()
	defer d.mu.Unlock()
	dir, errno := d.current()
	if errno != 0 {
		return 0, errno
	}
	n, err := dir.Seek(offset, whence)
	return n, toErrno(err)
}

// Readdir returns the next n entries. It returns fewer entries only at the end.
func (d *preopenDir) Readdir(n int) ([]sys.Dirent, sys.Errno) {
	d.fs.traces.listed = true
	d.mu.Lock()
	defer d.mu.Unlock()
	dir, errno := d.current()
	if errno != 0 {
		return nil, errno
	}
	entries, err := dir.ReadDir(n)
	if err != nil {
		return nil, toErrno(err)
	}
	return toDirents(entries), 0
}

// current returns the directory, opened in the file system of the current call.
func (d *preopenDir) current() (*files.File, sys.Errno) {
	d.fs.traces.touched = true
	fsys := d.fs.current()
	if d.closed || fsys == nil {
		return nil, sys.EBADF
	}
	if d.opened == fsys {
		return d.dir, 0
	}
	dir, err := fsys.View(d.fs.prefix).Open(".", files.OpenDirectory)
	if err != nil {
		return nil, toErrno(err)
	}
	// The directory of an earlier call was closed with its file system.
	d.opened, d.dir = fsys, dir
	return dir, 0
}

// Close closes the directory. Closing it again does nothing.
func (d *preopenDir) Close() sys.Errno {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.opened == nil {
		return 0
	}
	dir := d.dir
	d.opened, d.dir = nil, nil
	return closeErrno(dir.Close())
}
