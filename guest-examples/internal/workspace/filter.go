package workspace

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/wildmatch"
)

// maxPattern limits the length of a glob, in bytes.
const maxPattern = 1024

// Glob is a pattern for paths. It may have *, ?, [a-z], [[:alpha:]], {a,b}, and ** for any number
// of directories. The zero value matches nothing.
type Glob struct{ patterns []globPattern }

// globPattern is a glob without groups in braces.
type globPattern struct{ text, end string } // see wildmatch.LiteralEnd

// ParseGlob parses the glob in the parameter param.
func ParseGlob(param, glob string) (Glob, error) {
	if len(glob) > maxPattern {
		return Glob{}, fmt.Errorf("%s is longer than %d bytes", param, maxPattern)
	}
	texts, problem := wildmatch.Expand(glob)
	var g Glob
	for _, text := range texts {
		if problem == "" {
			problem = wildmatch.Check(text)
		}
		g.patterns = append(g.patterns, globPattern{text, wildmatch.LiteralEnd(text)})
	}
	if problem != "" {
		return Glob{}, fmt.Errorf("%s: %q is not a valid glob: %s", param, glob, problem)
	}
	return g, nil
}

// HasWildcard reports whether a glob has characters that are not literal.
func HasWildcard(glob string) bool { return strings.ContainsAny(glob, `*?[{\`) }

// Match reports whether the glob matches a whole path.
func (g Glob) Match(name string) bool {
	return slices.ContainsFunc(g.patterns, func(p globPattern) bool {
		return strings.HasSuffix(name, p.end) && wildmatch.MatchText(p.text, name)
	})
}

// NamesHidden reports whether an element of the glob begins with a dot, so the glob can only match
// hidden files.
func (g Glob) NamesHidden() bool {
	return slices.ContainsFunc(g.patterns, func(p globPattern) bool {
		return strings.HasPrefix(p.text, ".") || strings.Contains(p.text, "/.")
	})
}

// Filter selects files below a directory. The zero value selects all.
type Filter struct {
	glob    Glob
	set     bool // false selects all files
	exclude bool // select files that do not match
	whole   bool // match the path, not only the name
}

// NewFilter returns the filter for the glob in the parameter param. A glob without a slash is
// matched with a file's name, any other glob with the file's path below the directory. A leading !
// inverts the filter.
func NewFilter(param, glob string) (Filter, error) {
	pattern, exclude := strings.CutPrefix(glob, "!")
	whole := strings.Contains(pattern, "/")
	pattern = strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "/")
	parsed, err := ParseGlob(param, pattern)
	return Filter{glob: parsed, set: pattern != "", exclude: exclude, whole: whole}, err
}

// NamesHidden reports whether the filter can only match hidden files.
func (f Filter) NamesHidden() bool { return !f.exclude && f.glob.NamesHidden() }

// Exact returns the path below the directory if the filter selects only this one.
func (f Filter) Exact() (below string, ok bool) {
	if f.exclude || !f.whole || len(f.glob.patterns) != 1 {
		return "", false
	}
	below = f.glob.patterns[0].text
	return below, !HasWildcard(below) && fs.ValidPath(below)
}

// Selects reports whether the filter selects the file with this path below the directory.
func (f Filter) Selects(below string) bool {
	if !f.set {
		return true
	}
	if !f.whole {
		below = path.Base(below)
	}
	return f.glob.Match(below) != f.exclude
}
