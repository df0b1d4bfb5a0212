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
	// MaxBatchNames limits the files in one function call. maxBatchText limits their names in
	// bytes, including the NUL byte after each.
	MaxBatchNames = 4096
	maxBatchText  = 1 << 20
	// AnswerSize is the size in bytes of the answer for each file; see docs/abi.md.
	AnswerSize = 32
)

// files adds the functions that access many files at once, and the function that replaces a whole
// file. They show and write only what WASI's functions would show and write.
func (x v1Exporter) files() {
	x.add("files_stat", 4, func(a args) (uint32, error) {
		return a.call.Batch(a.bytes(0), a.bytes(2), func(b files.Batch, _ []byte) []files.Answer { return b.Stat() })
	})
	x.add("files_list", 4, func(a args) (uint32, error) { return a.call.Batch(a.bytes(0), a.bytes(2), files.Batch.List) })
	x.add("files_read", 5, func(a args) (uint32, error) {
		names, room := a.bytes(0), a.bytes(3)
		limit := min(a.u32(2), uint32(len(room)))
		return a.call.Batch(names, room, func(b files.Batch, room []byte) []files.Answer { return b.Read(int(limit), room) })
	})
	x.add("files_replace", 6, func(a args) (uint32, error) { return a.call.ReplaceFile(a.bytes(0), a.optional(2), a.bytes(4)) })
}

// errNoFiles is the error for a module that accesses files before it serves a call.
var errNoFiles = notGranted("no files can be accessed while the module is prepared for its calls")

// Batch runs a function on the files in names, each of which ends with a NUL byte. The parameter
// room is the guest's buffer: the answers come first, and the content after them.
func (c *Call) Batch(names, room []byte, ask func(files.Batch, []byte) []files.Answer) (uint32, error) {
	switch {
	case c.IsWarmUp:
		return 0, errNoFiles
	case len(names) > maxBatchText: // names could fill the memory without this limit
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

// Errors for invalid batches.
var (
	errBatchNames    = &hostfuncs.Error{Code: hostfuncs.CodeInvalid, Kind: "names", Message: "each file name must be followed by a NUL byte"}
	errBatchTooLarge = &hostfuncs.Error{
		Code: hostfuncs.CodeTooMuch, Kind: "too_large",
		Message: "too many files at once: pass at most 4096 names in 1 MiB, and a buffer with 32 bytes for each file plus room for its content",
	}
)

// putAnswer writes an answer. table is the size of the answer table in bytes; file content starts
// right after the table.
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

// errSeen is the error for bytes that are not an answer for a file.
var errSeen = &hostfuncs.Error{
	Code: hostfuncs.CodeInvalid, Kind: "seen",
	Message: "the expected state must be a 32-byte answer of files_stat or files_read for a regular file or a missing file",
}

// ReplaceFile replaces the content of a file. It returns 0, or the error number of WASI.
func (c *Call) ReplaceFile(name, seen, content []byte) (uint32, error) {
	if c.IsWarmUp {
		return 0, errNoFiles
	}
	expected, err := ParseSeen(seen)
	if err != nil {
		return 0, err
	}
	path := string(name[:min(len(name), maxPathBytes+1)]) // a longer path is refused
	return guestfs.Number(c.Bindings.Files.View("/").Replace(path, content, expected)), nil
}

// ParseSeen parses an answer that putAnswer wrote. If b is nil, the file must not exist. If b is
// empty but not nil, ParseSeen returns nil, which allows any state of the file.
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
