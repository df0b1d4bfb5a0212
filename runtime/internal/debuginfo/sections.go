// Package debuginfo reads what compilers leave in a module for debuggers: the names of functions
// and the line tables of DWARF. The input is hostile: the time is linear in the size of the module,
// and anything malformed gives less information instead of an error.
package debuginfo

import (
	"encoding/binary"
	"math"
)

// reader reads b from the beginning. After a read past the end, bad is set and every read returns
// zero.
type reader struct {
	b   []byte
	bad bool
}

// take returns the next n bytes.
func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.b, r.bad = nil, true
		return nil
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

// number reads a little-endian number of 1, 2, 4 or 8 bytes.
func (r *reader) number(size uint64) uint64 {
	var word [8]byte
	copy(word[:], r.take(size))
	return binary.LittleEndian.Uint64(word[:])
}

// uleb reads an unsigned LEB128 number.
func (r *reader) uleb() uint64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		size = math.MaxInt
	}
	r.take(uint64(size))
	if r.bad {
		return 0
	}
	return n
}

// sleb reads a signed LEB128 number.
func (r *reader) sleb() int64 {
	var n int64
	for shift := 0; shift < 64; shift += 7 {
		c := int64(r.number(1))
		n |= (c & 0x7f) << shift
		if c < 0x80 {
			if shift < 57 && c&0x40 != 0 {
				n |= -1 << (shift + 7)
			}
			return n
		}
	}
	r.bad = true
	return 0
}

// Section returns the payload of the first custom section with the name, or nil.
func Section(wasm []byte, name string) []byte {
	const header = 8
	r := reader{b: wasm}
	r.take(header)
	for len(r.b) > 0 {
		id := r.number(1)
		body := reader{b: r.take(r.uleb())}
		if id == 0 && string(body.take(body.uleb())) == name && !r.bad && !body.bad {
			return body.b
		}
	}
	return nil
}

// Names returns the names of the wanted functions, by index, that the name section of a module has.
// A name is what the module says: it may be any string.
func Names(wasm []byte, wanted map[uint32]bool) map[uint32]string {
	const functions = 1
	names := make(map[uint32]string)
	r := reader{b: Section(wasm, "name")}
	for len(r.b) > 0 {
		id := r.number(1)
		body := reader{b: r.take(r.uleb())}
		if id != functions {
			continue
		}
		for n := body.uleb(); n > 0 && !body.bad; n-- {
			index := body.uleb()
			name := body.take(body.uleb())
			if index <= math.MaxUint32 && wanted[uint32(index)] {
				names[uint32(index)] = string(name)
			}
		}
	}
	return names
}
