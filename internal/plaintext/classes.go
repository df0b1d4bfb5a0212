package plaintext

import (
	"slices"
	"unicode"
)

// Class is a kind of character that a text must not contain, at least in some places.
type Class struct {
	// Name is the name of the class in the singular, such as "a control character".
	Name string
	// Reason completes "it is refused because it ...".
	Reason string
	// holds reports whether a character belongs to the class.
	holds func(r rune) bool
	// legal reports whether a character of the class is legal in this place, for example because it
	// belongs to a visible sequence. nil means never.
	legal func(p place, form Form) bool
}

// place is a character with its neighbours.
type place struct {
	r      rune
	before rune   // the preceding character if it is legal; otherwise 0
	after  string // the rest of the text
}

// notUTF8 and flood are classes that do not depend on the character alone.
var (
	notUTF8 = Class{
		Name:   "a byte that is not UTF-8",
		Reason: "is read differently by different programs",
	}
	flood = Class{
		Name:   "a combining mark after eight others",
		Reason: "covers the lines above and below",
	}
)

// classes is the table of classes. The first class that contains a character decides about it.
// Characters without a class are legal everywhere. docs/security.md documents the table, and a test
// compares the two.
var classes = []Class{
	{
		Name:   "a line break or tab",
		Reason: "makes one line look like several, or one column like two",
		holds:  in('\t', '\n'), legal: func(_ place, form Form) bool { return form == Lines },
	},
	{
		Name:   "a control character",
		Reason: "has an effect on a terminal",
		holds:  unicode.IsControl, legal: crlf,
	},
	{
		Name:   "a bidirectional control",
		Reason: "shows text in an order that is not the order of its characters",
		holds:  table(unicode.Bidi_Control),
	},
	{
		Name:   "a tag character",
		Reason: "is not shown, and spells words that only a model reads",
		holds:  between(0xE0000, 0xE007F), // Check skips a flag with its tags
	},
	{
		Name:   "a variation selector",
		Reason: "is not shown, and a sequence of them spells bytes",
		holds:  table(unicode.Variation_Selector), legal: selects,
	},
	{
		Name:   "a joiner",
		Reason: "is not shown, so texts that look the same can differ",
		holds:  in(zwnj, zwj), legal: joins,
	},
	{
		Name:   "a character without width",
		Reason: "is not shown, so texts that look the same can differ",
		holds:  in(0x180E, 0x200B, 0x2060, 0xFEFF), legal: separatesVowel,
	},
	{
		Name:   "an invisible operator",
		Reason: "is not shown; a sequence of the four spells bytes",
		holds:  between(0x2061, 0x2064),
	},
	{
		Name:   "a soft hyphen",
		Reason: "is shown only at the end of a line, and splits words for a model",
		holds:  in(0xAD),
	},
	{
		Name:   "a combining grapheme joiner",
		Reason: "is not shown, so texts that look the same can differ",
		holds:  in(0x34F),
	},
	{
		Name:   "a filler",
		Reason: "is not shown or shown as a space, although it is a letter or a symbol",
		holds:  fillers,
	},
	{
		Name:   "an annotation or object mark",
		Reason: "hides the text that it annotates, or stands for a missing object",
		holds:  between(0xFFF9, 0xFFFC),
	},
	{
		Name:   "a line or paragraph separator",
		Reason: "breaks a line for some programs and not for others",
		holds:  in(0x2028, 0x2029),
	},
	{
		Name:   "a private-use character",
		Reason: "has a meaning only in a certain font or program, and is not shown elsewhere",
		holds:  table(unicode.Co),
	},
	{
		Name:   "a noncharacter",
		Reason: "is not intended for text; programs drop it or use it as a mark",
		holds:  table(unicode.Noncharacter_Code_Point),
	},
	{
		Name:   "a formatting character",
		Reason: "is not shown, and changes how the text around it is read",
		holds:  formats,
	},
	{
		Name:   "a space other than U+0020",
		Reason: "looks like a plain space in a name or a path",
		holds:  table(unicode.Z),
		legal:  func(p place, form Form) bool { return p.r == ' ' || form != Word },
	},
	{
		Name:   "an unassigned code point",
		Reason: "has no meaning yet, so a name should not depend on it",
		holds:  table(unicode.Cn), legal: func(_ place, form Form) bool { return form != Word },
	},
}

// fillers reports whether a character is a letter that is refused, or one of some similar marks and
// symbols. No other letter belongs to a class.
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

// formats reports whether a character is a format character without a class of its own, or an
// unassigned code point that programs ignore. It returns false for the Arabic and Syriac marks over
// digits, because they are visible.
func formats(r rune) bool {
	unassigned := r == 0x2065 || between(0xFFF0, 0xFFF8)(r) || between(0xE0000, 0xE0FFF)(r)
	return unassigned || unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}
