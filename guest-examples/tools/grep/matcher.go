package grep

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"

	"github.com/wasmtool/wasmtool/guest-examples/internal/bytescan"
	"github.com/wasmtool/wasmtool/guest-examples/internal/regex"
	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
)

// maxPattern limits the length of a pattern, in bytes.
const maxPattern = 4096

// matcher reports which lines match a pattern.
type matcher struct {
	re *regex.Regexp
	// needles are strings; each matching line contains at least one of them. If needles is empty,
	// no such strings are known.
	needles []bytescan.Needle
	// certain reports that every line that contains a needle matches.
	certain bool
}

// compile returns the matcher for pattern. The message of an error is written for a model.
func compile(pattern string, ignoreCase, literal, word bool) (*matcher, error) {
	if pattern == "" {
		return nil, errors.New(`the argument "pattern" is empty`)
	}
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf(`the argument "pattern" is longer than %d bytes; use a shorter pattern`, maxPattern)
	}
	if literal {
		pattern = regexp.QuoteMeta(pattern)
	}
	if word {
		// The pattern must also be valid without the parentheses that we add: an unmatched
		// parenthesis in the pattern would close ours.
		if _, err := syntax.Parse(pattern, syntax.Perl); err != nil {
			return nil, explain(err)
		}
		pattern = `\b(?:` + pattern + `)\b`
	}
	if ignoreCase {
		pattern = "(?i)" + pattern
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, explain(err)
	}
	if breaksLines(tree) {
		return nil, errors.New(`the argument "pattern" contains a line break, but grep matches within lines; search for one line and set context to see the lines around it`)
	}
	re, err := regex.Compile(pattern)
	if err != nil {
		return nil, explain(err)
	}
	m := &matcher{re: re}
	literals := required(tree)
	for _, literal := range literals.texts {
		m.needles = append(m.needles, bytescan.NewNeedle(literal, literals.fold))
	}
	m.certain = len(m.needles) > 0 && !literals.fold && tree.Op == syntax.OpLiteral
	return m, nil
}

// lacks reports whether no line of content can match, because content contains no needle. Most
// files need no other check. lacks does not determine whether the file is binary or how it is
// encoded.
func (m *matcher) lacks(content []byte) bool {
	if len(m.needles) == 0 || text.IsUTF16(content) {
		return false
	}
	for _, n := range m.needles {
		if n.Index(content) >= 0 {
			return false
		}
	}
	return true
}

// explain rewords an error of the regexp parser.
func explain(err error) error {
	var parse *syntax.Error
	if !errors.As(err, &parse) {
		return fmt.Errorf("pattern: %w", err)
	}
	hint := "correct it, or set literal to search for it literally"
	switch parse.Code {
	case syntax.ErrInvalidPerlOp, syntax.ErrInvalidEscape:
		hint = "RE2 syntax has no lookaround and no backreferences; set literal to search for the pattern literally"
	case syntax.ErrLarge, syntax.ErrInvalidRepeatSize, syntax.ErrNestingDepth:
		hint = "make it simpler"
	}
	return fmt.Errorf("pattern: %s: %.100q; %s", parse.Code, parse.Expr, hint)
}

// breaksLines reports whether tree contains a literal line break. Its author then expects matches
// over several lines.
func breaksLines(tree *syntax.Regexp) bool {
	if tree.Op == syntax.OpLiteral && slices.Contains(tree.Rune, '\n') {
		return true
	}
	return slices.ContainsFunc(tree.Sub, breaksLines)
}
