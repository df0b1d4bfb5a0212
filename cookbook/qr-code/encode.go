package main

import "fmt"

// version has the sizes of one version of QR codes (ISO/IEC 18004) with error correction level M.
type version struct {
	correction int   // bytes of error correction in each block
	blocks     []int // bytes of data in each block
	marks      []int // coordinates of the alignment patterns
}

// versions are the versions 1 to 12. Version n has 17 + 4n modules in each direction.
var versions = []version{
	{10, []int{16}, nil},
	{16, []int{28}, []int{6, 18}},
	{26, []int{44}, []int{6, 22}},
	{18, []int{32, 32}, []int{6, 26}},
	{24, []int{43, 43}, []int{6, 30}},
	{16, []int{27, 27, 27, 27}, []int{6, 34}},
	{18, []int{31, 31, 31, 31}, []int{6, 22, 38}},
	{22, []int{38, 38, 39, 39}, []int{6, 24, 42}},
	{22, []int{36, 36, 36, 37, 37}, []int{6, 26, 46}},
	{26, []int{43, 43, 43, 43, 44}, []int{6, 28, 50}},
	{30, []int{50, 51, 51, 51, 51}, []int{6, 30, 54}},
	{22, []int{36, 36, 36, 36, 36, 36, 37, 37}, []int{6, 32, 58}},
}

// encode returns the modules of a QR code as rows; true is dark.
func encode(text []byte) ([][]bool, error) {
	limit := 0
	for i, v := range versions {
		room := 0
		for _, n := range v.blocks {
			room += n
		}
		lengthBits := 8
		if i+1 >= 10 {
			lengthBits = 16
		}
		limit = room - (4+lengthBits+7)/8
		if len(text) <= limit {
			return place(i+1, v, interleave(v, data(text, lengthBits, room))), nil
		}
	}
	return nil, fmt.Errorf("the text has %d bytes; a QR code of this tool has at most %d", len(text), limit)
}

// data returns the text as bytes: the mode for bytes, the length, the text, and padding.
func data(text []byte, lengthBits, room int) []byte {
	out, bits := make([]byte, room), 0
	write := func(value, count int) {
		for i := count - 1; i >= 0 && bits < 8*room; i-- {
			out[bits/8] |= byte(value>>i&1) << (7 - bits%8)
			bits++
		}
	}
	write(0b0100, 4)
	write(len(text), lengthBits)
	for _, c := range text {
		write(int(c), 8)
	}
	write(0, 4)
	for at, i := (bits+7)/8, 0; at < room; at, i = at+1, i+1 {
		out[at] = []byte{0xEC, 0x11}[i%2]
	}
	return out
}

// interleave splits data into blocks, adds the error correction, and mixes the blocks, so that one
// stain does not hit a single block.
func interleave(v version, data []byte) []byte {
	var blocks, corrections [][]byte
	for _, n := range v.blocks {
		blocks = append(blocks, data[:n])
		corrections = append(corrections, correction(data[:n], v.correction))
		data = data[n:]
	}
	var out []byte
	for _, group := range [][][]byte{blocks, corrections} {
		for i := range len(group[len(group)-1]) { // the last block is the longest
			for _, block := range group {
				if i < len(block) {
					out = append(out, block[i])
				}
			}
		}
	}
	return out
}

// correction returns the Reed-Solomon code of a block: the remainder of a division of polynomials.
func correction(block []byte, count int) []byte {
	generator := make([]byte, count) // without the leading 1
	generator[count-1] = 1
	root := byte(1)
	for range count {
		for j := range generator {
			generator[j] = multiply(generator[j], root)
			if j+1 < count {
				generator[j] ^= generator[j+1]
			}
		}
		root = multiply(root, 2)
	}
	rest := make([]byte, count)
	for _, c := range block {
		factor := c ^ rest[0]
		rest = append(rest[1:], 0)
		for j := range rest {
			rest[j] ^= multiply(generator[j], factor)
		}
	}
	return rest
}

// multiply multiplies in the field of 256 elements.
func multiply(a, b byte) byte {
	product := 0
	for i := 7; i >= 0; i-- {
		product = product<<1 ^ product>>7*0x11D
		if b>>i&1 == 1 {
			product ^= int(a)
		}
	}
	return byte(product)
}
