package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// symbol is a byte as a reader of a text sees it, with the range of the text that it occupies.
type symbol struct {
	b        byte
	from, to int
}

// symbolsOf returns the symbols of a text. It decodes only the escapes that begin with lead, or
// none if lead is 0.
func symbolsOf(text string, lead byte) (list []symbol) {
	for at := 0; at < len(text); {
		meaning, n := text[at:at+1], 1
		if text[at] == lead {
			if m, k := meaningOf(text[at:]); k > 0 {
				meaning, n = m, k
			}
		}
		for _, b := range []byte(meaning) {
			list = append(list, symbol{b, at, at + n})
		}
		at += n
	}
	return list
}

// meaningOf returns the meaning and the length of the escape at the beginning of text.
func meaningOf(text string) (string, int) {
	if text[0] == '%' {
		if len(text) < 3 {
			return "", 0
		}
		b, err := hex.DecodeString(text[1:3])
		if err != nil {
			return "", 0
		}
		return string(b), 3
	}
	for _, n := range []int{2, 12, 6} { // try a surrogate pair (12 bytes) before a single unit (6)
		var s string
		if len(text) < n || json.Unmarshal([]byte(`"`+text[:n]+`"`), &s) != nil {
			continue
		}
		if n == 2 && text[1] == 'u' || n > 2 && text[1] != 'u' || n == 12 && len([]rune(s)) != 1 {
			continue
		}
		return s, n
	}
	return "", 0
}

// hideSlowly returns the expected result of Text for one secret, K. It tries each form at each
// position.
func hideSlowly(value, text string) string {
	var stretches [][2]int
	search := func(symbols []symbol, form string, same [256]byte, broken bool) {
		for first := range symbols {
			at, gap, k := first, 0, 0
			for ; k < len(form) && at < len(symbols); at++ {
				b := symbols[at].b
				if broken && k > 0 && gap < 2 && (b == '\r' || b == '\n') {
					gap++
					continue
				}
				if same[b] != same[form[k]] {
					break
				}
				k, gap = k+1, 0
			}
			if k == len(form) {
				stretches = append(stretches, [2]int{symbols[first].from, symbols[at-1].to})
			}
		}
	}
	var plain, lower, standard [256]byte
	for i := range 256 {
		plain[i], lower[i], standard[i] = byte(i), byte(i), byte(i)
	}
	plain[' '], standard['-'], standard['_'] = '+', '+', '/'
	for b := 'A'; b <= 'F'; b++ {
		lower[b] = byte(b) | 0x20
	}
	for _, lead := range []byte{0, '%', '\\'} {
		symbols := symbolsOf(text, lead)
		search(symbols, value, plain, false)
		search(symbols, hex.EncodeToString([]byte(value)), lower, false)
		for before := range 3 {
			long := base64.StdEncoding.EncodeToString([]byte("\x00\x00"[:before] + value))
			first, whole := (before*8+5)/6, (before+len(value))*8/6
			for end := whole; end <= len(long); end++ {
				search(symbols, long[first:end], standard, true)
			}
		}
	}
	slices.SortFunc(stretches, func(a, b [2]int) int { return a[0] - b[0] })
	var out strings.Builder
	done := 0
	for _, s := range stretches {
		if s[0] >= done {
			out.WriteString(text[done:s[0]] + "[secret:K]")
		}
		done = max(done, s[1])
	}
	return out.String() + text[done:]
}

// fragments returns a text made of random parts, such as a hostile or faulty server could send.
func fragments(value string, random *rand.Rand) string {
	var b strings.Builder
	forms := []string{
		value, hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value))),
		base64.StdEncoding.EncodeToString([]byte(value)), base64.URLEncoding.EncodeToString([]byte("a" + value)),
		base64.RawStdEncoding.EncodeToString([]byte("ab" + value)), base64.StdEncoding.EncodeToString([]byte(value + "ab")),
	}
	noise := []string{"%", `\`, "%4", `\u00`, `\u`, "%41", `\n`, "\n", "\r\n", `\r\n`, "%0D%0A", "\n\n\n", `\ud834`, `\udd1e`, "41", "x", "=", "+", " "}
	for range 1 + random.IntN(6) {
		if random.IntN(3) == 0 {
			b.WriteString(noise[random.IntN(len(noise))])
			continue
		}
		form := forms[random.IntN(len(forms))]
		if random.IntN(3) == 0 { // cut off the beginning, so that the form is incomplete
			form = form[random.IntN(len(form)):]
		}
		escape, often := random.IntN(4), 1+random.IntN(12)
		for i, c := range []byte(form) {
			switch hit := random.IntN(often) == 0; {
			case escape == 1 && hit:
				fmt.Fprintf(&b, "%%%02X", c)
			case escape == 2 && hit && c < 0x80:
				fmt.Fprintf(&b, `\u%04x`, c)
			case escape == 3 && hit && i > 0:
				b.WriteString([]string{"\n", "\r\n", `\r\n`, "%0A", "%0d%0a", `\u000a`, "\n\n\n"}[random.IntN(7)])
				b.WriteByte(c)
			default:
				b.WriteByte(c)
			}
		}
	}
	return b.String()
}

// TestStreamFindsWhatASlowSearchFinds compares the stream with a search that has the whole text and
// tries each reading and form at each position. The result must not depend on how the text is split
// into pieces.
func TestStreamFindsWhatASlowSearchFinds(t *testing.T) {
	for _, value := range []string{"hunter2-hunter2", `a+/b"\%41`, "aaaaaaaa", "\xfb\xff\xbe\xfb\xff\xbe\xfb\xff", "ü𝄞 n+/?x"} {
		s := NewScrubber(map[string]string{"K": value})
		random := rand.New(rand.NewPCG(1, uint64(len(value))))
		for range 1000 {
			text := fragments(value, random)
			want := hideSlowly(value, text)
			if got := s.Text(text); got != want {
				t.Fatalf("%q in %q: got %q, want %q", value, text, got, want)
			}
			if got := chunked(s, text, func() int { return random.IntN(9) }); got != want {
				t.Fatalf("%q in pieces of %q: got %q, want %q", value, text, got, want)
			}
		}
		for range 20 {
			text := fragments(value, random)
			want := hideSlowly(value, text)
			for seam := range len(text) + 1 {
				first := true
				got := chunked(s, text, func() int {
					if first {
						first = false
						return seam
					}
					return len(text)
				})
				if got != want {
					t.Fatalf("%q in %q, cut at %d: got %q, want %q", value, text, seam, got, want)
				}
			}
		}
	}
}

func FuzzAgainstASlowSearch(f *testing.F) {
	f.Add("hunter2-hunter2", `x aHVudGVyMi1o\ndW50ZXIy %68unter2`, uint64(1))
	f.Add("\xfb\xff\xbe\xfb\xff\xbe\xfb\xff", `+/+%2B\u002f++\/++//8=`, uint64(2))
	f.Fuzz(func(t *testing.T, value, text string, seed uint64) {
		if len(value) < MinScrub || len(value) > 64 || len(text) > 2000 {
			return
		}
		random := rand.New(rand.NewPCG(seed, 0))
		s := NewScrubber(map[string]string{"K": value})
		if strings.Contains("[secret:K]", value) {
			return
		}
		for _, text := range []string{text, text + fragments(value, random)} {
			want := hideSlowly(value, text)
			if got := chunked(s, text, func() int { return random.IntN(9) }); got != want {
				t.Errorf("%s in %s: got %q, want %q", strconv.Quote(value), strconv.Quote(text), got, want)
			}
		}
	})
}
