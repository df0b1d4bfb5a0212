package runtime

import (
	"encoding/binary"
	"io/fs"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/runtime/internal/guestfs"
)

// replace adds what gives a file a new content as a whole. What may be written is what WASI's
// functions would write.
func (x exporter) replace() {
	x.add("files_replace", func(s *callState, mem api.Memory, stack []uint64) {
		name, seen, content := guestRange(s, mem, stack), optionalRange(s, mem, stack[2:]), guestRange(s, mem, stack[4:])
		stack[0] = s.attempt(func() (uint32, error) { return s.replaceFile(name, seen, content) })
	}, i32, i32, i32, i32, i32, i32)
}

// errSeen answers what no answer for a file is.
var errSeen = &hostfuncs.Fault{
	Code: hostfuncs.FaultInvalid, Kind: "seen",
	Message: "what was seen of the file must be one of the 32-byte answers that files_stat or files_read gave for a regular file, or for one that is not there",
}

// replaceFile returns 0, or the number of WASI for what went wrong.
func (s *callState) replaceFile(name, seen, content []byte) (uint32, error) {
	if s.isWarmUp {
		return 0, notGranted("no file is there while the module is prepared for its calls")
	}
	expected, err := parseSeen(seen)
	if err != nil {
		return 0, err
	}
	path := string(name[:min(len(name), maxPathBytes+1)]) // which the guest's memory is no longer
	return guestfs.Number(s.call.Bindings.Files.View("/").Replace(path, content, expected)), nil
}

// parseSeen reads what putAnswer wrote: nil for nothing that there may be, and for an empty
// one nil, whatever is there.
func parseSeen(b []byte) (*files.Seen, error) {
	le := binary.LittleEndian
	switch {
	case b == nil:
		return &files.Seen{None: true}, nil
	case len(b) == 0:
		return nil, nil
	case len(b) != answerSize:
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
