package files

import (
	"encoding/binary"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"github.com/wasmtool/wasmtool/guest/internal/host"
)

//go:wasmimport wasmtool_v1 files_stat
//go:noescape
func importedStat(names *byte, namesSize uint32, ptr *byte, size uint32) int32

//go:wasmimport wasmtool_v1 files_list
//go:noescape
func importedList(names *byte, namesSize uint32, ptr *byte, size uint32) int32

//go:wasmimport wasmtool_v1 files_read
//go:noescape
func importedRead(names *byte, namesSize, limit uint32, ptr *byte, size uint32) int32

func (d Dir) stat(names []string, buf []byte) ([]Answer, error) {
	return d.ask(names, buf, importedStat)
}

func (d Dir) list(names []string, buf []byte) ([]Answer, error) {
	return d.ask(names, buf, importedList)
}

func (d Dir) read(names []string, limit int, buf []byte) ([]Answer, error) {
	return d.ask(names, buf, func(names *byte, namesSize uint32, ptr *byte, size uint32) int32 {
		return importedRead(names, namesSize, uint32(min(uint(limit), 0xffff_ffff)), ptr, size)
	})
}

func (d Dir) ask(names []string, buf []byte, call func(names *byte, namesSize uint32, ptr *byte, size uint32) int32) ([]Answer, error) {
	size := 0
	for _, name := range names {
		size += len(d) + len(name) + 2
	}
	request := make([]byte, 0, size)
	for _, name := range names {
		if strings.IndexByte(name, 0) >= 0 {
			// A request can't contain NUL. The host refuses the name \xff with the same error.
			name = "\xff"
		}
		request = append(append(append(append(request, d...), '/'), name...), 0)
	}
	n, err := host.Check(call(unsafe.SliceData(request), uint32(len(request)), unsafe.SliceData(buf), uint32(len(buf))))
	if err != nil {
		return nil, err
	}
	answers := make([]Answer, n)
	for i := range answers {
		answers[i].decode(buf[i*AnswerSize:], buf)
	}
	return answers, nil
}

// decode reads the record that the host wrote for one file.
func (a *Answer) decode(from, buf []byte) {
	le := binary.LittleEndian
	if errno := le.Uint32(from); errno != 0 {
		a.Err = syscall.Errno(errno)
	}
	a.Type = typeOf(le.Uint32(from[4:]))
	a.Size = int64(le.Uint64(from[8:]))
	a.ModTime = time.Unix(0, int64(le.Uint64(from[16:])))
	offset, size := le.Uint32(from[24:]), le.Uint32(from[28:])
	a.Content = buf[offset : offset+size]
}
