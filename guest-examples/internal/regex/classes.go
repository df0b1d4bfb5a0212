package regex

import (
	"fmt"
	"regexp/syntax"
	"strings"
)

// classes are the members of \w, \d and \s, as they are written in a bracket expression. Text that
// follows must not extend their last member, as the z in [\w-z] would extend a single character.
type classes struct{ word, digit, space string }

var (
	asciiClasses = classes{word: `\w`, digit: `\d`, space: ` \t-\r`}
	// A word consists of characters that are alphabetic, marks, decimal digits, connectors such as
	// _, and joiners. The ranges are the alphabetic symbols, such as Ⓐ; \p{L}, \p{Nl} and \p{M}
	// contain all others.
	unicodeClasses = classes{
		word: `\x{200C}\x{200D}\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189}` +
			`\p{Nl}\p{M}\p{Nd}\p{Pc}\p{L}`,
		digit: `\p{Nd}`,
		space: `\x{85}\t-\r\p{Z}`,
	}
)

// elements are the kinds of elements of an expression for which Unicode matters.
type elements struct{ classes, boundaries bool }

// translate writes the members of \w, \d and \s, and of their negations, into a valid expression.
// It stops when the result is longer than maxWritten.
func translate(expression string, c classes) (string, elements) {
	var out strings.Builder
	var found elements
	inside := false // in a bracket expression
	for rest := expression; rest != "" && out.Len() <= maxWritten; {
		size := 1
		switch {
		case strings.HasPrefix(rest, `\Q`):
			size = len(rest)
			if end := strings.Index(rest, `\E`); end >= 0 {
				size = end + len(`\E`)
			}
		case rest[0] == '\\':
			size = 2
			if members := c.members(rest[1]); members != "" {
				negated := rest[1] < 'a'
				if negated && inside {
					// The negation of the ASCII class has the long s and the Kelvin sign, which
					// match s and k with (?i).
					members = unicodeClasses.members(rest[1])
				}
				out.WriteString(element(members, negated, inside))
				rest, found.classes = rest[2:], true
				continue
			}
			found.boundaries = found.boundaries || rest[1] == 'b' || rest[1] == 'B'
		case inside && strings.HasPrefix(rest, "[:"):
			if end := strings.Index(rest, ":]"); end >= 0 {
				size = end + len(":]")
			}
		case inside:
			inside = rest[0] != ']'
		case rest[0] == '[':
			// A bracket that comes first does not end the expression.
			inside = true
			after := strings.TrimPrefix(strings.TrimPrefix(rest[1:], "^"), "]")
			size = len(rest) - len(after)
		}
		out.WriteString(rest[:size])
		rest = rest[size:]
	}
	return out.String(), found
}

// members returns the members of the class with this letter, in either case, or "".
func (c classes) members(letter byte) string {
	switch letter {
	case 'w', 'W':
		return c.word
	case 'd', 'D':
		return c.digit
	case 's', 'S':
		return c.space
	}
	return ""
}

// element writes a class. In a bracket expression, a negated class is written as its ranges.
func element(members string, negated, inside bool) string {
	switch {
	case inside && !negated:
		return members
	case !negated:
		return "[" + members + "]"
	case !inside:
		return "[^" + members + "]"
	}
	var out strings.Builder
	ranges := runes("[^" + members + "]")
	for i := 0; i < len(ranges); i += 2 {
		fmt.Fprintf(&out, `\x{%x}-\x{%x}`, ranges[i], ranges[i+1])
	}
	return out.String()
}

// runes returns the ranges of a valid bracket expression: pairs of the first and the last rune, in
// order.
func runes(bracket string) []rune {
	tree, err := syntax.Parse(bracket, syntax.Perl)
	if err != nil {
		panic(err) // only the classes of this package are passed
	}
	return tree.Rune
}
