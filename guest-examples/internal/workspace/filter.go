package workspace

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

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

// LiteralEnd returns what each path ends in that the glob matches, as far as it is plain
// text in its last element. To compare it costs next to nothing, to match a glob with
// thousands of paths does not.
func LiteralEnd(glob string) string {
	if strings.ContainsRune(glob, utf8.RuneError) {
		return "" // which stands for any byte that is no UTF-8
	}
	return glob[strings.LastIndexAny(glob, `/*?[]{},\`)+1:]
}

// Filter selects files below a folder. The zero value selects all.
type Filter struct {
	glob    string
	end     string // see LiteralEnd
	exclude bool   // select what does not match
	whole   bool   // match the path, not only the name
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
	pattern = strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "/")
	return Filter{glob: pattern, end: LiteralEnd(pattern), exclude: exclude, whole: whole}, nil
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
	matches := strings.HasSuffix(below, f.end) && doublestar.MatchUnvalidated(f.glob, below)
	return matches != f.exclude
}
