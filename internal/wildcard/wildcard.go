// Package wildcard matches strings with patterns in which * stands for any characters.
package wildcard

import "strings"

// Match reports whether s matches a pattern in which * stands for any characters, including none.
// It uses the first match of each part of the pattern. That is sufficient, because a later match
// leaves less of s for the remaining parts.
func Match(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == s
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(s) < len(first)+len(last) || !strings.HasPrefix(s, first) || !strings.HasSuffix(s, last) {
		return false
	}
	s = s[len(first) : len(s)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(s, part)
		if !found {
			return false
		}
		s = after
	}
	return true
}
