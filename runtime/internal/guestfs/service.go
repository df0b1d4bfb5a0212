package guestfs

import (
	"bytes"
	"io/fs"

	"github.com/tetratelabs/wazero/experimental/sys"
	wazerosys "github.com/tetratelabs/wazero/sys"
)

// Service answers the requests that a guest writes to its file ServiceName: one line for each
// request and one for each answer. The request is valid only during the call.
type Service func(request []byte) (answer []byte)

const (
	// ServiceName is the name of the file next to a guest's own files. It is not listed.
	ServiceName = ".host"
	// MaxServiceRequest limits a request in bytes.
	MaxServiceRequest = 16 << 20
	// MaxOpenServices limits the files ServiceName that a guest has open at once, since each may
	// hold a request and an answer.
	MaxOpenServices = 4
)

// serviceFile is an open ServiceName. It keeps one request and one answer.
type serviceFile struct {
	readOnly
	fs              *dataFS
	request, answer []byte
	closed          bool
}

// openService opens the file of the service.
func (d *dataFS) openService() (sys.File, sys.Errno) {
	d.traces.ownFiles = true
	if d.services >= MaxOpenServices {
		return nil, sys.EAGAIN
	}
	if errno := d.count(); errno != 0 {
		return nil, errno
	}
	d.services++
	return &serviceFile{fs: d}, 0
}

// Write adds to the request. A line feed at the end of buf completes the request, which is then
// served before Write returns.
func (s *serviceFile) Write(buf []byte) (int, sys.Errno) {
	if len(s.request)+len(buf) > MaxServiceRequest {
		s.request = nil
		return 0, sys.EINVAL
	}
	if !bytes.HasSuffix(buf, []byte{'\n'}) {
		s.request = append(s.request, buf...)
		return len(buf), 0
	}
	request := buf
	if len(s.request) > 0 {
		request = append(s.request, buf...)
	}
	s.request = nil
	s.answer = s.fs.service(request)
	return len(buf), 0
}

// Read reads the next bytes of the answer; 0 bytes mean that it was read to the end.
func (s *serviceFile) Read(buf []byte) (int, sys.Errno) {
	n := copy(buf, s.answer)
	s.answer = s.answer[n:]
	return n, 0
}

// Stat describes a device, so that programs do not expect a size.
func (s *serviceFile) Stat() (wazerosys.Stat_t, sys.Errno) {
	return toStat(&dataFile{name: ServiceName, mode: fs.ModeDevice | fs.ModeCharDevice | 0o666}, s.fs.prefix+"/"+ServiceName), 0
}

// Dev returns 0, like the device of every file of a Data.
func (*serviceFile) Dev() (uint64, sys.Errno) { return 0, 0 }

// Ino returns the inode number.
func (s *serviceFile) Ino() (wazerosys.Inode, sys.Errno) {
	st, errno := s.Stat()
	return st.Ino, errno
}

// IsDir is always false.
func (*serviceFile) IsDir() (bool, sys.Errno) { return false, 0 }

// Utimens is refused.
func (*serviceFile) Utimens(int64, int64) sys.Errno { return sys.EROFS }

// Pread is refused, because the file has no offsets.
func (*serviceFile) Pread([]byte, int64) (int, sys.Errno) { return 0, sys.EINVAL }

// Seek is refused.
func (*serviceFile) Seek(position, int) (int64, sys.Errno) { return 0, sys.EINVAL }

// Readdir is refused.
func (*serviceFile) Readdir(int) ([]sys.Dirent, sys.Errno) { return nil, sys.ENOTDIR }

// Close closes the file.
func (s *serviceFile) Close() sys.Errno {
	if !s.closed {
		s.closed = true
		s.fs.services--
		s.fs.traces.open--
	}
	return 0
}
