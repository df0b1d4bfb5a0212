package plaintext

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Form is the purpose of a text, which determines the legal characters.
type Form uint8

// The forms.
const (
	// Lines is prose that may have line breaks and tabs. It is the zero value.
	Lines Form = iota
	// Line is prose on one line, such as a title.
	Line
	// Word is a name, a path or another string that is compared. Its only legal space is U+0020.
	Word
)

// maxMarks limits the number of consecutive combining marks. Four are common in Hebrew and Tibetan,
// and spelling never needs more than six.
const maxMarks = 8

// Finding is an illegal character in a text.
type Finding struct {
	// Offset and Size are its position and length in bytes.
	Offset, Size int
	// Rune is the character. For a byte that is not UTF-8 it is utf8.RuneError, and Size is 1.
	Rune rune
	// Class is the kind of the character and the reason why it is refused.
	Class *Class
}

// String names the character, as in "U+200B, a character without width, which is not shown".
func (f Finding) String() string {
	if f.Class == &notUTF8 {
		return f.Class.Name + ", which " + f.Class.Reason
	}
	return fmt.Sprintf("%U, %s, which %s", f.Rune, f.Class.Name, f.Class.Reason)
}

// Check yields, in order, each character of a text that is invisible, affects a terminal or can be
// mistaken for something else. Every text that reaches a model, a question or a terminal goes
// through Check. Its time is linear in the length of the text.
func Check(s string, form Form) iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		var before rune
		marks := 0
		for i := 0; i < len(s); {
			r, size := rune(s[i]), 1
			if ' ' <= r && r < 0x7F {
				before, marks = r, 0
				i++
				continue
			}
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRuneInString(s[i:])
			}
			if f := flag(s[i:]); f != "" {
				before, _ = utf8.DecodeLastRuneInString(f)
				marks = 0
				i += len(f)
				continue
			}
			class := classOf(place{r, before, s[i+size:]}, size, form)
			switch {
			case class != nil:
				// Do not reset marks: removing r would join the combining marks before and after
				// it.
			case unicode.In(r, unicode.Mn, unicode.Me) && !unicode.Is(unicode.Variation_Selector, r):
				if marks++; marks > maxMarks {
					class = &flood
				}
			default:
				marks = 0
			}
			before = r
			if class != nil {
				before = 0
				if !yield(Finding{i, size, r, class}) {
					return
				}
			}
			i += size
		}
	}
}

// classOf returns the class that refuses a character, or nil.
func classOf(p place, size int, form Form) *Class {
	switch {
	case p.r == utf8.RuneError && size == 1:
		return &notUTF8
	case unicode.IsLetter(p.r) && !fillers(p.r): // fast path for most text
		return nil
	}
	for i := range classes {
		if c := &classes[i]; c.holds(p.r) {
			if c.legal != nil && c.legal(p, form) {
				return nil
			}
			return c
		}
	}
	return nil
}

// First returns the first finding of Check, and whether there is one.
func First(s string, form Form) (Finding, bool) {
	for f := range Check(s, form) {
		return f, true
	}
	return Finding{}, false
}

// Plain reports whether Check finds nothing.
func Plain(s string, form Form) bool {
	_, found := First(s, form)
	return !found
}

// Replace replaces each finding of Check. If the replacements are plain ASCII characters or empty,
// the result is plain.
func Replace(s string, form Form, with func(Finding) string) string {
	var b strings.Builder
	end := 0
	for f := range Check(s, form) {
		b.WriteString(s[end:f.Offset])
		b.WriteString(with(f))
		end = f.Offset + f.Size
	}
	if end == 0 {
		return s
	}
	b.WriteString(s[end:])
	return b.String()
}
