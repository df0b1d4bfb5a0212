package wildmatch

import (
	"fmt"
	"slices"
	"strings"
)

// set is a bracket expression.
type set struct {
	negated bool
	ranges  []span
}

// span is a range of characters. It includes both ends.
type span struct{ low, high rune }

func (s set) has(r rune) bool {
	return s.negated != slices.ContainsFunc(s.ranges, func(p span) bool { return p.low <= r && r <= p.high })
}

// isOnlySlash reports whether the set has only slashes, which no bracket expression matches.
func (s set) isOnlySlash() bool {
	return !s.negated && !slices.ContainsFunc(s.ranges, func(p span) bool { return p != span{'/', '/'} })
}

// parseSet parses the bracket expression at the start of text, and returns its length. The problem
// is "" or says why text does not begin with a bracket expression.
func parseSet(text string, first decode) (s set, length int, problem string) {
	const notClosed = "a [ is not closed; put a \\ before a literal one"
	at := 1
	if at < len(text) && (text[at] == '!' || text[at] == '^') {
		s.negated = true
		at++
	}
	for start := at; at == start || at < len(text) && text[at] != ']'; {
		if at >= len(text) {
			return s, 0, notClosed
		}
		if class, size, found := className(text[at:]); found {
			ranges, known := classes(class)
			if !known {
				return s, 0, fmt.Sprintf("there is no class [:%.20s:]; use alnum, alpha, blank, cntrl, digit, graph, lower, print, punct, space, upper or xdigit", class)
			}
			s.ranges = append(s.ranges, ranges...)
			at += size
			continue
		}
		low, size := literal(text[at:], first)
		if at += size; size == 0 {
			return s, 0, notClosed
		}
		high := low
		if at+1 < len(text) && text[at] == '-' && text[at+1] != ']' {
			if high, size = literal(text[at+1:], first); size == 0 {
				return s, 0, notClosed
			}
			at += 1 + size
		}
		s.ranges = append(s.ranges, span{low, high})
	}
	if at >= len(text) {
		return s, 0, notClosed
	}
	return s, at + 1, ""
}

// literal returns the character at the start of text, which a backslash may precede, and the length
// of both. The length is 0 if there is no character.
func literal(text string, first decode) (r rune, length int) {
	if text[0] != '\\' {
		return first(text)
	}
	if len(text) == 1 {
		return 0, 0
	}
	r, size := first(text[1:])
	return r, 1 + size
}

// className returns the name of the class [:name:] at the start of text, and the length of the
// class. Other text that begins with a bracket is literal.
func className(text string) (name string, length int, found bool) {
	inner, found := strings.CutPrefix(text, "[:")
	if !found {
		return "", 0, false
	}
	end := strings.IndexByte(inner, ']')
	if end < 1 || inner[end-1] != ':' {
		return "", 0, false
	}
	return inner[:end-1], len("[:") + end + 1, true
}

// classes returns the characters of a class of POSIX. Only ASCII characters are in a class.
func classes(name string) (ranges []span, known bool) {
	ends, known := map[string]string{
		"alnum": "09AZaz", "alpha": "AZaz", "blank": "\t\t  ", "cntrl": "\x00\x1f\x7f\x7f", "digit": "09",
		"graph": "!~", "lower": "az", "print": " ~", "punct": "!/:@[`{~", "space": "\t\r  ", "upper": "AZ", "xdigit": "09AFaf",
	}[name]
	for i := 0; i < len(ends); i += 2 {
		ranges = append(ranges, span{rune(ends[i]), rune(ends[i+1])})
	}
	return ranges, known
}
