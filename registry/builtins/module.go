package builtins

import (
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"
)

// maxModule is the max size of a decompressed module, in bytes.
const maxModule = 64 << 20

// module is a compressed module. As a FileInfo, it describes the decompressed file.
type module struct {
	fileInfo
	content func() ([]byte, error) // decompresses once; callers must not change the slice
}

// newModule returns the module that the gzip file at path contains, under the given name. It reads
// the decompressed size from the end of that file, without decompressing it.
func newModule(name string, packed fs.FS, path string) (*module, error) {
	f, err := packed.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var end [4]byte // the decompressed size
	at, ok := f.(io.ReaderAt)
	if !ok {
		return nil, fmt.Errorf("%s does not support reading at an offset", path)
	}
	if _, err := at.ReadAt(end[:], info.Size()-int64(len(end))); err != nil {
		return nil, err
	}
	size := int64(binary.LittleEndian.Uint32(end[:]))
	if size > maxModule {
		return nil, fmt.Errorf("%s has %d bytes when decompressed; the limit is %d", path, size, maxModule)
	}
	return &module{
		fileInfo: fileInfo{name, size, 0o444},
		content:  sync.OnceValues(func() ([]byte, error) { return unpack(packed, path, size) }),
	}, nil
}

// unpack decompresses a file. It fails if the result does not have the given size.
func unpack(packed fs.FS, path string, size int64) ([]byte, error) {
	f, err := packed.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	content := make([]byte, size)
	if _, err := io.ReadFull(r, content); err != nil {
		return nil, err
	}
	// gzip checks the checksum only when the end is read.
	switch n, err := r.Read(make([]byte, 1)); {
	case n > 0:
		return nil, fmt.Errorf("%s has more than the %d bytes that it declares", path, size)
	case err != io.EOF:
		return nil, err
	}
	return content, nil
}

// fileInfo describes a module or a directory.
type fileInfo struct {
	name string
	size int64
	mode fs.FileMode
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) Mode() fs.FileMode  { return i.mode }
func (i fileInfo) ModTime() time.Time { return time.Time{} }
func (i fileInfo) IsDir() bool        { return i.mode.IsDir() }
func (i fileInfo) Sys() any           { return nil }

// moduleFile is an open module.
type moduleFile struct {
	module *module
	offset int
	closed bool
}

func (f *moduleFile) Stat() (fs.FileInfo, error) { return f.module, nil }

// Read copies the next bytes of the module into p. The first Read decompresses the module.
func (f *moduleFile) Read(p []byte) (int, error) {
	if f.closed {
		return 0, &fs.PathError{Op: "read", Path: f.module.name, Err: fs.ErrClosed}
	}
	content, err := f.module.content()
	if err != nil {
		return 0, &fs.PathError{Op: "read", Path: f.module.name, Err: err}
	}
	if f.offset == len(content) {
		return 0, io.EOF
	}
	n := copy(p, content[f.offset:])
	f.offset += n
	return n, nil
}

// Close closes the file. The module stays decompressed.
func (f *moduleFile) Close() error {
	if f.closed {
		return &fs.PathError{Op: "close", Path: f.module.name, Err: fs.ErrClosed}
	}
	f.closed = true
	return nil
}
