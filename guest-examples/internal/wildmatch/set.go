package wildmatch

import "strings"

// set is a bracket expression: the bytes that it matches.
type set [256]bool

func (s *set) has(b byte) bool { return s[b] }

// parseSet parses the bracket expression at the start of text, and returns its length. The length
// is 0 if the expression is not closed or names an unknown class.
func parseSet(text string) (s set, length int) {
	at := 1
	negated := at < len(text) && (text[at] == '!' || text[at] == '^')
	if negated {
		at++
	}
	for first := true; ; first = false {
		if at >= len(text) {
			return s, 0
		}
		if text[at] == ']' && !first {
			at++
			break
		}
		if class, size, found := className(text[at:]); found {
			if !s.addClass(class) {
				return s, 0
			}
			at += size
			continue
		}
		low, size := literal(text[at:])
		if at += size; size == 0 {
			return s, 0
		}
		high := low
		if at+1 < len(text) && text[at] == '-' && text[at+1] != ']' {
			if high, size = literal(text[at+1:]); size == 0 {
				return s, 0
			}
			at += 1 + size
		}
		for b := int(low); b <= int(high); b++ {
			s[b] = true
		}
	}
	if negated {
		for b := range s {
			s[b] = !s[b]
		}
	}
	return s, at
}

// literal returns the byte at the start of text, which a backslash may precede, and the length of
// both. The length is 0 if there is no byte.
func literal(text string) (b byte, length int) {
	if text[0] != '\\' {
		return text[0], 1
	}
	if len(text) == 1 {
		return 0, 0
	}
	return text[1], 2
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

// addClass adds the bytes of a class of POSIX, and reports whether the class exists. Only ASCII
// characters are in a class.
func (s *set) addClass(name string) bool {
	ranges, found := map[string]string{
		"alnum": "09AZaz", "alpha": "AZaz", "blank": "\t\t  ", "cntrl": "\x00\x1f\x7f\x7f", "digit": "09",
		"graph": "!~", "lower": "az", "print": " ~", "punct": "!/:@[`{~", "space": "\t\r  ", "upper": "AZ", "xdigit": "09AFaf",
	}[name]
	for i := 0; i < len(ranges); i += 2 {
		for b := int(ranges[i]); b <= int(ranges[i+1]); b++ {
			s[b] = true
		}
	}
	return found
}
