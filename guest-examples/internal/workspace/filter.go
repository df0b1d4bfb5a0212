package workspace

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	// maxPattern limits the length of a glob, in bytes.
	maxPattern = 1024
	// maxBraces limits the {a,b} groups of a glob, since each multiplies the work of matching.
	maxBraces = 8
)

// CheckGlob validates the glob in the parameter param. A glob may have *, ?, [a-z], {a,b}, and **
// for any number of directories.
func CheckGlob(param, glob string) error {
	switch {
	case len(glob) > maxPattern:
		return fmt.Errorf("%s is longer than %d bytes", param, maxPattern)
	case strings.Count(glob, "{") > maxBraces:
		return fmt.Errorf("%s has more than %d groups in braces; use fewer at a time", param, maxBraces)
	case !doublestar.ValidatePattern(glob):
		return fmt.Errorf(`%s: %q is not a valid glob; close each [ and {, or put a \ before a literal one`, param, glob)
	}
	return nil
}

// NamesHidden reports whether an element of the glob begins with a dot, so that it can only match
// hidden files.
func NamesHidden(glob string) bool {
	for i := range len(glob) {
		if glob[i] == '.' && (i == 0 || strings.IndexByte("/{,", glob[i-1]) >= 0) {
			return true
		}
	}
	return false
}

// LiteralEnd returns the literal text at the end of the glob's last element. Every path that the
// glob matches ends with this text. With thousands of paths, comparing a suffix first is far
// cheaper than matching the glob.
func LiteralEnd(glob string) string {
	if strings.ContainsRune(glob, utf8.RuneError) {
		return "" // U+FFFD also matches any byte that is not UTF-8
	}
	return glob[strings.LastIndexAny(glob, `/*?[]{},\`)+1:]
}

// Filter selects files below a directory. The zero value selects all.
type Filter struct {
	glob    string
	end     string // see LiteralEnd
	exclude bool   // select files that do not match
	whole   bool   // match the path, not only the name
}

// NewFilter returns the filter for the glob in the parameter param. A glob without a slash is
// matched with a file's name, any other glob with the file's path below the directory. A leading !
// inverts the filter.
func NewFilter(param, glob string) (Filter, error) {
	pattern, exclude := strings.CutPrefix(glob, "!")
	if err := CheckGlob(param, pattern); err != nil {
		return Filter{}, err
	}
	whole := strings.Contains(pattern, "/")
	pattern = strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "/")
	return Filter{glob: pattern, end: LiteralEnd(pattern), exclude: exclude, whole: whole}, nil
}

// NamesHidden reports whether the filter can only match hidden files.
func (f Filter) NamesHidden() bool {
	return !f.exclude && NamesHidden(f.glob)
}

// Selects reports whether the filter selects the file with this path below the directory.
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
