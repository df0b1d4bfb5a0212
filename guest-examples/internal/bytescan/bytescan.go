// Package bytescan searches blocks of bytes in large steps. In a sandbox, each iteration of a loop
// also checks whether the host wants to stop the guest. A loop over single bytes, as in the
// standard library for WebAssembly, is therefore several times slower.
package bytescan

import (
	"encoding/binary"
	"math/bits"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	high3 = ones * 0xe0 // the bits set only in bytes that are not control characters
	del   = ones * 0x7f
)

// Index returns the first index of a or b in block, or -1. To search for one byte, pass it twice.
func Index(block []byte, a, b byte) int {
	// Each pattern repeats its byte eight times, so that XOR turns an equal byte into zero.
	p, q := ones*uint64(a), ones*uint64(b)
	at := 0
	for ; at+32 <= len(block); at += 32 {
		step := block[at : at+32]
		w := binary.LittleEndian.Uint64(step[0:])
		x := binary.LittleEndian.Uint64(step[8:])
		y := binary.LittleEndian.Uint64(step[16:])
		z := binary.LittleEndian.Uint64(step[24:])
		w = zeros(w^p) | zeros(w^q)
		x = zeros(x^p) | zeros(x^q)
		y = zeros(y^p) | zeros(y^q)
		z = zeros(z^p) | zeros(z^q)
		if w|x|y|z == 0 {
			continue
		}
		switch {
		case w != 0:
			return at + first(w)
		case x != 0:
			return at + 8 + first(x)
		case y != 0:
			return at + 16 + first(y)
		default:
			return at + 24 + first(z)
		}
	}
	for ; at < len(block); at++ {
		if block[at] == a || block[at] == b {
			return at
		}
	}
	return -1
}

// IndexPair returns the first index i at which block[i] is a and block[i+distance] is b, or -1.
// Such a pair is far rarer in texts than either byte alone.
func IndexPair(block []byte, a, b byte, distance int) int {
	p, q := ones*uint64(a), ones*uint64(b)
	end := len(block) - distance // the byte a must be before this index
	at := 0
	for ; at+16 <= end; at += 16 {
		left, right := block[at:at+16], block[at+distance:at+distance+16]
		w := zeros(binary.LittleEndian.Uint64(left)^p) & zeros(binary.LittleEndian.Uint64(right)^q)
		x := zeros(binary.LittleEndian.Uint64(left[8:])^p) & zeros(binary.LittleEndian.Uint64(right[8:])^q)
		if w|x == 0 {
			continue
		}
		// The borrow of a subtraction may also have marked a byte that does not match, so check
		// each mark.
		for i := range left {
			if left[i] == a && right[i] == b {
				return at + i
			}
		}
	}
	for ; at < end; at++ {
		if block[at] == a && block[at+distance] == b {
			return at
		}
	}
	return -1
}

// Count returns how often b occurs in block.
func Count(block []byte, b byte) int {
	p := ones * uint64(b)
	count := 0
	for ; len(block) >= 32; block = block[32:] {
		count += countZeros(binary.LittleEndian.Uint64(block[0:])^p) +
			countZeros(binary.LittleEndian.Uint64(block[8:])^p) +
			countZeros(binary.LittleEndian.Uint64(block[16:])^p) +
			countZeros(binary.LittleEndian.Uint64(block[24:])^p)
	}
	for _, have := range block {
		if have == b {
			count++
		}
	}
	return count
}

// CountControl returns the number of ASCII control characters in block, including 0x7f and line
// breaks.
func CountControl(block []byte) int {
	count := 0
	for ; len(block) >= 16; block = block[16:] {
		w, x := binary.LittleEndian.Uint64(block[0:]), binary.LittleEndian.Uint64(block[8:])
		count += countZeros(w&high3) + countZeros(w^del) + countZeros(x&high3) + countZeros(x^del)
	}
	for _, b := range block {
		if b < ' ' || b == 0x7f {
			count++
		}
	}
	return count
}

// ASCII reports whether block has only bytes below 0x80.
func ASCII(block []byte) bool {
	for ; len(block) >= 16; block = block[16:] {
		w, x := binary.LittleEndian.Uint64(block[0:]), binary.LittleEndian.Uint64(block[8:])
		if (w|x)&highs != 0 {
			return false
		}
	}
	var all byte
	for _, b := range block {
		all |= b
	}
	return all < 0x80
}

// Plain reports whether block has no ASCII control characters except tabs and line feeds.
func Plain(block []byte) bool {
	for ; len(block) >= 32; block = block[32:] {
		w, x := binary.LittleEndian.Uint64(block[0:]), binary.LittleEndian.Uint64(block[8:])
		y, z := binary.LittleEndian.Uint64(block[16:]), binary.LittleEndian.Uint64(block[24:])
		if notPrintable(w) && !plainWord(w) || notPrintable(x) && !plainWord(x) ||
			notPrintable(y) && !plainWord(y) || notPrintable(z) && !plainWord(z) {
			return false
		}
	}
	for _, b := range block {
		if b < ' ' && b != '\t' && b != '\n' || b == 0x7f {
			return false
		}
	}
	return true
}

// notPrintable reports whether a byte of w is outside printable ASCII. The subtraction underflows
// for a byte less than a space; the addition sets the high bit for a byte greater than a tilde. A
// borrow or carry can only cause a false positive.
func notPrintable(w uint64) bool { return ((w-ones*' ')|(w+ones))&highs != 0 }

// plainWord is Plain for the bytes of a word.
func plainWord(w uint64) bool {
	odd := allZeros(w&high3) &^ (allZeros(w^ones*'\t') | allZeros(w^ones*'\n'))
	return odd|allZeros(w^del) == 0
}

// countZeros returns the number of zero bytes in w.
func countZeros(w uint64) int { return bits.OnesCount64(allZeros(w)) }

// allZeros returns a word that marks each zero byte of w. It never marks another byte. The function
// zeros can do so, because of a borrow.
func allZeros(w uint64) uint64 {
	const rest = ^uint64(highs)
	return ^((w&rest + rest) | w | rest)
}

// zeros returns a word whose lowest set bit marks the first zero byte of w, or 0 if there is
// none.
func zeros(w uint64) uint64 { return (w - ones) &^ w & highs }

// first returns the index of the byte that contains the lowest set bit of marks.
func first(marks uint64) int { return bits.TrailingZeros64(marks) / 8 }

// Sum returns the sum of the weights of the bytes of block.
func Sum(block []byte, weights *[256]uint8) int {
	sum := 0
	for ; len(block) >= 8; block = block[8:] {
		sum += int(weights[block[0]]) + int(weights[block[1]]) + int(weights[block[2]]) + int(weights[block[3]]) +
			int(weights[block[4]]) + int(weights[block[5]]) + int(weights[block[6]]) + int(weights[block[7]])
	}
	for _, b := range block {
		sum += int(weights[b])
	}
	return sum
}
