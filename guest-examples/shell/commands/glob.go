package commands

import (
	"regexp"
	"strings"
)

// compileGlob compiles a file name pattern in which * and ? also match a slash, as in find -path.
// An invalid bracket expression matches itself literally.
func compileGlob(pattern string, fold bool) *regexp.Regexp {
	var out strings.Builder
	out.WriteString("(?s")
	if fold {
		out.WriteByte('i')
	}
	out.WriteString(")^")
	for pattern != "" {
		c := pattern[0]
		switch {
		case c == '*':
			out.WriteString(".*")
		case c == '?':
			out.WriteByte('.')
		case c == '[':
			if class, n := globBracket(pattern); n > 0 {
				out.WriteString(class)
				pattern = pattern[n:]
				continue
			}
			out.WriteString(`\[`)
		case c == '\\' && len(pattern) > 1:
			pattern = pattern[1:]
			out.WriteString(regexp.QuoteMeta(pattern[:1]))
		default:
			out.WriteString(regexp.QuoteMeta(pattern[:1]))
		}
		pattern = pattern[1:]
	}
	out.WriteByte('$')
	re, err := regexp.Compile(out.String())
	if err != nil { // a reversed range matches nothing
		return regexp.MustCompile(`[^\x00-\x{10FFFF}]`)
	}
	return re
}

// globBracket translates the bracket expression at the start of pattern and returns its length. The
// length is 0 if there is no valid bracket expression.
func globBracket(pattern string) (string, int) {
	t := translator{rest: pattern}
	if strings.HasPrefix(pattern, "[!") {
		t.rest = "[^" + pattern[2:]
	}
	if t.bracket() != nil {
		return "", 0
	}
	return t.out.String(), len(pattern) - len(t.rest)
}
