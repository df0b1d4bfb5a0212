// Package lazyregexp compiles regular expressions when they are first used. Compiling all patterns
// of the program takes longer than a short command, which uses few of them.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression that is compiled at its first use. It is safe for concurrent use.
type Pattern struct{ compiled func() *regexp.Regexp }

// New returns the pattern of an expression. An invalid expression panics at the first use, so each
// pattern needs a test.
func New(expression string) Pattern {
	return Pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

// Regexp returns the compiled expression.
func (p Pattern) Regexp() *regexp.Regexp { return p.compiled() }

// MatchString is the method of the compiled expression.
func (p Pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }
