package runtime

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/tetratelabs/wazero/api"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/runtime/internal/guestfs"
)

const (
	// maxBatchNames is how many files one call of a function names at most, and maxBatchText
	// how many bytes their names have with the NUL bytes after them.
	maxBatchNames = 4096
	maxBatchText  = 1 << 20
	// answerSize is the size in bytes of what a guest gets for each file; see docs/abi.md.
	answerSize = 32
)

// files adds what looks at many files at once. What may be seen is what WASI's functions
// would show.
func (x exporter) files() {
	x.add("files_stat", func(s *callState, mem api.Memory, stack []uint64) {
		names, room := guestRange(s, mem, stack), guestRange(s, mem, stack[2:])
		stack[0] = s.batch(names, room, func(b files.Batch, _ []byte) []files.Answer { return b.Stat() })
	}, i32, i32, i32, i32)
	x.add("files_list", func(s *callState, mem api.Memory, stack []uint64) {
		names, room := guestRange(s, mem, stack), guestRange(s, mem, stack[2:])
		stack[0] = s.batch(names, room, files.Batch.List)
	}, i32, i32, i32, i32)
	x.add("files_read", func(s *callState, mem api.Memory, stack []uint64) {
		names, room := guestRange(s, mem, stack), guestRange(s, mem, stack[3:])
		most := min(api.DecodeU32(stack[2]), uint32(len(room)))
		stack[0] = s.batch(names, room, func(b files.Batch, room []byte) []files.Answer {
			return b.Read(int(most), room)
		})
	}, i32, i32, i32, i32, i32)
}

// batch asks for the files that names has, each followed by a NUL byte. The guest's room
// begins with the answers, and what they hold comes after that.
func (s *callState) batch(names, room []byte, ask func(files.Batch, []byte) []files.Answer) uint64 {
	return s.attempt(func() (uint32, error) {
		if s.isWarmUp {
			return 0, notGranted("no file is there while the module is prepared for its calls")
		}
		switch {
		case len(names) > maxBatchText: // which may be all of the guest's memory
			return 0, errBatchTooLarge
		case len(names) > 0 && names[len(names)-1] != 0:
			return 0, errBatchNames
		}
		count := bytes.Count(names, []byte{0})
		table := count * answerSize
		if count > maxBatchNames || table > len(room) {
			return 0, errBatchTooLarge
		}
		list := strings.Split(string(names), "\x00")[:count]
		asked := s.call.Bindings.Files.Batch(s.caller, list)
		for i, a := range ask(asked, room[table:]) {
			putAnswer(room[i*answerSize:], a, table)
		}
		return uint32(len(list)), nil
	})
}

// What no batch is made of.
var (
	errBatchNames    = &hostfuncs.Fault{Code: hostfuncs.FaultInvalid, Kind: "names", Message: "each name of a file must be followed by a NUL byte"}
	errBatchTooLarge = &hostfuncs.Fault{
		Code: hostfuncs.FaultTooMuch, Kind: "too_large",
		Message: "too many files at once: name at most 4096 in 1 MiB, and give 32 bytes of room for each and more for what it holds",
	}
)

// putAnswer writes an answer, whose content begins so many bytes after the table.
func putAnswer(to []byte, a files.Answer, table int) {
	le := binary.LittleEndian
	clear(to[:answerSize])
	le.PutUint32(to[0:], guestfs.Number(a.Err))
	if a.Err != nil && a.Err != files.ErrOverSize {
		return
	}
	le.PutUint32(to[4:], files.WASIType(a.Type))
	le.PutUint64(to[8:], uint64(a.Size))
	if !a.ModTime.IsZero() {
		le.PutUint64(to[16:], uint64(a.ModTime.UnixNano()))
	}
	le.PutUint32(to[24:], uint32(table+a.Offset))
	le.PutUint32(to[28:], uint32(len(a.Content)))
}
