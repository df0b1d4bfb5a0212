package plaintext

import (
	"slices"
	"unicode"
)

// Class is a kind of characters that a text may not hold, or only in some places.
type Class struct {
	// Name is the class in the singular, with its article, such as "a control character".
	Name string
	// Reason completes "it is refused because it ...".
	Reason string
	// holds reports whether a character is of the class.
	holds func(r rune) bool
	// legal reports whether one in this place belongs to a sequence that is shown; nil
	// means never. It is asked only of characters that the class holds.
	legal func(p place, form Form) bool
}

// place is a character with its neighbours.
type place struct {
	r rune
	// before is the character in front when that one is legal, and else 0.
	before rune
	// after is the text behind.
	after string
}

// notUTF8 is the class of bytes, and flood the class of marks, that no single character
// tells.
var (
	notUTF8 = Class{
		Name:   "a byte that is not UTF-8",
		Reason: "is read differently by different programs",
	}
	flood = Class{
		Name:   "a combining mark after eight others",
		Reason: "piles up over the lines around it",
	}
)

// classes is the table: the first class that holds a character decides. Characters of no
// class are legal everywhere. docs/security.md repeats it for readers, and a test compares.
var classes = []Class{
	{
		Name:   "a line break or tab",
		Reason: "makes one line look like several, or one column like two",
		holds:  in('\t', '\n'), legal: func(_ place, form Form) bool { return form == Lines },
	},
	{
		Name:   "a control character",
		Reason: "acts on a terminal",
		holds:  unicode.IsControl, legal: crlf,
	},
	{
		Name:   "a bidirectional control",
		Reason: "shows text in another order than it has",
		holds:  table(unicode.Bidi_Control),
	},
	{
		Name:   "a tag character",
		Reason: "is not shown, and spells words that only a model reads",
		holds:  between(0xE0000, 0xE007F), // those of flags are skipped with their flag
	},
	{
		Name:   "a variation selector",
		Reason: "is not shown, and a row of them spells bytes",
		holds:  table(unicode.Variation_Selector), legal: selects,
	},
	{
		Name:   "a joiner",
		Reason: "is not shown, and makes two texts that look the same differ",
		holds:  in(zwnj, zwj), legal: joins,
	},
	{
		Name:   "a character without width",
		Reason: "is not shown, and makes two texts that look the same differ",
		holds:  in(0x180E, 0x200B, 0x2060, 0xFEFF), legal: separatesVowel,
	},
	{
		Name:   "an invisible operator",
		Reason: "is not shown; a row of the four spells bytes",
		holds:  between(0x2061, 0x2064),
	},
	{
		Name:   "a soft hyphen",
		Reason: "is shown at the end of a line only, and splits words for a model",
		holds:  in(0xAD),
	},
	{
		Name:   "a combining grapheme joiner",
		Reason: "is not shown, and makes two texts that look the same differ",
		holds:  in(0x34F),
	},
	{
		Name:   "a filler",
		Reason: "is shown as nothing or as a space, though it is a letter or a symbol",
		holds:  fillers,
	},
	{
		Name:   "an annotation or object mark",
		Reason: "hides the text that it annotates, or stands for an object that is not there",
		holds:  between(0xFFF9, 0xFFFC),
	},
	{
		Name:   "a line or paragraph separator",
		Reason: "breaks a line for some programs and not for others",
		holds:  in(0x2028, 0x2029),
	},
	{
		Name:   "a private-use character",
		Reason: "means what a font or a program says, and is not shown without it",
		holds:  table(unicode.Co),
	},
	{
		Name:   "a noncharacter",
		Reason: "is not for text; programs drop it or use it as a mark",
		holds:  table(unicode.Noncharacter_Code_Point),
	},
	{
		Name:   "a character of formatting",
		Reason: "is not shown, and changes how text around it is read",
		holds:  formats,
	},
	{
		Name:   "a space other than U+0020",
		Reason: "passes for a plain space in a name or a path",
		holds:  table(unicode.Z),
		legal:  func(p place, form Form) bool { return p.r == ' ' || form != Word },
	},
	{
		Name:   "an unassigned code point",
		Reason: "has no meaning yet, so that a name cannot rest on it",
		holds:  table(unicode.Cn), legal: func(_ place, form Form) bool { return form != Word },
	},
}

// fillers are the only letters that a class holds, with marks and symbols like them.
var fillers = in(0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0x1D159)

func in(runes ...rune) func(rune) bool {
	return func(r rune) bool { return slices.Contains(runes, r) }
}

func between(low, high rune) func(rune) bool {
	return func(r rune) bool { return low <= r && r <= high }
}

func table(t *unicode.RangeTable) func(rune) bool {
	return func(r rune) bool { return unicode.Is(t, r) }
}

// formats reports format characters that have no class of their own, and code points that
// programs leave out although nothing is assigned to them. The marks of Arabic and Syriac
// that stand over the digits after them are shown.
func formats(r rune) bool {
	unassigned := r == 0x2065 || between(0xFFF0, 0xFFF8)(r) || between(0xE0000, 0xE0FFF)(r)
	return unassigned || unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}
