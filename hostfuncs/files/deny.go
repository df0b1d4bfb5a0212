package files

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/wasmtool/wasmtool/internal/namefold"
)

// Limits of deny patterns. Matching runs in the host and cannot be interrupted, and the guest
// chooses the path. Patterns that would make it slow are therefore refused.
const (
	maxDenyBytes    = 256
	maxDenyPatterns = 64 // per mount; each alternative in braces counts
)

// ValidateDeny returns an error for an invalid deny pattern. Patterns are relative to the mount and
// slash-separated. "*", "?", "[a-z]" and "{a,b}" match within one name, "**/" matches any number of
// directories, and "x/**" matches x and everything below it. All paths below a denied path are
// denied. A pattern has at most 256 bytes. A mount has at most 64 patterns, where each alternative
// in braces counts.
func ValidateDeny(pattern string) error {
	_, err := newDenyPatterns(pattern)
	return err
}

// denyPattern is a pattern without braces, in two forms.
type denyPattern struct {
	// folded is the pattern after namefold.Fold.
	folded string
	// exact is the pattern as written if folding changes its meaning, and otherwise empty. Folding
	// changes the meaning of a range such as [A-z]. It also changes the meaning of "?" if the
	// character in the path folds to two characters.
	exact string
}

// newDenyPatterns returns the patterns that result from expanding all braces.
func newDenyPatterns(pattern string) ([]denyPattern, error) {
	switch {
	case pattern == "":
		return nil, errors.New("is empty")
	case len(pattern) > maxDenyBytes:
		return nil, fmt.Errorf("is longer than %d bytes", maxDenyBytes)
	case strings.IndexByte(pattern, 0) >= 0, !utf8.ValidString(pattern):
		return nil, errors.New("is not valid UTF-8")
	case !doublestar.ValidatePattern(pattern):
		return nil, errNotAPattern
	}
	spelt, ok := expandBraces(pattern)
	if !ok {
		return nil, errTooManyPatterns
	}
	var list []denyPattern
	for _, p := range spelt {
		d, err := newDenyPattern(p)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

var (
	errNotAPattern     = errors.New("is not a valid pattern; close every [ and {, and do not end with a backslash")
	errTooManyPatterns = fmt.Errorf("stands for more than %d patterns; write fewer alternatives in braces", maxDenyPatterns)
)

func newDenyPattern(p string) (denyPattern, error) {
	if strings.Contains(p, "***") {
		// The library reads more than two in different ways, depending on what follows.
		return denyPattern{}, errors.New("has three asterisks in a row; write * or **")
	}
	if strings.HasPrefix(p, "/") {
		return denyPattern{}, errors.New("starts with a slash; write it relative to the mount")
	}
	p = strings.TrimSuffix(p, "/")
	for elem := range strings.SplitSeq(p, "/") {
		if elem == "" || elem == "." || elem == ".." {
			return denyPattern{}, errors.New(`has an empty, "." or ".." element, which matches no path; leave it out`)
		}
	}
	// Everything below a denied path is denied, so x/** is equivalent to x.
	for strings.HasSuffix(p, "/**") {
		p = strings.TrimSuffix(p, "/**")
	}
	d := denyPattern{folded: namefold.Fold(p)}
	if strings.ContainsAny(p, "[?") {
		d.exact = p
	}
	if !doublestar.ValidatePattern(p) || !doublestar.ValidatePattern(d.folded) {
		return denyPattern{}, errNotAPattern
	}
	return d, nil
}

// expandBraces returns a valid pattern for each choice of its alternatives, or false if there are
// more than maxDenyPatterns.
func expandBraces(p string) ([]string, bool) {
	alternatives, before, after := cutBraces(p)
	if alternatives == nil {
		return []string{p}, true
	}
	var all []string
	for _, alternative := range alternatives {
		spelt, ok := expandBraces(before + alternative + after)
		if all = append(all, spelt...); !ok || len(all) > maxDenyPatterns {
			return nil, false
		}
	}
	return all, true
}

// cutBraces returns the alternatives in the first braces of a valid pattern, and the text before
// and after the braces. It returns nil for a pattern without braces.
func cutBraces(p string) (alternatives []string, before, after string) {
	open, depth, start := 0, 0, 0
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			i = classEnd(p, i)
		case '{':
			if depth++; depth == 1 {
				open, start = i, i+1
			}
		case ',':
			if depth == 1 {
				alternatives = append(alternatives, p[start:i])
				start = i + 1
			}
		case '}':
			if depth--; depth == 0 {
				return append(alternatives, p[start:i]), p[:open], p[i+1:]
			}
		}
	}
	return nil, "", ""
}

// classEnd returns the index of the bracket that closes the class at p[i].
func classEnd(p string, i int) int {
	for i++; i < len(p) && p[i] != ']'; i++ {
		if p[i] == '\\' {
			i++
		}
	}
	return i
}

// denyList holds the deny patterns of a mount. An empty list denies no path.
type denyList []denyPattern

func newDenyList(patterns []string) (denyList, error) {
	var list denyList
	for _, pattern := range patterns {
		more, err := newDenyPatterns(pattern)
		if err != nil {
			return nil, fmt.Errorf("deny pattern %q %w", pattern, err)
		}
		if list = append(list, more...); len(list) > maxDenyPatterns {
			return nil, fmt.Errorf("has more than %d deny patterns, counting each alternative in braces; write fewer", maxDenyPatterns)
		}
	}
	return list, nil
}

// denies reports whether a pattern matches a cleaned path below the mount or one of its parent
// directories. It is purely lexical, so the answer does not depend on which files exist. The mount
// itself, ".", is never denied.
func (l denyList) denies(rel string) bool {
	if len(l) == 0 || rel == "." {
		return false
	}
	if runtime.GOOS == "windows" {
		for elem := range strings.SplitSeq(rel, "/") {
			if isWindowsAlias(elem) {
				return true
			}
		}
	}
	return l.holds(rel, matchesAbove)
}

// holds reports whether match returns true for the path and at least one pattern. It passes both to
// match in the same form, folded or exact.
func (l denyList) holds(rel string, match func(pattern, name string) bool) bool {
	folded := namefold.Fold(rel)
	return slices.ContainsFunc(l, func(d denyPattern) bool {
		return match(d.folded, folded) || d.exact != "" && match(d.exact, rel)
	})
}

// matchesAbove reports whether a pattern matches a path or one of its parents. A single match
// against pattern + "/**" is not sufficient: x*/** does not match x.
func matchesAbove(pattern, name string) bool {
	for end := 0; end < len(name); {
		next := strings.IndexByte(name[end:], '/')
		if next < 0 {
			break
		}
		end += next
		if doublestar.MatchUnvalidated(pattern, name[:end]) {
			return true
		}
		end++
	}
	return doublestar.MatchUnvalidated(pattern, name)
}

// mayLieBelow reports whether a path below the directory rel could be denied. It returns true in
// case of doubt.
func (l denyList) mayLieBelow(rel string) bool { return l.holds(rel, couldMatchBelow) }

// couldMatchBelow reports whether a pattern could match a path below dir.
func couldMatchBelow(pattern, dir string) bool {
	for {
		elem, patternRest, patternMore := strings.Cut(pattern, "/")
		name, rest, more := strings.Cut(dir, "/")
		switch {
		// An element that is not a valid pattern is a part of a class in brackets: the class
		// contains a slash, at which the pattern was split.
		case elem == "**", !doublestar.ValidatePattern(elem):
			return true
		case !doublestar.MatchUnvalidated(elem, name):
			return false
		case !patternMore, !more: // if the pattern ends here, dir itself is denied
			return true
		}
		pattern, dir = patternRest, rest
	}
}
