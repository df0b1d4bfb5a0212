package files

import (
	"encoding/binary"
	"syscall"
	"unsafe"

	"github.com/wasmtool/wasmtool/guest/internal/host"
)

//go:wasmimport wasmtool_v1 files_replace
//go:noescape
func importedReplace(name *byte, nameSize uint32, seen *byte, seenSize uint32, content *byte, contentSize uint32) int32

// replace returns a *host.Error or a plain syscall.Errno.
func (d Dir) replace(name string, content []byte, seen *Answer) error {
	path := string(d) + "/" + name
	var record [AnswerSize]byte
	known := record[:0]
	if seen != nil {
		known = record[:]
		seen.encode(known)
	}
	errno, err := host.Check(importedReplace(
		unsafe.StringData(path), uint32(len(path)), &record[0], uint32(len(known)),
		unsafe.SliceData(content), uint32(len(content))))
	if err != nil {
		return err
	}
	if errno != 0 {
		return syscall.Errno(errno)
	}
	return nil
}

// encode writes the fields that the host compares, in the layout that decode reads.
func (a *Answer) encode(to []byte) {
	le := binary.LittleEndian
	if a.Err != nil {
		errno, _ := a.Err.(syscall.Errno)
		le.PutUint32(to, uint32(errno))
		return
	}
	le.PutUint32(to[4:], wasiRegular)
	le.PutUint64(to[8:], uint64(a.Size))
	le.PutUint64(to[16:], uint64(a.ModTime.UnixNano()))
}
