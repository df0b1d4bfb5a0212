package regex

import (
	"errors"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// ErrManyLetters is the error for an expression with \b or \B that distinguishes more characters
// than [Compile] supports.
var ErrManyLetters = errors.New(`with \b (whole words), a pattern can distinguish at most 62 letters and 63 other characters; ` +
	`use fewer different characters, or search without \b`)

// An alphabet makes \b know all scripts. Package regexp decides by ASCII letters alone, so the
// alphabet writes an ASCII character for each character of a text: a letter, a digit or _ for a
// character of a word, and another one for any other. Characters that the expression does not
// distinguish share their ASCII character. The expression is rewritten in the same way, and then
// matches the written text exactly where the original matches the text.
type alphabet struct {
	starts []rune // the first rune of each interval, in order; the first is 0
	signs  []byte // what is written for the runes of the interval
	ascii  [utf8.RuneSelf]byte
}

// Characters that can be written. A line feed stands only for itself, because ^, $ and . know it.
const (
	wordSigns  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
	otherSigns = " !\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\v\f\r\x0e\x0f" +
		"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f"
)

// newAlphabet returns the alphabet for an expression.
func newAlphabet(tree *syntax.Regexp) (*alphabet, error) {
	sets := distinguished(tree, [][]rune{runes("[" + unicodeClasses.word + "]"), {'\n', '\n'}})
	if len(sets) > 2*utf8.RuneSelf {
		return nil, ErrManyLetters
	}
	starts := []rune{0}
	for _, set := range sets {
		for i := 0; i < len(set); i += 2 {
			starts = append(starts, set[i], set[i+1]+1)
		}
	}
	slices.Sort(starts)
	starts = slices.DeleteFunc(slices.Compact(starts), func(r rune) bool { return r > unicode.MaxRune })
	a := &alphabet{starts: starts}
	known := map[string]byte{} // by the sets that contain the character
	words, others, lineFeed := wordSigns, otherSigns, "\n"
	membership := make([]byte, len(sets))
	at := make([]int, len(sets)) // in each set, the first bound that is not before the interval
	for _, start := range a.starts {
		for i, set := range sets {
			for at[i] < len(set) && set[at[i]] < start {
				at[i]++
			}
			membership[i] = 0
			if at[i]%2 == 1 || at[i] < len(set) && set[at[i]] == start {
				membership[i] = 1
			}
		}
		sign, ok := known[string(membership)]
		if !ok {
			unused := &others
			switch {
			case start == '\n':
				unused = &lineFeed
			case membership[0] == 1:
				unused = &words
			}
			if *unused == "" {
				return nil, ErrManyLetters
			}
			sign, *unused = (*unused)[0], (*unused)[1:]
			known[string(membership)] = sign
		}
		a.signs = append(a.signs, sign)
	}
	for r := range rune(utf8.RuneSelf) {
		a.ascii[r] = a.signs[a.interval(r)]
	}
	return a, nil
}

// distinguished appends to sets each set of characters that tree distinguishes from others, once.
func distinguished(tree *syntax.Regexp, sets [][]rune) [][]rune {
	add := func(set []rune) {
		if !slices.ContainsFunc(sets, func(s []rune) bool { return slices.Equal(s, set) }) {
			sets = append(sets, set)
		}
	}
	switch tree.Op {
	case syntax.OpLiteral:
		for _, r := range tree.Rune {
			add(literal(r, tree.Flags))
		}
	case syntax.OpCharClass:
		add(tree.Rune)
	}
	for _, sub := range tree.Sub {
		sets = distinguished(sub, sets)
	}
	return sets
}

// literal returns the ranges of the characters that a literal character matches.
func literal(r rune, flags syntax.Flags) []rune {
	set := []rune{r, r}
	if flags&syntax.FoldCase != 0 {
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			set = append(set, f, f)
		}
		slices.Sort(set)
	}
	return set
}

// contains reports whether a set of ranges in order contains r.
func contains(set []rune, r rune) bool {
	at, found := slices.BinarySearch(set, r)
	return found || at%2 == 1
}

// interval returns the index of the interval that contains r.
func (a *alphabet) interval(r rune) int {
	at, found := slices.BinarySearch(a.starts, r)
	if found {
		return at
	}
	return at - 1
}

// tree returns an expression rewritten in the alphabet.
func (a *alphabet) tree(tree *syntax.Regexp) *syntax.Regexp {
	switch tree.Op {
	case syntax.OpLiteral:
		all := &syntax.Regexp{Op: syntax.OpConcat, Flags: syntax.Perl}
		for _, r := range tree.Rune {
			all.Sub = append(all.Sub, a.class(literal(r, tree.Flags)))
		}
		return all
	case syntax.OpCharClass:
		return a.class(tree.Rune)
	}
	rewritten := *tree
	rewritten.Sub = make([]*syntax.Regexp, len(tree.Sub))
	for i, sub := range tree.Sub {
		rewritten.Sub[i] = a.tree(sub)
	}
	return &rewritten
}

// class returns the expression that matches what is written for the characters of a set.
func (a *alphabet) class(set []rune) *syntax.Regexp {
	var signs []byte
	for i, start := range a.starts {
		if contains(set, start) {
			signs = append(signs, a.signs[i])
		}
	}
	if len(signs) == 0 {
		return &syntax.Regexp{Op: syntax.OpNoMatch}
	}
	slices.Sort(signs)
	class := &syntax.Regexp{Op: syntax.OpCharClass, Flags: syntax.Perl}
	for _, sign := range slices.Compact(signs) {
		class.Rune = append(class.Rune, rune(sign), rune(sign))
	}
	return class
}

// write appends to out one byte for each character of text. As in package regexp, each byte that is
// not valid UTF-8 is a character U+FFFD.
func (a *alphabet) write(out, text []byte) []byte {
	first, next, sign := rune(0), rune(0), byte(0) // the last interval
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			out = append(out, a.ascii[c])
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		i += size
		if r < first || r >= next {
			at := a.interval(r)
			first, next, sign = a.starts[at], unicode.MaxRune+1, a.signs[at]
			if at+1 < len(a.starts) {
				next = a.starts[at+1]
			}
		}
		out = append(out, sign)
	}
	return out
}

// places turns the positions of matches from characters into bytes of text.
func places(text []byte, matches [][]int) {
	offsets := make([]int, 0, len(text)+1)
	for i := 0; i < len(text); {
		offsets = append(offsets, i)
		_, size := utf8.DecodeRune(text[i:])
		i += size
	}
	offsets = append(offsets, len(text))
	for _, match := range matches {
		for i, at := range match {
			if at >= 0 {
				match[i] = offsets[at]
			}
		}
	}
}
