package guestfs

import (
	"io"
	"io/fs"
	"path"

	"github.com/tetratelabs/wazero/experimental/sys"
	wazerosys "github.com/tetratelabs/wazero/sys"
)

// NewReadOnly returns the files of a Data, and the file of a service, as a pre-opened directory at
// the guest path prefix. Every call of the instance sees the same files. traces is the same as for
// New.
func NewReadOnly(data *Data, prefix string, traces *Traces, service Service) sys.FS {
	return &dataFS{data: data, prefix: prefix, traces: traces, service: service}
}

// dataFS implements every method of sys.FS itself, like guestFS.
type dataFS struct {
	data    *Data
	prefix  string
	traces  *Traces
	service Service
	// services is the number of open files of the service.
	services int
}

// find returns a file, or the error for a name that does not exist.
func (d *dataFS) find(name string) (*dataFile, sys.Errno) {
	d.traces.ownFiles = true
	f := d.data.find(name)
	if f == nil {
		return nil, sys.ENOENT
	}
	return f, 0
}

// OpenFile opens a file or directory for reading.
func (d *dataFS) OpenFile(name string, flag sys.Oflag, perm fs.FileMode) (sys.File, sys.Errno) {
	if isPreopen(name, flag, perm) {
		return &openData{fs: d, name: name, file: d.data.files["."], preopen: true}, 0
	}
	const changing = sys.O_DIRECTORY | sys.O_CREAT | sys.O_EXCL
	if flag&changing == 0 && path.Clean(name) == ServiceName {
		return d.openService()
	}
	const reading = sys.O_DIRECTORY | sys.O_NOFOLLOW | sys.O_NONBLOCK | sys.O_DSYNC | sys.O_RSYNC | sys.O_SYNC
	if flag&^reading != 0 {
		return nil, sys.EROFS
	}
	f, errno := d.find(name)
	if errno == 0 && flag&sys.O_DIRECTORY != 0 && !f.IsDir() {
		errno = sys.ENOTDIR
	}
	if errno != 0 {
		return nil, errno
	}
	if errno := d.count(); errno != 0 {
		return nil, errno
	}
	return &openData{fs: d, name: name, file: f}, 0
}

// count counts a file that is opened. Each open file takes memory of the host.
func (d *dataFS) count() sys.Errno {
	if d.traces.open >= MaxOpenData {
		return sys.EAGAIN
	}
	d.traces.open++
	return 0
}

// Stat describes a file.
func (d *dataFS) Stat(name string) (wazerosys.Stat_t, sys.Errno) {
	f, errno := d.find(name)
	if errno != 0 {
		return wazerosys.Stat_t{}, errno
	}
	return toStat(f, path.Join("/", d.prefix, name)), 0
}

// Lstat describes a file. There are no links.
func (d *dataFS) Lstat(name string) (wazerosys.Stat_t, sys.Errno) { return d.Stat(name) }

// Readlink fails, because there are no links.
func (d *dataFS) Readlink(name string) (string, sys.Errno) {
	if _, errno := d.find(name); errno != 0 {
		return "", errno
	}
	return "", sys.EINVAL
}

// Mkdir is refused, as is every other change.
func (*dataFS) Mkdir(string, fs.FileMode) sys.Errno { return sys.EROFS }

// Chmod is refused.
func (*dataFS) Chmod(string, fs.FileMode) sys.Errno { return sys.EROFS }

// Rename is refused.
func (*dataFS) Rename(string, string) sys.Errno { return sys.EROFS }

// Rmdir is refused.
func (*dataFS) Rmdir(string) sys.Errno { return sys.EROFS }

// Unlink is refused.
func (*dataFS) Unlink(string) sys.Errno { return sys.EROFS }

// Link is refused.
func (*dataFS) Link(string, string) sys.Errno { return sys.EROFS }

// Symlink is refused.
func (*dataFS) Symlink(string, string) sys.Errno { return sys.EROFS }

// Utimens is refused.
func (*dataFS) Utimens(string, int64, int64) sys.Errno { return sys.EROFS }

// openData is a file or directory that a guest has opened, or the pre-opened directory.
type openData struct {
	readOnly
	fs      *dataFS
	name    string
	file    *dataFile
	at      int64 // the offset in the content, or the number of entries that were read
	preopen bool
	closed  bool
}

// Dev returns 0, like the device of every file of a Data.
func (*openData) Dev() (uint64, sys.Errno) { return 0, 0 }

// Ino returns the inode number.
func (o *openData) Ino() (wazerosys.Inode, sys.Errno) {
	o.markListed()
	st, errno := o.Stat()
	return st.Ino, errno
}

// markListed records that the engine may keep a listing of the pre-opened directory.
func (o *openData) markListed() {
	if o.preopen {
		o.fs.traces.listed = true
	}
}

// IsDir reports whether this is a directory.
func (o *openData) IsDir() (bool, sys.Errno) { return o.file.IsDir(), 0 }

// Stat describes the file.
func (o *openData) Stat() (wazerosys.Stat_t, sys.Errno) {
	o.fs.traces.ownFiles = true
	return toStat(o.file, path.Join("/", o.fs.prefix, o.name)), 0
}

// Utimens is refused.
func (*openData) Utimens(int64, int64) sys.Errno { return sys.EROFS }

// Read reads from the current offset; 0 bytes without an error mean the end of the file.
func (o *openData) Read(buf []byte) (int, sys.Errno) {
	n, errno := o.Pread(buf, o.at)
	o.at += int64(n)
	return n, errno
}

// Pread reads from an offset.
func (o *openData) Pread(buf []byte, off int64) (int, sys.Errno) {
	o.fs.traces.ownFiles = true
	switch {
	case o.file.IsDir():
		return 0, sys.EISDIR
	case off < 0:
		return 0, sys.EINVAL
	case off >= o.file.Size():
		return 0, 0
	}
	return copy(buf, o.file.content[off:]), 0
}

// Seek sets the offset. A directory can only be set back to its start.
func (o *openData) Seek(offset position, whence int) (int64, sys.Errno) {
	o.markListed()
	switch whence {
	case io.SeekCurrent:
		offset += o.at
	case io.SeekEnd:
		offset += o.file.Size()
	case io.SeekStart:
	default:
		return 0, sys.EINVAL
	}
	if offset < 0 || o.file.IsDir() && offset != 0 {
		return 0, sys.EINVAL
	}
	o.at = offset
	return offset, 0
}

// Readdir returns the next n entries. It returns fewer entries only at the end.
func (o *openData) Readdir(n int) ([]sys.Dirent, sys.Errno) {
	o.markListed()
	o.fs.traces.ownFiles = true
	if !o.file.IsDir() {
		return nil, sys.ENOTDIR
	}
	left := o.file.entries[min(o.at, int64(len(o.file.entries))):]
	if n > 0 {
		left = left[:min(n, len(left))]
	}
	o.at += int64(len(left))
	return toDirents(left), 0
}

// Close closes the file.
func (o *openData) Close() sys.Errno {
	if !o.closed && !o.preopen {
		o.closed = true
		o.fs.traces.open--
	}
	return 0
}
