package grep

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxLiterals limits the number of literals that are searched for one by one. For more literals the
// regular expression is equally fast.
const maxLiterals = 8

// literals are strings; each line that the pattern matches contains at least one of them. Searching
// for the strings is many times faster than matching the pattern, especially in a sandbox.
type literals struct {
	texts [][]byte // empty means that no literals are known
	// fold reports that the search for the strings ignores the case of ASCII letters. The strings
	// are then in lower case.
	fold bool
}

// required returns literals of which each match of tree contains at least one.
func required(tree *syntax.Regexp) literals {
	switch tree.Op {
	case syntax.OpLiteral:
		// U+FFFD also matches bytes that are not UTF-8.
		if slices.ContainsFunc(tree.Rune, func(r rune) bool { return r == utf8.RuneError || !utf8.ValidRune(r) }) {
			return literals{}
		}
		if tree.Flags&syntax.FoldCase == 0 {
			return literals{texts: [][]byte{[]byte(string(tree.Rune))}}
		}
		if part := foldable(tree.Rune); part != "" {
			return literals{texts: [][]byte{[]byte(part)}, fold: true}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(tree.Sub[0])
	case syntax.OpRepeat:
		if tree.Min > 0 {
			return required(tree.Sub[0])
		}
	case syntax.OpConcat:
		var best literals
		for _, sub := range tree.Sub {
			if l := required(sub); l.rarity() > best.rarity() {
				best = l
			}
		}
		return best
	case syntax.OpAlternate:
		return anyOf(tree.Sub)
	}
	return literals{}
}

// anyOf combines the literals of all alternatives.
func anyOf(alternatives []*syntax.Regexp) literals {
	var all literals
	for _, sub := range alternatives {
		l := required(sub)
		if len(l.texts) == 0 {
			return literals{}
		}
		all.texts = append(all.texts, l.texts...)
		all.fold = all.fold || l.fold
	}
	if len(all.texts) > maxLiterals {
		return literals{}
	}
	if all.fold {
		for i, text := range all.texts {
			all.texts[i] = bytes.Map(asciiLower, text)
		}
	}
	return all
}

// rarity estimates how rarely l occurs, by the length of its shortest string.
func (l literals) rarity() int {
	if len(l.texts) == 0 {
		return 0
	}
	shortest := len(l.texts[0])
	for _, text := range l.texts {
		shortest = min(shortest, len(text))
	}
	return shortest
}

// foldable returns, in lower case, the longest part of a case-insensitive literal that matches only
// ASCII text. The part contains no K or S, because these also match the Kelvin sign and the long
// s.
func foldable(runes []rune) string {
	parts := strings.FieldsFunc(strings.ToLower(string(runes)), func(r rune) bool {
		return r > 0x7f || r == 'k' || r == 's'
	})
	longest := ""
	for _, part := range parts {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

func asciiLower(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r - 'A' + 'a'
	}
	return r
}
