package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/namefold"
)

// condition is a compiled Match.
type condition struct {
	pointer  string
	tokens   []string
	test     test
	missing  bool
	fold     bool
	restrict bool
	base     string
}

// test is one kind of condition.
type test interface {
	// fits reports whether the test applies to the type of a value.
	fits(value any) bool
	// holds is called with values that fit. If the effort runs out, the result of holds is not
	// used.
	holds(e *effort, c *condition, value any) bool
}

// compileMatch compiles a Match for a rule that restricts or permits.
func compileMatch(pointer string, m Match, restrict bool, base string) (*condition, error) {
	tokens, err := parsePointer(pointer)
	if err != nil {
		return nil, err
	}
	c := &condition{pointer: pointer, tokens: tokens, missing: m.Missing, fold: m.FoldCase, restrict: restrict, base: base}
	given := 0
	for _, set := range []bool{m.Equals != nil, m.Glob != "", m.Prefix != "", m.Regexp != ""} {
		if set {
			given++
		}
	}
	switch {
	case given != 1:
		return nil, fmt.Errorf("must have exactly one of equals, glob, prefix and regexp, but has %d", given)
	case m.Glob != "":
		g, err := parseGlob(base, m.Glob)
		if err != nil {
			return nil, fmt.Errorf("the glob %q %w", m.Glob, err)
		}
		c.test = g
	case m.Prefix != "":
		c.test, err = newPathPrefix(base, m.Prefix)
	case m.Regexp != "":
		c.test, err = newTextRegexp(m.Regexp, m.FoldCase)
	default:
		c.test, err = newEquals(base, m.Equals)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// holds reports whether the condition matches the arguments, which have the declared names of the
// parameters.
func (c *condition) holds(e *effort, parameters Parameters, arguments any) bool {
	tokens := c.tokens
	if parameters != nil {
		if declared := parameters.Declared(tokens[0]); declared != tokens[0] {
			tokens = append([]string{declared}, tokens[1:]...)
		}
	}
	return enough(c.restrict, e.find(arguments, tokens), func(f found) bool {
		switch {
		case f.absent:
			return c.missing
		case f.odd:
			return c.restrict
		}
		return c.value(e, f.value)
	})
}

// enough reports whether the function yes returns true for some value, if the rule restricts, or
// for all values, if the rule permits.
func enough[T any](restrict bool, values []T, yes func(T) bool) bool {
	return slices.ContainsFunc(values, func(v T) bool { return yes(v) == restrict }) == restrict
}

func (c *condition) value(e *effort, value any) bool {
	if !e.spend(nodeCost) {
		return c.restrict
	}
	if c.test.fits(value) {
		return c.test.holds(e, c, value)
	}
	switch v := value.(type) {
	case nil:
		return c.missing
	case []any:
		if len(v) == 0 {
			return c.missing
		}
		return enough(c.restrict, v, func(element any) bool { return c.value(e, element) })
	case map[string]any:
		return c.restrict && c.object(e, v)
	}
	// The test does not apply to this type of value. In that case, a restricting rule matches, and
	// a permitting rule does not match.
	return c.restrict
}

// object reports whether a restricting condition matches a name or a value of object. Names are
// compared as well, because files are often given as an object whose keys are paths.
func (c *condition) object(e *effort, object map[string]any) bool {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if c.test.fits(name) && c.test.holds(e, c, name) {
			return true
		}
	}
	for value := range fields(object) {
		if c.value(e, value) {
			return true
		}
	}
	return false
}

// ofTexts is embedded in tests that apply only to strings.
type ofTexts struct{}

func (ofTexts) fits(value any) bool {
	_, ok := value.(string)
	return ok
}

// paths applies a test to all spellings of a string. If the rule restricts, one match suffices. If
// the rule permits, all spellings must match. A relative path is read from the base and from the
// working directory of the call, because a tool may ignore the latter.
func (c *condition) paths(e *effort, text string, yes func(p string) bool) bool {
	if !e.spend(spellingCost * len(text)) {
		return c.restrict
	}
	all, sure := spellings(c.base, text, c.restrict)
	if !sure {
		return c.restrict
	}
	if e.directory != "" {
		below, _ := spellings(e.directory, text, c.restrict) // sure depends only on the text
		all = append(all, below...)
	}
	return enough(c.restrict, all, yes)
}

func (g pathGlob) holds(e *effort, c *condition, value any) bool {
	return c.paths(e, value.(string), func(p string) bool {
		return g.matches(e, p, false, c.restrict) || ((c.restrict || c.fold) && g.matches(e, p, true, c.restrict))
	})
}

// pathPrefix matches a path and everything below it.
type pathPrefix struct {
	ofTexts
	exact, folded string
}

func newPathPrefix(base, text string) (pathPrefix, error) {
	if err := checkText(text); err != nil {
		return pathPrefix{}, fmt.Errorf("the prefix %w", err)
	}
	if slices.Contains(strings.Split(text, "/"), "..") {
		return pathPrefix{}, fmt.Errorf(`the prefix %q has a ".." part; write the path that it leads to`, text)
	}
	return prefixOf(base, text), nil
}

func prefixOf(base, text string) pathPrefix {
	exact := clean(base, text)
	return pathPrefix{exact: exact, folded: namefold.FoldCompatible(exact)}
}

func (p pathPrefix) holds(e *effort, c *condition, value any) bool {
	return c.paths(e, value.(string), func(path string) bool {
		if !e.spend(len(path)) {
			return c.restrict
		}
		return below(p.exact, path) || ((c.restrict || c.fold) && below(p.folded, namefold.FoldCompatible(path)))
	})
}

// textRegexp is an expression for a whole string. cost is the work of matching each byte.
type textRegexp struct {
	ofTexts
	re   *regexp.Regexp
	cost int
}

func newTextRegexp(text string, foldCase bool) (textRegexp, error) {
	if err := checkText(text); err != nil {
		return textRegexp{}, fmt.Errorf("the regexp %w", err)
	}
	// Compile the expression alone first. Otherwise, a bracket in it could close the group around
	// it and remove the anchors.
	if _, err := regexp.Compile(text); err != nil {
		return textRegexp{}, fmt.Errorf("the regexp %q cannot be read: %w", text, reason(err))
	}
	flags := "s"
	if foldCase {
		flags = "si"
	}
	re, err := regexp.Compile(`\A(?` + flags + `:` + text + `)\z`)
	if err != nil {
		return textRegexp{}, fmt.Errorf("the regexp %q cannot be put between anchors; end a \\Q with \\E, or make it smaller", text)
	}
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil { // unreachable: the expression compiled above
		return textRegexp{}, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return textRegexp{}, err
	}
	// Counted repeats make short expressions large. Each instruction may take two steps.
	return textRegexp{re: re, cost: 2 * len(program.Inst)}, nil
}

// reason returns an error of package regexp without the expression.
func reason(err error) error {
	return errors.New(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
}

func (r textRegexp) holds(e *effort, c *condition, value any) bool {
	text := value.(string)
	if !e.spend(len(text) * r.cost) {
		return c.restrict
	}
	return r.re.MatchString(text)
}

// equals compares with a JSON value.
type equals struct {
	value any
	path  pathPrefix // if the value is a string
}

func newEquals(base string, text json.RawMessage) (equals, error) {
	value, err := decode(text)
	if err != nil {
		return equals{}, errors.New("equals is not one JSON value; write a single JSON value")
	}
	q := equals{value: value}
	if s, ok := value.(string); ok {
		q.path = prefixOf(base, s)
	}
	return q, nil
}

func (q equals) fits(value any) bool { return sameType(q.value, value) }

func (q equals) holds(e *effort, c *condition, value any) bool {
	text, ok := value.(string)
	if !ok {
		return equal(q.value, value)
	}
	own := q.value.(string)
	alike := func() bool { return namefold.FoldCompatible(text) == namefold.FoldCompatible(own) }
	switch {
	case text == own, c.fold && alike():
		return true
	case !c.restrict:
		return false
	case len(text) > maxPathBytes:
		return alike()
	}
	return c.paths(e, text, func(p string) bool {
		return e.spend(len(p)) && namefold.FoldCompatible(p) == q.path.folded
	})
}

func checkText(text string) error {
	if len(text) > maxTextBytes {
		return fmt.Errorf("is longer than %d bytes; write a shorter value", maxTextBytes)
	}
	if strings.IndexByte(text, 0) >= 0 {
		return errors.New("contains a NUL byte; remove it")
	}
	return nil
}
