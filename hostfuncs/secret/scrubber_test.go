package secret

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

// inForms returns value in each form in which a server may echo it.
func inForms(value string) map[string]string {
	forms := map[string]string{
		"plain":       value,
		"query":       url.QueryEscape(value),
		"path":        url.PathEscape(value),
		"half":        value[:3] + percentAll(value[3:], "%%%02X"),
		"json":        jsonText(value),
		"json escape": jsonAll(value),
	}
	add := func(name, form string) {
		forms[name] = form
		forms[name+" json"] = strings.NewReplacer("+", `\u002B`, "/", `\/`, "=", `\u003d`).Replace(form)
		forms[name+" json escape"] = jsonAll(form)
		forms[name+" percent"] = percentAll(form, "%%%02x")
		forms[name+" PERCENT"] = percentAll(form, "%%%02X")
		forms[name+" query"] = url.QueryEscape(form)
	}
	add("slash", value)
	add("hex", hex.EncodeToString([]byte(value)))
	add("HEX", strings.ToUpper(hex.EncodeToString([]byte(value))))
	for before := range 3 {
		for name, e := range map[string]*base64.Encoding{"std": base64.StdEncoding, "url": base64.URLEncoding, "raw": base64.RawStdEncoding, "rawurl": base64.RawURLEncoding} {
			form := e.EncodeToString([]byte("ab"[:before] + value))
			add(fmt.Sprint(name, before), form)
			for _, end := range []string{"\n", "\r\n", `\n`, `\r\n`, "%0D%0A"} {
				for at := 4; at < len(form); at += 5 {
					forms[fmt.Sprintf("%s%d with %q at %d", name, before, end, at)] = form[:at] + end + form[at:]
				}
			}
		}
	}
	return forms
}

func jsonText(value string) string {
	quoted, _ := json.Marshal(value)
	return string(quoted[1 : len(quoted)-1])
}

func percentAll(value, format string) string {
	var b strings.Builder
	for _, c := range []byte(value) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

func jsonAll(value string) string {
	var b strings.Builder
	for _, r := range value {
		if r > 0xffff {
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04X\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
			continue
		}
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return b.String()
}

// chunked passes text through a stream in pieces.
func chunked(s *Scrubber, text string, size func() int) string {
	stream, out := s.Stream(), []byte(nil)
	for rest := []byte(text); len(rest) > 0; {
		n := min(max(size(), 1), len(rest))
		out = append(out, stream.Scrub(rest[:n:n], false)...)
		rest = rest[n:]
	}
	return string(append(out, stream.Scrub(nil, true)...))
}

// hideJSON returns a JSON text without secrets.
func hideJSON(t *testing.T, s *Scrubber, doc string) string {
	t.Helper()
	out, err := s.JSON(t.Context(), json.RawMessage(doc))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestEveryFormIsHiddenAcrossSeams(t *testing.T) {
	values := []string{"hunter2-hunter2", "user:p/ss+w=rd &%41", `q"uo\te<>d`, "ünïcödé-𝄞-x", "aaaaaaaa", "\xfb\xff\xbe\xfb\xff\xbe\xfb\xff"}
	for _, value := range values {
		s := NewScrubber(map[string]string{"K": value})
		for form, text := range inForms(value) {
			if !utf8.ValidString(value) && strings.Contains(text, jsonAll("\uFFFD")) {
				continue // JSON cannot represent it
			}
			for size := 1; size < 20; size++ {
				got := chunked(s, "x: "+text+" .", func() int { return size })
				rest, after, ok := strings.Cut(strings.TrimPrefix(got, "x: "), "[secret:K]")
				// In base64, the characters next to the value encode bits of the neighbouring bytes
				// as well. These characters, escaped or not, are not removed.
				if !ok || len(rest) > 3*len(`\u0041`) || after != " ." {
					t.Errorf("%q as %s by %d: %q", value, form, size, got)
				}
			}
		}
	}
}

func TestOverlappingSecretsGetOneMark(t *testing.T) {
	s := NewScrubber(map[string]string{"A": "abcdefgh", "B": "efghijkl", "LONG": "abcdefghijklmnop", "SHORT": "short"})
	for in, want := range map[string]string{
		"-abcdefghijkl-":                "-[secret:A]-",
		"-abcdefghijklmnop-":            "-[secret:LONG]-",
		"abcdefghabcdefgh":              "[secret:A][secret:A]",
		"abcdefg abcdefghijklmno":       "abcdefg [secret:A]mno",
		"short stays":                   "short stays",
		`%4 %zz \ \u12 \ud800 abcdefg%`: `%4 %zz \ \u12 \ud800 abcdefg%`,
	} {
		for size := 1; size < 20; size++ {
			if got := chunked(s, in, func() int { return size }); got != want {
				t.Errorf("%q by %d: %q, want %q", in, size, got, want)
			}
		}
	}
}

func TestStreamHoldsBackOnlyPossibleBeginnings(t *testing.T) {
	s := NewScrubber(map[string]string{"A": "abcdefgh"}).Stream()
	for _, step := range []struct{ in, out string }{{"hello", "hello"}, {" abc", " "}, {"x", "abcx"}, {"abcdefgh.", "[secret:A]."}} {
		if got := s.Scrub([]byte(step.in), false); string(got) != step.out {
			t.Errorf("%q: %q, want %q", step.in, got, step.out)
		}
	}
}

func TestNilAndEmptyScrubberHideNothing(t *testing.T) {
	var none *Scrubber
	for _, s := range []*Scrubber{none, NewScrubber(nil), NewScrubber(map[string]string{"A": "short"})} {
		if !s.Empty() || s.Text("short") != "short" || string(s.Stream().Scrub([]byte("short"), false)) != "short" || hideJSON(t, s, `"short"`) != `"short"` {
			t.Error("changes text")
		}
	}
}

func TestPrintingShowsNoValue(t *testing.T) {
	s := NewScrubber(map[string]string{"A": "abcdefgh"})
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%x"} {
		if got := fmt.Sprintf(format, s); got != "[secret]" {
			t.Errorf("%s: %q", format, got)
		}
	}
}

func TestMarksHoldNoValue(t *testing.T) {
	s := NewScrubber(map[string]string{"PASSWORD1": "PASSWORD1", `a"b`: "abcdefgh"})
	if got := s.Text("PASSWORD1 abcdefgh"); got != "[secret] [secret:a_b]" {
		t.Error(got)
	}
}

func TestJSON(t *testing.T) {
	s := NewScrubber(map[string]string{"A": `ab"cd\ef/`, "N": "12345678", "O": `{"k": ["v", 1]}`})
	for in, want := range map[string]string{
		` {"a" : "x\/\u0041", "n": 1.50} `:  ` {"a" : "x\/\u0041", "n": 1.50} `,
		`{"a":"<ab\"cd\\ef\/>"}`:            `{"a":"<[secret:A]>"}`,
		`{"\u0061b\"cd\\ef/":[12345678,1]}`: `{"[secret:A]":["[secret:N]",1]}`,
		`[-123456789, "é\n12345678"]`:       `["-[secret:N]9", "é\n[secret:N]"]`,
		`[{"k": ["v", 1]}]`:                 `"[[secret:O]]"`,
		`not json 12345678`:                 `not json [secret:N]`,
	} {
		if got := hideJSON(t, s, in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func FuzzScrub(f *testing.F) {
	f.Add("hunter2-hunter2", "before ", " after", uint64(1))
	f.Add(`p%41"\u0041/+ `, "%4", `\u00`, uint64(2))
	f.Fuzz(func(t *testing.T, value, before, after string, seed uint64) {
		if len(value) < MinScrub || len(value) > 200 {
			return
		}
		s := NewScrubber(map[string]string{"N": value})
		random := rand.New(rand.NewPCG(seed, 0))
		text := before + value + after
		whole := s.Text(text)
		if strings.Contains(whole, value) && !strings.Contains("[secret:N]", value) && !strings.ContainsAny(value, "[]:") {
			t.Errorf("%q stays in %q", value, whole)
		}
		if !strings.Contains(whole, "[secret") {
			t.Errorf("%q is not hidden in %q", value, whole)
		}
		if got := chunked(s, text, func() int { return random.IntN(9) }); got != whole {
			t.Errorf("in pieces %q, whole %q", got, whole)
		}
		if doc, err := json.Marshal([]string{text}); err != nil || !json.Valid([]byte(hideJSON(t, s, string(doc)))) {
			t.Errorf("%s becomes invalid (%v)", doc, err)
		}
	})
}

func BenchmarkScrub(b *testing.B) {
	s := NewScrubber(map[string]string{"A": "ghp_0123456789abcdefghijklmnopqrstuvwxyz", "B": "user:password-0123456789", "C": strings.Repeat("abcdefg/", 1024)})
	for name, text := range map[string]string{
		"page":    `{"name": "value 123", "text": "some\nlines %20 and words"}`,
		"plain":   `Lorem ipsum dolor sit amet, consetetur sadipscing elitr, sed diam.` + "\n",
		"escapes": `\u0041%41\n%0a\\%25\/`,
		"near":    `abcdefg/abcdefg-YWJjZGVmZy9hYmNkZWZn6162636465\u0066`,
	} {
		page := bytes.Repeat([]byte(text), 1<<16/len(text))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			for b.Loop() {
				if _, err := s.Bytes(b.Context(), page); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	doc := json.RawMessage("[" + strings.Repeat(`"\n",`, 1<<14) + "1]")
	b.Run("JSON", func(b *testing.B) {
		b.SetBytes(int64(len(doc)))
		for b.Loop() {
			if _, err := s.JSON(b.Context(), doc); err != nil {
				b.Fatal(err)
			}
		}
	})
}
