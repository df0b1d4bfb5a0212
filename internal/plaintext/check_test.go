package plaintext_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// TestCheck has one or more characters of each class, in places where they are illegal.
func TestCheck(t *testing.T) {
	classes := make(map[string][]string)
	for _, c := range plaintext.Classes {
		classes[c.Name] = nil
	}
	for _, tt := range []struct {
		text, class string
		form        plaintext.Form
	}{
		{"a\nb", "a line break or tab", plaintext.Line},
		{"a\tb", "a line break or tab", plaintext.Word},
		{"a\x1b[2J", "a control character", plaintext.Lines},
		{"a\x00", "a control character", plaintext.Lines},
		{"a\x7f", "a control character", plaintext.Lines},
		{"a\u0085", "a control character", plaintext.Lines},
		{"a\rb", "a control character", plaintext.Lines},
		{"a\r\nb", "a control character", plaintext.Line},
		{"a\u202eb", "a bidirectional control", plaintext.Lines},
		{"a\u2066b", "a bidirectional control", plaintext.Lines},
		{"a\u200eb", "a bidirectional control", plaintext.Lines},
		{"a\u061cb", "a bidirectional control", plaintext.Lines},
		{"a\U000E0041", "a tag character", plaintext.Lines},
		{"\U0001F3F4\U000E0075\U000E0073\U000E007F", "a tag character", plaintext.Lines},
		{"\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067", "a tag character", plaintext.Lines},
		{"a\ufe0f", "a variation selector", plaintext.Lines},
		{"1\ufe0f", "a variation selector", plaintext.Lines},
		{"❤\ufe0f\ufe0f", "a variation selector", plaintext.Lines},
		{"😀\ufe05", "a variation selector", plaintext.Lines},
		{"😀\U000E0100", "a variation selector", plaintext.Lines},
		{"a\U000E01EF", "a variation selector", plaintext.Lines},
		{"漢\U000E0100\U000E0101", "a variation selector", plaintext.Lines},
		{"a\u180b", "a variation selector", plaintext.Lines},
		{"a\u200db", "a joiner", plaintext.Lines},
		{"a\u200cb", "a joiner", plaintext.Lines},
		{"👩\u200d", "a joiner", plaintext.Lines},
		{"👩\u200d\u200d👩", "a joiner", plaintext.Lines},
		{"می\u200c\u200cخ", "a joiner", plaintext.Lines},
		{"می\u200c ", "a joiner", plaintext.Lines},
		{"a\u200bb", "a character without width", plaintext.Lines},
		{"a\u2060b", "a character without width", plaintext.Lines},
		{"\ufeffa", "a character without width", plaintext.Lines},
		{"a\u180eb", "a character without width", plaintext.Lines},
		{"a\u2061b", "an invisible operator", plaintext.Lines},
		{"a\u2064b", "an invisible operator", plaintext.Lines},
		{"a\u00adb", "a soft hyphen", plaintext.Lines},
		{"a\u034fb", "a combining grapheme joiner", plaintext.Lines},
		{"a\u3164b", "a filler", plaintext.Lines},
		{"a\u115fb", "a filler", plaintext.Lines},
		{"a\u1160b", "a filler", plaintext.Lines},
		{"a\uffa0b", "a filler", plaintext.Lines},
		{"a\u2800b", "a filler", plaintext.Lines},
		{"a\u17b4b", "a filler", plaintext.Lines},
		{"a\ufff9b", "an annotation or object mark", plaintext.Lines},
		{"a\ufffcb", "an annotation or object mark", plaintext.Lines},
		{"a\u2028b", "a line or paragraph separator", plaintext.Lines},
		{"a\u2029b", "a line or paragraph separator", plaintext.Lines},
		{"a\ue000b", "a private-use character", plaintext.Lines},
		{"a\U00100000b", "a private-use character", plaintext.Lines},
		{"a\ufdd0b", "a noncharacter", plaintext.Lines},
		{"a\U0010ffffb", "a noncharacter", plaintext.Lines},
		{"a\u206ab", "a formatting character", plaintext.Lines},
		{"a\u2065b", "a formatting character", plaintext.Lines},
		{"a\ufff0b", "a formatting character", plaintext.Lines},
		{"a\U000E0FFFb", "a formatting character", plaintext.Lines},
		{"a\U0001D173b", "a formatting character", plaintext.Lines},
		{"a\u00a0b", "a space other than U+0020", plaintext.Word},
		{"a\u3000b", "a space other than U+0020", plaintext.Word},
		{"a\u0378b", "an unassigned code point", plaintext.Word},
		{"a\xffb", "a byte that is not UTF-8", plaintext.Lines},
		{"a\xed\xa0\x80", "a byte that is not UTF-8", plaintext.Lines},
		{"e" + strings.Repeat("\u0301", 9), "a combining mark after eight others", plaintext.Lines},
	} {
		found, bad := plaintext.First(tt.text, tt.form)
		if !bad || found.Class.Name != tt.class {
			t.Errorf("%+q: got %v, want %s", tt.text, found, tt.class)
			continue
		}
		classes[tt.class] = append(classes[tt.class], tt.text)
		if r, size := utf8.DecodeRuneInString(tt.text[found.Offset:]); r != found.Rune || size != found.Size {
			t.Errorf("%+q: %v has a wrong position", tt.text, found)
		}
		if tt.form == plaintext.Lines && plaintext.Plain(tt.text, plaintext.Word) {
			t.Errorf("%+q is plain in a word and not in lines", tt.text)
		}
	}
	for name, texts := range classes {
		if texts == nil {
			t.Errorf("no case of this test has %s", name)
		}
	}
}

// legal lists texts in which every character is visible, or needed to spell visible text.
var legal = []string{
	"", "plain", "tab\tand\nline\r\nend", "é e\u0301 Việt", "naïve — “quotes” … × → ≤",
	"👩\u200d👩\u200d👧\u200d👦", "👩🏽\u200d🚀", "🧑🏿\u200d🤝\u200d🧑🏻", "❤\ufe0f\u200d🔥", "🏳\ufe0f\u200d🌈", "🏴\u200d☠\ufe0f",
	"👁\ufe0f\u200d🗨\ufe0f", "🐻\u200d❄\ufe0f", "🏃🏽\u200d♀\ufe0f\u200d➡\ufe0f",
	"☎\ufe0e ☎\ufe0f ⚠\ufe0f ©\ufe0f ™\ufe0e ℹ\ufe0f ‼\ufe0f ㊙\ufe0f 〰\ufe0f 🅰\ufe0f 🈂\ufe0f 🀄\ufe0f ✅ ✔\ufe0f",
	"1\ufe0f\u20e3 #\ufe0f\u20e3 *\ufe0f\u20e3 9\u20e3", "🇩🇪🇫🇷", "👍🏻👍🏿",
	"\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F",
	"\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F",
	"\U0001F3F4\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F",
	"می\u200cخواهم", "کتاب\u200cها", "क्\u200dष", "क्\u200c ", "ശ്രീ ന്\u200d", "ශ්\u200dරී", "র\u200d্য", "ខ្មែរ",
	"葛\U000E0100 辻\U000E0101", "神\ufe00", "≨\ufe00", "မ\ufe00", "ᠠ\u180b", "ᠬ\u180eᠠ",
	"漢字 仮名 한국어 ไทย עִבְרִית العَرَبِيَّة ཨོཾ", "a\u00a0b\u3000c", "\u0600١٢", "\ufffd", "\u0378",
	"🪿🫩", "𝒜 𓀀", strings.Repeat("e\u0301\u0323", 20), "e" + strings.Repeat("\u0301", 8),
}

func TestCheckAcceptsVisibleText(t *testing.T) {
	for _, text := range legal {
		for found := range plaintext.Check(text, plaintext.Lines) {
			t.Errorf("%+q: %v at %d", text, found, found.Offset)
		}
		for _, same := range []string{plaintext.Printable(text), plaintext.Strip(text, plaintext.Lines)} {
			if same != text {
				t.Errorf("%+q becomes %+q", text, same)
			}
		}
	}
}

// TestCheckEveryRune checks that each character which the Unicode standard calls ignorable belongs
// to a class, and is found between letters.
func TestCheckEveryRune(t *testing.T) {
	ignorable := []*unicode.RangeTable{
		unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point, unicode.Bidi_Control,
	}
	for r := range rune(unicode.MaxRune + 1) {
		if r >= 0xD800 && r <= 0xDFFF { // surrogates have no UTF-8 encoding
			continue
		}
		plain := plaintext.Plain("a"+string(r)+"b", plaintext.Lines)
		shown := r == '\n' || r == '\t' || unicode.Is(unicode.Prepended_Concatenation_Mark, r) || !unicode.In(r, ignorable...)
		switch {
		case plain && !shown:
			t.Errorf("%U is legal", r)
		case !plain && shown && !strings.ContainsRune("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffc\U0001D159", r):
			t.Errorf("%U is refused", r)
		}
		if word := plaintext.Plain("a"+string(r)+"b", plaintext.Word); word && (!plain || !unicode.IsPrint(r) && !shown) {
			t.Errorf("%U is legal in a word", r)
		}
	}
}

// TestClassesInDocs compares the table of classes with the table in docs/security.md.
func TestClassesInDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range plaintext.Classes {
		if row := fmt.Sprintf("\n| %s | %s |", c.Name, c.Reason); !strings.Contains(string(page), row) {
			t.Errorf("docs/security.md lacks %q", row)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, text := range legal {
		f.Add(text)
	}
	f.Add("a\u200b\ufe0f1\ufe0f\u20e3\xff\u200d👩\u200d\u202e")
	f.Add("e" + strings.Repeat("\u0301", 8) + "\u200b\u0301\r\u200b\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, form := range []plaintext.Form{plaintext.Lines, plaintext.Line, plaintext.Word} {
			show := []func(string) string{plaintext.Printable, plaintext.OneLine, plaintext.Visible}[form]
			end := 0
			for found := range plaintext.Check(text, form) {
				if found.Offset < end || found.Size < 1 || found.Offset+found.Size > len(text) {
					t.Fatalf("%+q: the finding %+v has a wrong position", text, found)
				}
				end = found.Offset + found.Size
			}
			for _, clean := range []string{show(text), plaintext.Strip(text, form)} {
				if found, bad := plaintext.First(clean, form); bad {
					t.Fatalf("%+q becomes %+q, with %v", text, clean, found)
				}
				if !utf8.ValidString(clean) || show(clean) != clean {
					t.Fatalf("%+q becomes %+q, which is not plain", text, clean)
				}
			}
			if plaintext.Plain(text, form) && show(text) != text {
				t.Fatalf("%+q is plain and changed", text)
			}
		}
	})
}
