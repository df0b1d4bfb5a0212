package regex

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/internal/bytescan"
)

func TestFindAll(t *testing.T) {
	tests := []struct {
		pattern, text string
		want          []string
	}{
		{`\w+`, "读取工具, État-major naïve_1", []string{"读取工具", "État", "major", "naïve_1"}},
		{`\w+工具`, "用读取工具", []string{"用读取工具"}},
		{`^caf\w$`, "café", []string{"café"}},
		{`\bcaf\b`, "café caf", []string{"caf"}},
		{`\b世界\b`, "你好世界 世界。", []string{"世界"}},
		{`\Bé\b`, "é café", []string{"é"}},
		{`(?i)\bÉTAT\b`, "état étatique", []string{"état"}},
		{`\b(?:é|世)|x\b`, "né é 世 世x éx", []string{"é", "世", "世", "x", "é", "x"}},
		{`\bk`, "\u212Ak k", []string{"k"}},
		{`(?i)\bk\b`, "\u212A k", []string{"\u212A", "k"}},
		{`\d+`, "٤٢ ४२ 42", []string{"٤٢", "४२", "42"}},
		{`a\sb`, "a\u3000b a\u00a0b a\vb a b a\u200bb", []string{"a\u3000b", "a\u00a0b", "a\vb", "a b"}},
		{`[^\W\d_]+`, "é1_世 ß", []string{"é", "世", "ß"}},
		{`[\w-]+`, "é-世, z", []string{"é-世", "z"}},
		{`[\s-z]+`, "\u00a0-z y", []string{"\u00a0-z "}},
		{`[\W]+`, "é。、世", []string{"。、"}},
		{`[]\w]+`, "é]世", []string{"é]世"}},
		{`\Q\w\E`, `é\w`, []string{`\w`}},
		{`[[:word:]]+`, "éa_1", []string{"a_1"}},
		{`(?m)^\w+$`, "é\n世 x\nß", []string{"é", "ß"}},
		{`\b.`, "é\nß", []string{"é", "ß"}},
		{`\bcafe\b`, "cafe\u0301", nil},
		{`\w`, "e\u0301\u200dⒶ🙂", []string{"e", "\u0301", "\u200d", "Ⓐ"}},
		{`\bx`, "éx \xffx", []string{"x"}},
		{`\b\x{FFFD}|\B\x{FFFD}`, "\xff", []string{"\xff"}},
		{`a\b\z`, "éa", []string{"a"}},
	}
	for _, test := range tests {
		re, err := Compile(test.pattern)
		if err != nil {
			t.Errorf("%s: %v", test.pattern, err)
			continue
		}
		var got []string
		for _, match := range re.FindAllSubmatchIndex([]byte(test.text), -1) {
			got = append(got, test.text[match[0]:match[1]])
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s in %q = %q, want %q", test.pattern, test.text, got, test.want)
		}
		if re.Match([]byte(test.text)) != (len(test.want) > 0) {
			t.Errorf("Match of %s in %q contradicts the matches", test.pattern, test.text)
		}
	}
}

func TestGroupsAreInBytes(t *testing.T) {
	re, err := Compile(`\b(?P<name>\w+)=(é)?(\d*)`)
	if err != nil {
		t.Fatal(err)
	}
	want := []int{3, 12, 3, 8, -1, -1, 9, 12}
	if got := re.FindSubmatchIndex([]byte("é éta1=123")); !reflect.DeepEqual(got, want) {
		t.Errorf("positions %v, want %v", got, want)
	}
	if re.NumSubexp() != 3 || re.SubexpIndex("name") != 1 {
		t.Errorf("%d groups, name is group %d", re.NumSubexp(), re.SubexpIndex("name"))
	}
}

func TestLongest(t *testing.T) {
	re, err := Compile(`\b(?:é|été)`)
	if err != nil {
		t.Fatal(err)
	}
	re.Longest()
	if got := re.FindIndex([]byte("été")); !reflect.DeepEqual(got, []int{0, len("été")}) {
		t.Errorf("longest match at %v", got)
	}
}

// The code points written out in the class \w must be alphabetic symbols of Go's Unicode tables.
func TestClassesAreThoseOfUnicode(t *testing.T) {
	classes := map[string]func(rune) bool{
		`\w`: func(r rune) bool {
			return unicode.In(r, unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.M, unicode.Nd, unicode.Pc, unicode.Join_Control)
		},
		`\d`: func(r rune) bool { return unicode.Is(unicode.Nd, r) },
		`\s`: func(r rune) bool { return unicode.Is(unicode.White_Space, r) },
	}
	var ascii, others []byte
	for r := range unicode.MaxRune + 1 {
		switch {
		case r < utf8.RuneSelf:
			ascii = append(ascii, byte(r))
		case r < 0x32400 || r >= 0xe0000 && r < 0xe0200: // no other is assigned, or it is private
			if !utf8.ValidRune(r) {
				continue
			}
			others = utf8.AppendRune(others, r)
		}
	}
	for class, belongs := range classes {
		patterns := map[string]bool{
			class: true, strings.ToUpper(class): false,
			"[" + class + "]": true, "[" + strings.ToUpper(class) + "]": false,
			"[^" + class + "]": false, "[^" + strings.ToUpper(class) + "]": true,
			"(?i)" + class: true, "(?i)[" + strings.ToUpper(class) + "]": false,
			`\B` + class + `|\b` + class: true,
		}
		for pattern, member := range patterns {
			re, err := Compile(pattern)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range [][]byte{ascii, others} {
				matches := re.FindAllSubmatchIndex(text, -1)
				for at, r := range string(text) {
					found := len(matches) > 0 && matches[0][0] == at
					if found {
						matches = matches[1:]
					}
					if found != (belongs(r) == member) {
						t.Errorf("%s and %U: found %v", pattern, r, found)
					}
				}
			}
		}
	}
}

func TestTooManyLetters(t *testing.T) {
	text := func(first rune, n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(regexp.QuoteMeta(string(first + rune(i))))
		}
		return b.String()
	}
	for _, test := range []struct {
		pattern string
		ok      bool
	}{
		{`\b` + text('一', 62), true},
		{`\b` + text('一', 63), false},
		{`\b` + text('←', 63), true},
		{`\b` + text('←', 64), false},
		{`\b` + text('一', 1000), false},
		{text('一', 1000), true},
		{`\b[一-鿿]+` + strings.Repeat("世界", 500), true},
	} {
		re, err := Compile(test.pattern)
		if (err == nil) != test.ok || err != nil && !errors.Is(err, ErrManyLetters) {
			t.Errorf("%.20s with %d bytes: %v", test.pattern, len(test.pattern), err)
		}
		if err == nil && strings.Contains(test.pattern, `\b`) && !strings.Contains(test.pattern, "[") {
			literal := regexp.MustCompile(`\\([^b])`).ReplaceAllString(strings.TrimPrefix(test.pattern, `\b`), "$1")
			found := re.Match([]byte("é " + literal))
			other := re.Match([]byte("é " + literal[:len(literal)-3] + "x"))
			if found != strings.Contains(test.pattern, "一") || other {
				t.Errorf("%.20s finds its text: %v, finds another: %v", test.pattern, found, other)
			}
		}
	}
}

func TestManyClassesAreRefused(t *testing.T) {
	for _, test := range []struct {
		class string
		count int
		ok    bool
	}{{`\w`, 1000, true}, {`\w`, 30_000, false}, {`[\W]`, 10, true}, {`[\W]`, 10_000, false}} {
		_, err := Compile(strings.Repeat(test.class, test.count))
		var invalid *syntax.Error
		if (err == nil) != test.ok || err != nil && (!errors.As(err, &invalid) || invalid.Code != syntax.ErrLarge) {
			t.Errorf("%d of %s: %v", test.count, test.class, err)
		}
	}
}

func TestErrorQuotesTheExpression(t *testing.T) {
	_, err := Compile(`\w(\b`)
	if err == nil || !strings.Contains(err.Error(), "`\\w(\\b`") {
		t.Errorf("error %v", err)
	}
}

// FuzzASCII compares the way of other texts with package regexp. For ASCII both must be the same,
// except for \v in \s.
func FuzzASCII(f *testing.F) {
	for _, pattern := range []string{
		`\bfoo\b`, `\w+\b`, `(?i)\bk[^a-c]`, `a|\bb*?|(c)`, `[^\W\d_]\B`, `\b(?s:.)\s`, `(?m)^\b$|x$`, `\b\Qa.b\E`, `(?P<n>\b[]\w-]+)`,
		`(?U)\b(a+)(b+)`, `\b\pL`, `\b[[:alpha:]]{2,3}`, `(?i)\bS|(?-i)s`, `\b(?:)|\z`,
	} {
		f.Add(pattern, "foo k a.b\n1_c foo")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 60 || len(text) > 200 || strings.Contains(text, "\v") || !bytescan.ASCII([]byte(text)) {
			return
		}
		want, err := regexp.Compile(pattern)
		got, gotErr := Compile(pattern)
		if errors.Is(gotErr, ErrManyLetters) || err != nil && gotErr != nil && err.Error() == gotErr.Error() {
			return
		}
		if err != nil || gotErr != nil {
			t.Fatalf("%q: regexp says %v, Compile says %v", pattern, err, gotErr)
		}
		wide := *got
		if wide.other == nil {
			return
		}
		written := []byte(text)
		if wide.letters != nil {
			written = wide.letters.write(nil, written)
		}
		expected := fmt.Sprint(want.FindAllStringSubmatchIndex(text, -1))
		if matches := fmt.Sprint(wide.other.FindAllSubmatchIndex(written, -1)); matches != expected {
			t.Errorf("%q in %q: the way of other texts finds %s, regexp %s", pattern, text, matches, expected)
		}
		if matches := fmt.Sprint(got.FindAllSubmatchIndex([]byte(text), -1)); matches != expected {
			t.Errorf("%q in %q: found %s, regexp %s", pattern, text, matches, expected)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	texts := map[string][]byte{
		"ASCII": []byte(strings.Repeat("func (s *scanner) lines(block []byte) ", 3)),
		"Han":   []byte(strings.Repeat("用读取工具可以读取文件的内容。", 8)),
	}
	for _, pattern := range []string{`zebra`, `\w+\(zebra`, `\bzebra\b`} {
		for name, text := range texts {
			b.Run(pattern+"/"+name, func(b *testing.B) {
				re, err := Compile(pattern)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					re.Match(text)
				}
			})
			b.Run(pattern+"/"+name+"/regexp", func(b *testing.B) {
				re := regexp.MustCompile(pattern)
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					re.Match(text)
				}
			})
		}
	}
}
