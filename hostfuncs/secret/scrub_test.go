package secret

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
)

// spellings are how tests write a value, apart from how the Scrubber knows it.
func spellings(value string, before int) map[string]string {
	padded := strings.Repeat("~", before) + value + "!"
	quoted, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	spelt := ""
	for _, r := range value {
		spelt += fmt.Sprintf("\\u%04X", r)
	}
	return map[string]string{
		"plain": value, "json": string(quoted), "json by numbers": spelt, "html": html.EscapeString(value),
		"json with slashes": strings.ReplaceAll(string(quoted), "/", "\\/"),
		"base64":            base64.StdEncoding.EncodeToString([]byte(padded)),
		"base64 for URLs":   base64.URLEncoding.EncodeToString([]byte(padded)),
		"base64 alone":      base64.StdEncoding.EncodeToString([]byte(value)),
		"query":             url.QueryEscape(value), "path": url.PathEscape(value),
		"small escapes": strings.ToLower(url.QueryEscape(strings.ToLower(value))),
		"hex":           hex.EncodeToString([]byte(value)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(value))),
	}
}

// randomValue is printable text with characters that need escapes.
func randomValue(r *rand.Rand) string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789/+=<>&\"' %\\:-_"
	b := make([]byte, MinHidden+r.IntN(60))
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return string(b)
}

// A value stays hidden in every spelling, however the stream is cut.
func TestValuesAreHidden(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		value := randomValue(r)
		s := NewScrubber(map[string]string{"KEY": value, "OTHER": randomValue(r)})
		for name, spelt := range spellings(value, r.IntN(3)) {
			if name == "small escapes" && strings.ToLower(value) != value {
				continue
			}
			text := fmt.Sprintf("before %s, between %s%s after", spelt, spelt, spelt)
			got := inPieces(r, s, text)
			if whole := s.Text(text); got != whole {
				t.Fatalf("%s in pieces: %q, whole: %q", name, got, whole)
			}
			if n := strings.Count(got, "[secret:KEY]"); n != 3 || !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") {
				t.Fatalf("%s of %q: %q", name, value, got)
			}
			if strings.Contains(got, value) {
				t.Fatalf("%s of %q stays in %q", name, value, got)
			}
		}
	}
}

func inPieces(r *rand.Rand, s *Scrubber, text string) string {
	stream := s.Stream()
	var out bytes.Buffer
	for rest := []byte(text); ; {
		n := min(len(rest), r.IntN(12))
		out.Write(stream.Scrub(rest[:n], n == len(rest)))
		if n == len(rest) {
			return out.String()
		}
		rest = rest[n:]
	}
}

// Text without a value is as it was, byte by byte, also where it nearly is one.
func TestOtherTextStays(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	s := NewScrubber(map[string]string{"KEY": "aaaaaaaaab", "SHORT": "short", "EMPTY": ""})
	for _, text := range []string{"", "aaaaaaaaa", "aaaaaaaaac", "short", strings.Repeat("a", 100), "\x00\xff", strings.Repeat("aaaaaaaaa ", 50)} {
		if got := inPieces(r, s, text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if !NewScrubber(map[string]string{"SHORT": "1234567"}).Empty() {
		t.Error("a short value is looked for")
	}
}

// Of two values where one begins the other, nothing of the longer one stays.
func TestLongestIsHidden(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	s := NewScrubber(map[string]string{"A": "password1", "B": "password123456"})
	for range 50 {
		if got := inPieces(r, s, "x password123456 y password1 z"); got != "x [secret:B] y [secret:A] z" {
			t.Fatalf("got %q", got)
		}
	}
}

func TestJSONStaysValid(t *testing.T) {
	value := `pass"word\1/é`
	s := NewScrubber(map[string]string{"KEY": value})
	odd := `"p\u0061ss\"w\u006frd\\1\/\u00e9"` // as no form has it
	for _, text := range []string{
		`{"a": ` + odd + `, "b":[1.10, "x ` + strings.Trim(odd, `"`) + ` y"], "c": "\\"}`,
		string(must(json.Marshal(map[string]string{"k": value, value: "v"}))),
	} {
		got := s.JSON(json.RawMessage(text))
		var any any
		if err := json.Unmarshal(got, &any); err != nil || strings.Contains(fmt.Sprint(any), value) || !bytes.Contains(got, []byte("[secret:KEY]")) {
			t.Errorf("%s became %s: %v", text, got, err)
		}
	}
	if text := json.RawMessage(`{"a":1.10,"b":"\u0041\\"}`); string(s.JSON(text)) != string(text) {
		t.Errorf("another text became %s", s.JSON(text))
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func TestNilHidesNothing(t *testing.T) {
	var s *Scrubber
	if !s.Empty() || s.Text("text") != "text" || string(s.JSON(json.RawMessage(`"a"`))) != `"a"` || string(s.Stream().Scrub([]byte("x"), true)) != "x" {
		t.Error("nil hides something")
	}
}

func FuzzScrub(f *testing.F) {
	f.Add("aaaaaaaab", "xaaaaaaaabx", 3)
	f.Add("pass/word+=", "a%2Fb", 1)
	f.Fuzz(func(t *testing.T, value, text string, piece int) {
		s := NewScrubber(map[string]string{"K": value})
		for _, whole := range []string{text, text + value + text} {
			stream := s.Stream()
			var out []byte
			rest := []byte(whole)
			for n := max(1, piece%64); len(rest) > n; rest = rest[n:] {
				out = append(out, stream.Scrub(rest[:n], false)...)
			}
			out = append(out, stream.Scrub(rest, true)...)
			if !bytes.Equal(out, s.Bytes([]byte(whole))) {
				t.Fatalf("in pieces %q, whole %q", out, s.Bytes([]byte(whole)))
			}
			if len(value) >= MinHidden && !strings.Contains("[secret:K]", value) && bytes.Contains(out, []byte(value)) && !strings.Contains(value, "[secret") {
				// What stands around a place may spell the value again only with brackets.
				if !bytes.Contains(out, []byte("[secret:K]")) {
					t.Fatalf("%q stays in %q", value, out)
				}
			}
		}
	})
}

func BenchmarkScrub(b *testing.B) {
	s := NewScrubber(map[string]string{"A": "ghp_0123456789abcdefghijklmnopqrstuvwxyz", "B": "xoxb-123456789012-abcdef"})
	text := bytes.Repeat([]byte(`{"name":"value","list":[1,2,3],"text":"nothing to see here, as in most answers"}`), 400)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s.Bytes(text)
	}
}
