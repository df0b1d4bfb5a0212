package abi

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/files"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/runtime/internal/guestfs"
)

const (
	// MaxBatchNames is how many files one call of a function names at most, and maxBatchText
	// how many bytes their names have with the NUL bytes after them.
	MaxBatchNames = 4096
	maxBatchText  = 1 << 20
	// AnswerSize is the size in bytes of what a guest gets for each file; see docs/abi.md.
	AnswerSize = 32
)

// files adds what looks at many files at once, and what gives one a new content as a whole.
// What may be seen and written is what WASI's functions would show and write.
func (x v1Exporter) files() {
	x.add("files_stat", 4, func(a args) (uint32, error) {
		return a.call.Batch(a.bytes(0), a.bytes(2), func(b files.Batch, _ []byte) []files.Answer { return b.Stat() })
	})
	x.add("files_list", 4, func(a args) (uint32, error) { return a.call.Batch(a.bytes(0), a.bytes(2), files.Batch.List) })
	x.add("files_read", 5, func(a args) (uint32, error) {
		names, room := a.bytes(0), a.bytes(3)
		most := min(a.u32(2), uint32(len(room)))
		return a.call.Batch(names, room, func(b files.Batch, room []byte) []files.Answer { return b.Read(int(most), room) })
	})
	x.add("files_replace", 6, func(a args) (uint32, error) { return a.call.ReplaceFile(a.bytes(0), a.optional(2), a.bytes(4)) })
}

// errNoFiles answers a module that asks for files before it serves a call.
var errNoFiles = notGranted("no file is there while the module is prepared for its calls")

// Batch asks for the files that names has, each followed by a NUL byte. The guest's room
// begins with the answers, and what they hold comes after that.
func (c *Call) Batch(names, room []byte, ask func(files.Batch, []byte) []files.Answer) (uint32, error) {
	switch {
	case c.IsWarmUp:
		return 0, errNoFiles
	case len(names) > maxBatchText: // which may be all of the guest's memory
		return 0, errBatchTooLarge
	case len(names) > 0 && names[len(names)-1] != 0:
		return 0, errBatchNames
	}
	count := bytes.Count(names, []byte{0})
	table := count * AnswerSize
	if count > MaxBatchNames || table > len(room) {
		return 0, errBatchTooLarge
	}
	list := strings.Split(string(names), "\x00")[:count]
	asked := c.Bindings.Files.Batch(c.caller, list)
	for i, a := range ask(asked, room[table:]) {
		putAnswer(room[i*AnswerSize:], a, table)
	}
	return uint32(len(list)), nil
}

// What no batch is made of.
var (
	errBatchNames    = &hostfuncs.Error{Code: hostfuncs.CodeInvalid, Kind: "names", Message: "each name of a file must be followed by a NUL byte"}
	errBatchTooLarge = &hostfuncs.Error{
		Code: hostfuncs.CodeTooMuch, Kind: "too_large",
		Message: "too many files at once: name at most 4096 in 1 MiB, and give 32 bytes of room for each and more for what it holds",
	}
)

// putAnswer writes an answer, whose content begins so many bytes after the table.
func putAnswer(to []byte, a files.Answer, table int) {
	le := binary.LittleEndian
	clear(to[:AnswerSize])
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

// errSeen answers what no answer for a file is.
var errSeen = &hostfuncs.Error{
	Code: hostfuncs.CodeInvalid, Kind: "seen",
	Message: "what was seen of the file must be one of the 32-byte answers that files_stat or files_read gave for a regular file, or for one that is not there",
}

// ReplaceFile gives a file a new content. It returns 0, or the number of WASI for what went wrong.
func (c *Call) ReplaceFile(name, seen, content []byte) (uint32, error) {
	if c.IsWarmUp {
		return 0, errNoFiles
	}
	expected, err := ParseSeen(seen)
	if err != nil {
		return 0, err
	}
	path := string(name[:min(len(name), maxPathBytes+1)]) // which the guest's memory is no longer
	return guestfs.Number(c.Bindings.Files.View("/").Replace(path, content, expected)), nil
}

// ParseSeen reads what putAnswer wrote: nil for nothing that there may be, and for an empty
// one nil, whatever is there.
func ParseSeen(b []byte) (*files.Seen, error) {
	le := binary.LittleEndian
	switch {
	case b == nil:
		return &files.Seen{None: true}, nil
	case len(b) == 0:
		return nil, nil
	case len(b) != AnswerSize:
		return nil, errSeen
	}
	switch le.Uint32(b) {
	case 0:
		if le.Uint32(b[4:]) != files.WASIType(0) {
			return nil, errSeen
		}
		return &files.Seen{Size: int64(le.Uint64(b[8:])), ModTime: time.Unix(0, int64(le.Uint64(b[16:])))}, nil
	case guestfs.Number(fs.ErrNotExist):
		return &files.Seen{None: true}, nil
	}
	return nil, errSeen
}
