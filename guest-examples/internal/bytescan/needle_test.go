package bytescan

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzNeedle compares Needle with package bytes.
func FuzzNeedle(f *testing.F) {
	f.Add([]byte("some text with a needle in it, far from the beginning"), []byte("needle"))
	f.Add([]byte("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"), []byte("aab"))
	f.Add([]byte("x"), []byte("x"))
	f.Add([]byte("\x80\x7f\x00\x01\xff\xfe"), []byte("\xff\xfe"))
	long := strings.Repeat("-", 100)
	f.Add([]byte(strings.Repeat(long+"\n", 5)), []byte(long+"\n--"))
	f.Add([]byte(long+long+"|xyz"), []byte(long+"|x"))
	f.Add([]byte(long+long+"+xyz"), []byte(long+"|x"))
	f.Fuzz(func(t *testing.T, block, text []byte) {
		if len(text) == 0 {
			return
		}
		if got, want := NewNeedle(text, false).Index(block), bytes.Index(block, text); got != want {
			t.Errorf("%q in %q: got %d, want %d", text, block, got, want)
		}
		lower := bytes.Map(func(r rune) rune {
			if 'A' <= r && r <= 'Z' || r >= 0x80 {
				return 'a'
			}
			return r
		}, text)
		want := -1
		for at := 0; at+len(lower) <= len(block) && want < 0; at++ {
			if bytes.EqualFold(block[at:at+len(lower)], lower) {
				want = at
			}
		}
		if got := NewNeedle(lower, true).Index(block); got != want {
			t.Errorf("%q in %q in either case: got %d, want %d", lower, block, got, want)
		}
	})
}

// A text that almost matches in many places is still found quickly. The search would take hours if
// it compared the whole text at each place.
func TestNeedle_repetitiveText(t *testing.T) {
	const size = 4 << 20
	for _, end := range []string{"", "x", " \n "} { // follows the dashes
		text := append(bytes.Repeat([]byte("-"), size), end...)
		block := append(bytes.Repeat([]byte("-"), size-1), '+')
		block = append(append(block, bytes.Repeat([]byte("-"), 2*size-len(end)-1)...), "y\n"...)
		if got, want := NewNeedle(text, false).Index(block), bytes.Index(block, text); got != want {
			t.Errorf("%q: got %d, want %d", end, got, want)
		}
		block = append(block, text...)
		if got, want := NewNeedle(text, false).Index(block), bytes.Index(block, text); got != want {
			t.Errorf("existing %q: got %d, want %d", end, got, want)
		}
	}
}

// FuzzPlain compares Plain with a loop over the bytes.
func FuzzPlain(f *testing.F) {
	f.Add([]byte("text\twith\nlines\n and more than the thirty-two bytes of a step, too"))
	f.Add([]byte("text\r\nwith returns that is longer than a single step of the scan, so"))
	f.Add([]byte("0123456789012345678901234567890\x7f"))
	f.Add([]byte("\x80\x9f\xa0\xff01234567890123456789012345678901234567890"))
	f.Fuzz(func(t *testing.T, block []byte) {
		want := true
		for _, b := range block {
			want = want && (b >= ' ' && b != 0x7f || b == '\t' || b == '\n')
		}
		if got := Plain(block); got != want {
			t.Errorf("%q: got %v, want %v", block, got, want)
		}
	})
}
