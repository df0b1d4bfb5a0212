package workspace

import (
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	// maxPattern is the greatest length of a glob in bytes.
	maxPattern = 1024
	// maxBraces is how many {a,b} groups a glob may have: each multiplies the
	// work of matching.
	maxBraces = 8
)

// CheckGlob says what is wrong with the glob that the parameter param gave. It
// knows *, ?, [a-z], {a,b} and **, the last for any number of folders.
func CheckGlob(param, glob string) error {
	switch {
	case len(glob) > maxPattern:
		return fmt.Errorf("%s is longer than %d bytes", param, maxPattern)
	case strings.Count(glob, "{") > maxBraces:
		return fmt.Errorf("%s has more than %d groups in braces; ask for fewer at a time", param, maxBraces)
	case !doublestar.ValidatePattern(glob):
		return fmt.Errorf(`%s: %q is not a valid glob; close each [ and {, or put a \ before one that is meant as it is`, param, glob)
	}
	return nil
}

// NamesHidden reports whether an element of the glob begins with a dot, so
// that it can only mean hidden files.
func NamesHidden(glob string) bool {
	for i := range len(glob) {
		if glob[i] == '.' && (i == 0 || strings.IndexByte("/{,", glob[i-1]) >= 0) {
			return true
		}
	}
	return false
}

// Filter selects files below a folder. The zero value selects all.
type Filter struct {
	glob    string
	exclude bool // select what does not match
	whole   bool // match the path, not only the name
}

// NewFilter returns the filter for the glob that the parameter param gave: one
// without a slash is matched with the name of a file, one with a slash with
// its path below the folder; a ! in front turns the meaning round.
func NewFilter(param, glob string) (Filter, error) {
	pattern, exclude := strings.CutPrefix(glob, "!")
	if err := CheckGlob(param, pattern); err != nil {
		return Filter{}, err
	}
	whole := strings.Contains(pattern, "/")
	return Filter{
		glob:    strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "/"),
		exclude: exclude,
		whole:   whole,
	}, nil
}

// NamesHidden reports whether the filter can only mean hidden files.
func (f Filter) NamesHidden() bool {
	return !f.exclude && NamesHidden(f.glob)
}

// Selects reports whether the filter takes the file with this path below the
// folder.
func (f Filter) Selects(below string) bool {
	if f.glob == "" {
		return true
	}
	if !f.whole {
		below = path.Base(below)
	}
	return doublestar.MatchUnvalidated(f.glob, below) != f.exclude
}
