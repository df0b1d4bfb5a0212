package wildmatch

import (
	"strings"
	"unicode/utf8"
)

// maxAlternatives limits the patterns that Expand returns, since each is matched with each path.
const maxAlternatives = 1000

// Expand returns the patterns that a glob with groups such as {a,b} stands for. Groups may be
// nested. The problem is "" or says why the glob is not valid.
func Expand(glob string) (patterns []string, problem string) {
	patterns = []string{""}
	for glob != "" {
		literal := plainLength(glob)
		if literal > 0 {
			for i := range patterns {
				patterns[i] += glob[:literal]
			}
			glob = glob[literal:]
			continue
		}
		parts, length := group(glob)
		if length == 0 {
			return nil, "a { is not closed; put a \\ before a literal one"
		}
		glob = glob[length:]
		var endings []string
		for _, part := range parts {
			inner, problem := Expand(part)
			if problem != "" {
				return nil, problem
			}
			endings = append(endings, inner...)
		}
		if len(patterns)*len(endings) > maxAlternatives {
			return nil, "its groups in braces have more than 1000 combinations; use fewer groups"
		}
		joined := make([]string, 0, len(patterns)*len(endings))
		for _, pattern := range patterns {
			for _, ending := range endings {
				joined = append(joined, pattern+ending)
			}
		}
		patterns = joined
	}
	return patterns, ""
}

// plainLength returns the length of the text before the first group of a glob.
func plainLength(glob string) int {
	at := 0
	for at < len(glob) && glob[at] != '{' {
		at += elementLength(glob[at:])
	}
	return at
}

// elementLength returns the length of the first element of a glob: a bracket expression, a
// character with a backslash, or a byte.
func elementLength(glob string) int {
	switch glob[0] {
	case '\\':
		return min(2, len(glob))
	case '[':
		if _, length, problem := parseSet(glob, utf8.DecodeRuneInString); problem == "" {
			return length
		}
	}
	return 1
}

// group returns the parts of the group at the start of a glob, and the length of the group. The
// length is 0 if the group is not closed.
func group(glob string) (parts []string, length int) {
	depth, start := 0, 1
	for at := 0; at < len(glob); at += elementLength(glob[at:]) {
		switch glob[at] {
		case '{':
			depth++
		case ',':
			if depth == 1 {
				parts = append(parts, glob[start:at])
				start = at + 1
			}
		case '}':
			if depth--; depth == 0 {
				return append(parts, glob[start:at]), at + 1
			}
		}
	}
	return nil, 0
}

// LiteralEnd returns the literal text at the end of a pattern's last element. Every path that the
// pattern matches ends with this text. With thousands of paths, comparing a suffix first is far
// cheaper than matching the pattern.
func LiteralEnd(pattern string) string {
	return pattern[strings.LastIndexAny(pattern, `/*?[]\`)+1:]
}
