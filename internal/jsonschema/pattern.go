package jsonschema

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// pattern is a compiled regular expression.
type pattern struct {
	re   *regexp.Regexp
	cost int // the approximate number of instructions, which determines the cost of a match
}

// compilePattern compiles an RE2 expression. An error message continues a sentence that begins with
// "pattern".
func compilePattern(expr string) (*pattern, error) {
	if len(expr) > MaxPatternBytes {
		return nil, fmt.Errorf("is %d bytes long; at most %d are allowed", len(expr), MaxPatternBytes)
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, errors.New(explainPattern(expr, err))
	}
	cost := patternCost(tree)
	if cost > maxPatternCost {
		return nil, fmt.Errorf("%s grows too large when compiled; use smaller repeat counts, or minLength and maxLength", jsontree.QuoteName(expr))
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, errors.New(explainPattern(expr, err))
	}
	return &pattern{re: re, cost: cost}, nil
}

// patternCost estimates the size of the compiled program without compiling it. A counted repeat
// multiplies the size of its operand.
func patternCost(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)/8
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n += patternCost(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, maxPatternCost+1)
}

// explainPattern explains which unsupported syntax an expression uses.
func explainPattern(expr string, err error) string {
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return fmt.Sprintf("%s is not a regular expression", jsontree.QuoteName(expr))
	}
	for _, around := range [...]struct{ prefix, fix string }{
		{"(?!", `express it with "not": {"pattern": ...}`},
		{"(?=", `express it with a second pattern under "allOf"`},
		{"(?<!", "match the text before it instead"},
		{"(?<=", "match the text before it instead"},
	} {
		if strings.HasPrefix(bad.Expr, around.prefix) {
			return fmt.Sprintf("uses %s...), which this engine lacks; %s", around.prefix, around.fix)
		}
	}
	switch bad.Code {
	case syntax.ErrInvalidEscape:
		return fmt.Sprintf("uses %s, which this engine lacks%s", bad.Expr, escapeFix(bad.Expr))
	case syntax.ErrInvalidRepeatSize:
		return fmt.Sprintf("uses %s, but a repeat count, multiplied with the counts around it, may be at most 1000; use minLength and maxLength", jsontree.Cut(bad.Expr))
	}
	return fmt.Sprintf("%s is not a regular expression of this engine (RE2): %s", jsontree.QuoteName(expr), bad.Code)
}

func escapeFix(escape string) string {
	switch {
	case strings.HasPrefix(escape, `\u`):
		return `; write a code point as \x{00e9}`
	case strings.HasPrefix(escape, `\c`):
		return `; write a control character as \x01`
	case len(escape) == 2 && escape[1] >= '1' && escape[1] <= '9':
		return "; back-references are not supported"
	}
	return ""
}

// meteredPattern charges each match to a budget. It implements the Regexp interface of the library.
type meteredPattern struct {
	*pattern
	budget *budget
}

func (m meteredPattern) String() string { return m.re.String() }

func (m meteredPattern) MatchString(s string) bool {
	// The engine takes up to one step for each pair of character and instruction. About 100 steps
	// take as long as a visit of a subschema.
	work := 1 + len(s)*m.cost/100
	m.budget.Spend(work)
	if work < longMatch {
		return m.re.MatchString(s)
	}
	return m.re.MatchReader(&watchedText{rest: s, budget: m.budget})
}

// longMatch is the minimum work of a match that checks the context while it runs.
const longMatch = 20 * workPerCheck

// watchedText is the input of a long match. It checks the context while it is read. It implements
// [io.RuneReader].
type watchedText struct {
	rest   string
	read   int // runes read so far
	budget *budget
}

func (t *watchedText) ReadRune() (r rune, size int, err error) {
	const runesPerCheck = 1 << 10
	if t.read++; t.read%runesPerCheck == 0 {
		t.budget.checkContext()
	}
	if t.rest == "" {
		return 0, 0, io.EOF
	}
	r, size = utf8.DecodeRuneInString(t.rest)
	t.rest = t.rest[size:]
	return r, size, nil
}

// patternEngine returns the engine that compiles patterns for the library. It reuses the known
// patterns of the schema.
func patternEngine(known map[string]*pattern, b *budget) santhosh.RegexpEngine {
	return func(expr string) (santhosh.Regexp, error) {
		if p := known[expr]; p != nil {
			return meteredPattern{p, b}, nil
		}
		// The pattern is not part of the schema: it is a string in a document with the format
		// "regex".
		b.Spend(1 + len(expr)/8)
		p, err := compilePattern(expr)
		if err != nil {
			return nil, err
		}
		b.Spend(p.cost)
		return meteredPattern{p, b}, nil
	}
}
