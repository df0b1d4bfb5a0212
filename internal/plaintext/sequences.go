package plaintext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	zwnj   = 0x200C
	zwj    = 0x200D
	vs1    = 0xFE00
	vs3    = 0xFE02
	vs15   = 0xFE0E // selects the text form of a symbol
	vs16   = 0xFE0F // selects the emoji form of a symbol
	keycap = 0x20E3
)

// subdivisionFlags lists the flags that are spelled in tag characters: the three that Unicode
// recommends and that fonts have. Any other sequence of tags shows a plain black flag and hides its
// letters.
var subdivisionFlags = []string{flagOf("gbeng"), flagOf("gbsct"), flagOf("gbwls")}

// flagOf returns the flag of a region.
func flagOf(region string) string {
	const blackFlag, tags, end = "\U0001F3F4", 0xE0000, "\U000E007F"
	return blackFlag + strings.Map(func(r rune) rune { return tags + r }, region) + end
}

// flag returns the flag that a text begins with, or "".
func flag(text string) string {
	for _, f := range subdivisionFlags {
		if strings.HasPrefix(text, f) {
			return f
		}
	}
	return ""
}

// isPictograph reports whether r is a symbol that emoji are made of, or looks like such a symbol.
func isPictograph(r rune) bool { return loneSigns(r) || unicode.Is(rowsOfSigns, r) }

var loneSigns = in(
	0xA9, 0xAE, 0x203C, 0x2049, 0x2122, 0x2139, 0x2328, 0x2388, 0x23CF, 0x24C2, 0x25B6, 0x25C0,
	0x2B50, 0x2B55, 0x3030, 0x303D, 0x3297, 0x3299,
)

var rowsOfSigns = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x2194, 0x2199, 1},
		{0x21A9, 0x21AA, 1},
		{0x231A, 0x231B, 1},
		{0x23E9, 0x23F3, 1},
		{0x23F8, 0x23FA, 1},
		{0x25AA, 0x25AB, 1},
		{0x25FB, 0x25FE, 1},
		{0x2600, 0x27BF, 1},
		{0x2934, 0x2935, 1},
		{0x2B05, 0x2B07, 1},
		{0x2B1B, 0x2B1C, 1},
	},
	R32: []unicode.Range32{
		{0x1F000, 0x1F1E5, 1}, {0x1F200, 0x1F3FA, 1}, {0x1F400, 0x1FAFF, 1},
	},
}

// isSkinTone reports whether r is one of the five modifiers that colour the preceding emoji.
func isSkinTone(r rune) bool { return 0x1F3FB <= r && r <= 0x1F3FF }

// joining lists the scripts whose spelling needs joiners.
var joining = []*unicode.RangeTable{
	unicode.Adlam, unicode.Arabic, unicode.Bengali, unicode.Devanagari, unicode.Grantha,
	unicode.Gujarati, unicode.Gurmukhi, unicode.Hanifi_Rohingya, unicode.Kannada, unicode.Khmer, unicode.Malayalam,
	unicode.Mandaic, unicode.Mongolian, unicode.Myanmar, unicode.Nko, unicode.Oriya, unicode.Phags_Pa,
	unicode.Sinhala, unicode.Syriac, unicode.Tamil, unicode.Telugu, unicode.Tibetan,
}

// viramas reports whether a character is a sign that joins the letters around it. After such a
// sign, a joiner may be at the end of a word.
var viramas = in(
	0x94D, 0x9CD, 0xA4D, 0xACD, 0xB4D, 0xBCD, 0xC4D, 0xCCD, 0xD4D, 0xDCA,
	0x1039, 0x103A, 0x17D2, 0x1134D,
)

func ofWord(r rune) bool { return unicode.In(r, unicode.L, unicode.M) }

// crlf reports whether p is the carriage return of a CRLF line end.
func crlf(p place, form Form) bool {
	return form == Lines && p.r == '\r' && strings.HasPrefix(p.after, "\n")
}

// selects reports whether p is a variation selector after a character that has variants.
func selects(p place, _ Form) bool {
	switch {
	case p.r == vs16 && strings.ContainsRune("0123456789#*", p.before):
		return next(p.after) == keycap
	case p.r == vs15 || p.r == vs16:
		return isPictograph(p.before)
	case 0xE0100 <= p.r && p.r <= 0xE01EF:
		return unicode.Is(unicode.Ideographic, p.before)
	case p.r == vs1 && p.before >= utf8.RuneSelf &&
		unicode.In(p.before, unicode.Myanmar, unicode.Phags_Pa, unicode.Sm):
		return true
	case vs1 <= p.r && p.r <= vs3:
		return unicode.Is(unicode.Ideographic, p.before)
	}
	return 0x180B <= p.r && p.r <= 0x180F && isMongolian(p.before)
}

// joins reports whether p is a joiner in an emoji, or between letters of a script that needs
// joiners.
func joins(p place, _ Form) bool {
	after := next(p.after)
	const endOfTags = 0xE007F // this tag is legal only at the end of a flag
	emoji := p.before == vs16 || p.before == endOfTags || isSkinTone(p.before) ||
		isPictograph(p.before)
	if emoji {
		return p.r == zwj && isPictograph(after)
	}
	return unicode.In(p.before, joining...) && ofWord(p.before) &&
		(viramas(p.before) || unicode.In(after, joining...) && ofWord(after))
}

// separatesVowel reports whether p is the Mongolian vowel separator between two letters.
func separatesVowel(p place, _ Form) bool {
	return p.r == 0x180E && isMongolian(p.before) && isMongolian(next(p.after))
}

func isMongolian(r rune) bool { return unicode.Is(unicode.Mongolian, r) && unicode.IsLetter(r) }

// next returns the first character of a string, or 0 if it is empty.
func next(text string) rune {
	r, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return 0
	}
	return r
}
