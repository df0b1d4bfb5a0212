package stringtool

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// title makes the first letter of each word upper-case. An apostrophe is part of a word, as in
// "O'Neill's".
func title(text string) string {
	inWord := false
	return strings.Map(func(r rune) rune {
		began := inWord
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		inWord = letter || inWord && (r == '\'' || r == '’' || unicode.Is(unicode.M, r))
		switch {
		case !letter:
			return r
		case began:
			return unicode.ToLower(r)
		default:
			return unicode.ToTitle(r)
		}
	}, text)
}

// capitalize makes the first letter upper-case and all others lower-case.
func capitalize(text string) string {
	at := strings.IndexFunc(text, unicode.IsLetter)
	if at < 0 {
		return text
	}
	first, size := utf8.DecodeRuneInString(text[at:])
	return text[:at] + string(unicode.ToTitle(first)) + strings.ToLower(text[at+size:])
}

// words splits a text, which may be an identifier, into words. It splits at characters other than
// letters and digits, and at changes of case: "parseHTTPRequest2" is parse, HTTP, Request2.
func words(text string) []string {
	var all []string
	runes := []rune(text)
	start := 0
	cut := func(end int) {
		if start < end {
			all = append(all, string(runes[start:end]))
		}
		start = end
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r):
			cut(i)
			start = i + 1
		case i > start && unicode.IsUpper(r):
			next := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if !unicode.IsUpper(runes[i-1]) || next {
				cut(i)
			}
		}
	}
	cut(len(runes))
	return all
}

// joined applies change to each word of a text, and joins the results.
func joined(text, separator string, change func(i int, word string) string) string {
	all := words(text)
	for i, word := range all {
		all[i] = change(i, word)
	}
	return strings.Join(all, separator)
}

func lowered(_ int, word string) string { return strings.ToLower(word) }

func snake(text string) string { return joined(text, "_", lowered) }

func kebab(text string) string { return joined(text, "-", lowered) }

func constant(text string) string { return strings.ToUpper(snake(text)) }

func pascal(text string) string {
	return joined(text, "", func(_ int, word string) string { return capitalize(word) })
}

func camel(text string) string {
	return joined(text, "", func(i int, word string) string {
		if i == 0 {
			return strings.ToLower(word)
		}
		return capitalize(word)
	})
}

// spelled replaces letters whose plain spelling is more than the letter without its accent.
var spelled = strings.NewReplacer("ß", "ss", "ẞ", "SS", "æ", "ae", "Æ", "AE", "œ", "oe", "Œ", "OE", "ø", "o", "Ø", "O",
	"ł", "l", "Ł", "L", "đ", "d", "Đ", "D", "ð", "d", "Ð", "D", "þ", "th", "Þ", "TH", "ı", "i", "'", "", "’", "")

// slug returns a text for use in a URL: lower-case words that are joined by hyphens. Latin letters
// lose their accents; letters of other scripts are kept.
func slug(text string) string {
	var b strings.Builder
	latin, hyphen := false, false
	for _, r := range norm.NFD.String(spelled.Replace(text)) {
		switch {
		case unicode.Is(unicode.M, r):
			if !latin {
				b.WriteRune(r)
			}
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if hyphen && b.Len() > 0 {
				b.WriteByte('-')
			}
			hyphen = false
			latin = unicode.Is(unicode.Latin, r)
			b.WriteRune(unicode.ToLower(r))
		default:
			hyphen, latin = true, true // a mark that follows has no letter to combine with
		}
	}
	return norm.NFC.String(b.String())
}
