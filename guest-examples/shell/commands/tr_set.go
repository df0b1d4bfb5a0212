package commands

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// trSet is a set of tr: its bytes in order.
type trSet []byte

// maxSet limits the length of a set in bytes, because a repetition such as [x*99999] can be very
// long.
const maxSet = 1 << 16

// parseSet parses a set: ranges, classes such as [:upper:], [x*N], [=x=] and escapes. [x*] fills
// the set to the length in the parameter want; -1 forbids [x*].
func parseSet(text string, want int) (trSet, error) {
	var set trSet
	fill, fillAt := byte(0), -1
	for text != "" {
		if class, rest, ok := cutClass(text); ok {
			members := classMembers(class)
			if members == nil {
				return nil, fmt.Errorf("invalid character class '%s'", class)
			}
			set, text = append(set, members...), rest
			continue
		}
		if strings.HasPrefix(text, "[=") && len(text) >= 5 && text[3:5] == "=]" {
			set, text = append(set, text[2]), text[5:]
			continue
		}
		if b, n, rest, ok := cutRepeat(text); ok {
			if n == 0 {
				if want < 0 {
					return nil, errors.New("the [c*] repeat construct may appear in string2 only when translating")
				}
				fill, fillAt = b, len(set)
			}
			if len(set)+n > maxSet {
				return nil, fmt.Errorf("a set has more than the limit of %d characters", maxSet)
			}
			for range n {
				set = append(set, b)
			}
			text = rest
			continue
		}
		b, rest := cutByte(text)
		if len(rest) > 1 && rest[0] == '-' {
			to, after := cutByte(rest[1:])
			if to < b {
				return nil, fmt.Errorf("range-endpoints of '%s' are in reverse collating sequence order", text[:len(text)-len(after)])
			}
			for c := int(b); c <= int(to); c++ {
				set = append(set, byte(c))
			}
			text = after
			continue
		}
		set, text = append(set, b), rest
	}
	if fillAt >= 0 {
		var padding trSet
		for len(set)+len(padding) < want {
			padding = append(padding, fill)
		}
		set = append(set[:fillAt:fillAt], append(padding, set[fillAt:]...)...)
	}
	return set, nil
}

func cutClass(text string) (class, rest string, ok bool) {
	if !strings.HasPrefix(text, "[:") {
		return "", text, false
	}
	return strings.Cut(text[2:], ":]")
}

// cutRepeat parses a repetition [x*N] at the start of text. An n of 0 means that x fills the set.
func cutRepeat(text string) (b byte, n int, rest string, ok bool) {
	if len(text) < 4 || text[0] != '[' {
		return 0, 0, text, false
	}
	b, after := cutByte(text[1:])
	digits, rest, ok := strings.Cut(after, "]")
	if !ok || !strings.HasPrefix(digits, "*") {
		return 0, 0, text, false
	}
	if digits = digits[1:]; digits == "" {
		return b, 0, rest, true
	}
	base := 10
	if digits[0] == '0' {
		base = 8
	}
	count, err := strconv.ParseUint(digits, base, 31)
	if err != nil {
		return 0, 0, text, false
	}
	return b, int(count), rest, true
}

// cutByte parses a byte or an escape at the start of text, and returns the rest of text.
func cutByte(text string) (byte, string) {
	if text[0] != '\\' || len(text) == 1 {
		return text[0], text[1:]
	}
	if i := strings.IndexByte("abfnrtv\\", text[1]); i >= 0 {
		return "\a\b\f\n\r\t\v\\"[i], text[2:]
	}
	n := 1
	for n < 4 && n < len(text) && text[n] >= '0' && text[n] <= '7' {
		n++
	}
	if n == 1 {
		return text[1], text[2:]
	}
	value, err := strconv.ParseUint(text[1:n], 8, 8)
	if err != nil { // \400 and above mean an escape of two digits and a character
		n--
		value, _ = strconv.ParseUint(text[1:n], 8, 8)
	}
	return byte(value), text[n:]
}

// classMembers returns the bytes of a character class in order, or nil if the class is unknown.
func classMembers(class string) trSet {
	in := map[string]func(byte) bool{
		"alnum": isAlnum, "alpha": isAlpha, "digit": isDigit,
		"blank":  func(b byte) bool { return b == ' ' || b == '\t' },
		"cntrl":  func(b byte) bool { return b < ' ' || b == 0x7f },
		"graph":  func(b byte) bool { return b > ' ' && b < 0x7f },
		"lower":  func(b byte) bool { return b >= 'a' && b <= 'z' },
		"print":  func(b byte) bool { return b >= ' ' && b < 0x7f },
		"punct":  func(b byte) bool { return b > ' ' && b < 0x7f && !isAlnum(b) },
		"space":  func(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' },
		"upper":  func(b byte) bool { return b >= 'A' && b <= 'Z' },
		"xdigit": func(b byte) bool { return isDigit(b) || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F' },
	}[class]
	if in == nil {
		return nil
	}
	var set trSet
	for b := range 256 {
		if in(byte(b)) {
			set = append(set, byte(b))
		}
	}
	return set
}

func (s trSet) complement() trSet {
	var has [256]bool
	for _, b := range s {
		has[b] = true
	}
	var out trSet
	for b := range 256 {
		if !has[b] {
			out = append(out, byte(b))
		}
	}
	return out
}
