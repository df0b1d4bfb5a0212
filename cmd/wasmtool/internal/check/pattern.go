package check

import (
	"regexp/syntax"
	"strings"
	"unicode"
)

// maxRepeat limits what a generated string repeats of a pattern beyond its minimum.
const maxRepeat = 4

// matching returns a string that matches a pattern in most cases. ok is false for a pattern that
// cannot be read.
func (g *generator) matching(pattern string) (text string, ok bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	g.match(&b, re.Simplify())
	return b.String(), true
}

// match writes a string that matches re. It ignores what re says about the text around the match.
func (g *generator) match(b *strings.Builder, re *syntax.Regexp) {
	times := 1
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			b.WriteRune(r)
		}
		return
	case syntax.OpCharClass:
		b.WriteRune(g.member(re.Rune))
		return
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteRune([]rune("a0 é漢-")[g.rand.IntN(6)])
		return
	case syntax.OpAlternate:
		g.match(b, re.Sub[g.rand.IntN(len(re.Sub))])
		return
	case syntax.OpStar:
		times = g.rand.IntN(maxRepeat)
	case syntax.OpPlus:
		times = 1 + g.rand.IntN(maxRepeat)
	case syntax.OpQuest:
		times = g.rand.IntN(2)
	}
	for range times {
		for _, sub := range re.Sub {
			g.match(b, sub)
		}
	}
}

// member returns a character of a class, which is a list of ranges: a printable one if the first
// tries find one.
func (g *generator) member(ranges []rune) rune {
	var r rune
	for range 8 {
		i := 2 * g.rand.IntN(len(ranges)/2)
		low, high := ranges[i], ranges[i+1]
		if high > unicode.MaxASCII && low <= unicode.MaxASCII {
			high = unicode.MaxASCII
		}
		if r = low + g.rand.Int32N(high-low+1); unicode.IsPrint(r) {
			break
		}
	}
	return r
}
