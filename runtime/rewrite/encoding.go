package rewrite

import (
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// reader reads b[pos:end]. It keeps the first error: after an error, every read returns zero and
// does not advance, so callers check err once per item.
type reader struct {
	b        []byte
	pos, end int
	// what names the part that is being read, for messages: "the code section".
	what string
	// short is the Kind of the error that is reported if bytes are missing.
	short Kind
	// seen is the set of WASM features that the bytes read so far require.
	seen features
	err  *Error
}

// fail records the first error.
func (r *reader) fail(offset int, kind Kind, format string, args ...any) {
	if r.err == nil {
		r.err = refuse(offset, kind, format, args...)
	}
	r.pos = r.end
}

func (r *reader) runOut() {
	r.fail(r.end, r.short, "%s ends too early", r.what)
}

func (r *reader) left() int { return r.end - r.pos }

func (r *reader) byte() byte {
	if r.pos >= r.end {
		r.runOut()
		return 0
	}
	c := r.b[r.pos]
	r.pos++
	return c
}

// skip advances by n bytes.
func (r *reader) skip(n int) {
	if n < 0 || n > r.left() {
		r.runOut()
		return
	}
	r.pos += n
}

// u32 reads an unsigned LEB128 number of at most 32 bits.
func (r *reader) u32() uint32 {
	if r.pos < r.end && r.b[r.pos] < 0x80 {
		c := r.b[r.pos]
		r.pos++
		return uint32(c)
	}
	longest := r.b[r.pos:min(r.end, r.pos+binary.MaxVarintLen32)]
	v, n := binary.Uvarint(longest)
	switch {
	case n > 0 && v <= math.MaxUint32:
		r.pos += n
		return uint32(v)
	case n == 0 && len(longest) < binary.MaxVarintLen32:
		r.runOut()
	default:
		r.fail(r.pos, Malformed, "a number does not fit in 32 bits")
	}
	return 0
}

// signed reads a signed LEB128 number of at most size bits (32, 33 or 64).
func (r *reader) signed(size int) int64 {
	if r.pos < r.end && r.b[r.pos] < 0x80 {
		c := r.b[r.pos]
		r.pos++
		return int64(int8(c<<1)) >> 1
	}
	start := r.pos
	var v int64
	for shift := 0; shift < size; shift += 7 {
		c := r.byte()
		if bits := size - shift; bits < 7 {
			// The bits after the bits of the number must all equal its sign bit.
			if ext := int8(c<<1) >> bits; c >= 0x80 || (ext != 0 && ext != -1) {
				break
			}
		}
		v |= int64(c&0x7f) << shift
		if c < 0x80 {
			if r.err != nil {
				return 0
			}
			if shift+7 < 64 && c&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
	r.fail(start, Malformed, "a signed number does not fit in %d bits", size)
	return 0
}

// count reads the length of a vector whose items take at least minBytes each. It refuses a length
// above limit, and a length for which too few bytes follow.
func (r *reader) count(items string, limit, minBytes int) int {
	start := r.pos
	n := r.u32()
	if int64(n)*int64(minBytes) > int64(r.left()) {
		r.fail(start, r.short, "%s announces %d %s, but only %d bytes follow", r.what, n, items, r.left())
		return 0
	}
	if int64(n) > int64(limit) {
		r.fail(start, TooLarge, "%d %s; at most %d are allowed", n, items, limit)
		return 0
	}
	return int(n)
}

// index reads an index that must be below n.
func (r *reader) index(space string, n int) uint32 {
	start := r.pos
	i := r.u32()
	if r.err == nil && int64(i) >= int64(n) {
		r.fail(start, Malformed, "there is no %s %d", space, i)
		return 0
	}
	return i
}

// name reads a UTF-8 string.
func (r *reader) name(what string) string {
	n := r.u32()
	start := r.pos
	if n > maxNameBytes {
		r.fail(start, TooLarge, "a %s of %d bytes; at most %d are allowed", what, n, maxNameBytes)
	}
	r.skip(int(n))
	if r.err != nil {
		return ""
	}
	s := string(r.b[start:r.pos])
	if !utf8.ValidString(s) {
		r.fail(start, Malformed, "a %s is not valid UTF-8", what)
		return ""
	}
	return s
}

// appendU32 appends v in unsigned LEB128.
func appendU32(b []byte, v uint32) []byte {
	return binary.AppendUvarint(b, uint64(v))
}

// appendS64 appends v in signed LEB128.
func appendS64(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if (v == 0 && c&0x40 == 0) || (v == -1 && c&0x40 != 0) {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func appendName(b []byte, s string) []byte {
	return append(appendU32(b, uint32(len(s))), s...)
}

// sizeBytes is the width of a length that is filled in later: five bytes can encode every 32-bit
// number.
const sizeBytes = 5

// openSize reserves space for the length of what follows, and returns its position.
func openSize(b []byte) ([]byte, int) {
	return append(b, 0x80, 0x80, 0x80, 0x80, 0x00), len(b)
}

// closeSize fills in the length of everything after the space that openSize reserved.
func closeSize(b []byte, at int) {
	putSize(b, at, uint32(len(b)-at-sizeBytes))
}

// putSize writes a number into the space that openSize reserved.
func putSize(b []byte, at int, n uint32) {
	for i := range sizeBytes - 1 {
		b[at+i] = byte(n) | 0x80
		n >>= 7
	}
	b[at+sizeBytes-1] = byte(n)
}
