package rewrite

// appendU32 appends v in unsigned LEB128.
func appendU32(b []byte, v uint32) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
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

// sizeBytes is the width of a length that is written before it is known: five
// bytes hold every 32-bit number.
const sizeBytes = 5

// openSize makes room for the length of what follows and returns where it is.
func openSize(b []byte) ([]byte, int) {
	return append(b, 0x80, 0x80, 0x80, 0x80, 0x00), len(b)
}

// closeSize fills in the length of everything after the place that openSize made.
func closeSize(b []byte, at int) {
	putSize(b, at, uint32(len(b)-at-sizeBytes))
}

// putSize fills in a number where openSize made room.
func putSize(b []byte, at int, n uint32) {
	for i := range sizeBytes - 1 {
		b[at+i] = byte(n) | 0x80
		n >>= 7
	}
	b[at+sizeBytes-1] = byte(n)
}
