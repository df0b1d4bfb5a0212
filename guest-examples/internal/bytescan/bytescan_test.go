package bytescan

import (
	"bytes"
	"strings"
	"testing"
)

func TestIndex(t *testing.T) {
	for length := range 100 {
		for place := range length {
			block := bytes.Repeat([]byte{'x'}, length)
			block[place] = 'b'
			block[length-1] = 'b'
			if got := Index(block, 'a', 'b'); got != place {
				t.Fatalf("%d of %d: got %d", place, length, got)
			}
			if got := Index(block, 'b', 'a'); got != place {
				t.Fatalf("%d of %d, the other way round: got %d", place, length, got)
			}
		}
		if got := Index(bytes.Repeat([]byte{'x'}, length), 'a', 'b'); got != -1 {
			t.Fatalf("none in %d: got %d", length, got)
		}
	}
}

// Carries between the bytes of a word must not cause wrong results.
func FuzzIndexAndCount(f *testing.F) {
	f.Add([]byte("\x01\x00\x01\x00\x80\x7f\xff"), byte(0), byte(1))
	f.Add([]byte(strings.Repeat("\x80\x81", 40)), byte(0x80), byte(0x7f))
	f.Add([]byte(strings.Repeat("\x01", 33)+"\x00\x01"), byte(0), byte(0))
	f.Fuzz(func(t *testing.T, block []byte, a, b byte) {
		want := bytes.IndexByte(block, a)
		if other := bytes.IndexByte(block, b); want < 0 || other >= 0 && other < want {
			want = other
		}
		if got := Index(block, a, b); got != want {
			t.Errorf("%q, %q or %q: got %d, want %d", block, a, b, got, want)
		}
		if got, want := Count(block, a), bytes.Count(block, []byte{a}); got != want {
			t.Errorf("%q in %q: counted %d, want %d", a, block, got, want)
		}
	})
}

func TestCountControl(t *testing.T) {
	for b := range 256 {
		for n := range 40 {
			block := bytes.Repeat([]byte{'x', byte(b)}, n)
			want := 0
			if b < ' ' || b == 0x7f {
				want = n
			}
			if got := CountControl(block); got != want {
				t.Fatalf("%d times %#x: got %d, want %d", n, b, got, want)
			}
		}
	}
}

func FuzzIndexPair(f *testing.F) {
	f.Add([]byte("\x01\x00\x01\x00\x80\x7f\xff"), byte(0), byte(1), uint8(1))
	f.Add([]byte(strings.Repeat("ab", 40)+"ba"), byte('b'), byte('b'), uint8(1))
	f.Add([]byte(strings.Repeat("\x01", 33)+"\x00\x01\x00"), byte(0), byte(0), uint8(2))
	f.Add([]byte(strings.Repeat("x", 60)+"a"+strings.Repeat("x", 60)+"b"), byte('a'), byte('b'), uint8(61))
	f.Add([]byte("ab"), byte('a'), byte('b'), uint8(200))
	f.Fuzz(func(t *testing.T, block []byte, a, b byte, distance uint8) {
		want := -1
		for i := 0; i+int(distance) < len(block) && want < 0; i++ {
			if block[i] == a && block[i+int(distance)] == b {
				want = i
			}
		}
		if got := IndexPair(block, a, b, int(distance)); got != want {
			t.Errorf("%q, %q and %q %d further on: got %d, want %d", block, a, b, distance, got, want)
		}
	})
}

func TestSum(t *testing.T) {
	weights := [256]uint8{'a': 1, 'b': 200}
	for n := range 40 {
		if got, want := Sum([]byte(strings.Repeat("abc", n)), &weights), 201*n; got != want {
			t.Errorf("%d times: got %d, want %d", n, got, want)
		}
	}
}

func TestASCII(t *testing.T) {
	for length := range 40 {
		block := bytes.Repeat([]byte{0x7f}, length)
		if !ASCII(block) {
			t.Errorf("ASCII of %d bytes 0x7f = false", length)
		}
		for at := range block {
			block[at] = 0x80
			if ASCII(block) {
				t.Errorf("ASCII of %d bytes with 0x80 at %d = true", length, at)
			}
			block[at] = 0x7f
		}
	}
}
