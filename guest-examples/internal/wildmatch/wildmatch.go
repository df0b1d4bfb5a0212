// Package wildmatch matches the patterns of ignore files as git does, and globs of the same form.
package wildmatch

import (
	"strings"
	"unicode/utf8"
)

// Match reports whether the whole path matches the pattern. Both are bytes, as in git: ? matches
// one byte. In the pattern, * and ? do not match a slash. ** as a whole element of the path matches
// any number of directories, or everything at the end of the pattern. A backslash makes the next
// byte literal. A pattern with an error, such as a bracket that is not closed, matches nothing.
//
// The time is at most proportional to the length of the pattern times the square of the length of
// the path.
func Match(pattern, path string) bool {
	return match(pattern, path, func(text string) (rune, int) { return rune(text[0]), 1 })
}

// MatchText is Match for characters: ? and a bracket expression match one character.
func MatchText(pattern, path string) bool {
	return match(pattern, path, utf8.DecodeRuneInString)
}

// Check returns what is wrong with a pattern, or "".
func Check(pattern string) string {
	for at := 0; at < len(pattern); {
		switch pattern[at] {
		case '\\':
			if at+1 == len(pattern) {
				return `no character follows the last \`
			}
			at += 2
		case '[':
			set, length, problem := parseSet(pattern[at:], utf8.DecodeRuneInString)
			if problem == "" && set.isOnlySlash() {
				problem = "a / in brackets matches nothing, since it separates directories"
			}
			if problem != "" {
				return problem
			}
			at += length
		default:
			at++
		}
	}
	return ""
}

// decode returns the first character or byte of a text that is not empty, and its length.
type decode func(text string) (rune, int)

func match(pattern, path string, first decode) bool {
	m := matcher{pattern: pattern, path: path, first: first, star: none, stars: none}
	for m.p < len(pattern) || m.at < len(path) {
		matched, broken := m.step()
		if broken || !matched && !m.retry() {
			return false
		}
	}
	return true
}

// none is the position of a star that has not been seen.
const none = -1

// matcher is the state of Match. If a step fails, the last star takes one more byte, or if it
// cannot, the last double star takes one more directory. Earlier stars need no retry: what follows
// them has matched at the first possible place.
type matcher struct {
	pattern, path string
	first         decode
	p, at         int // the next bytes

	star, starAt   int // after the last star, and the end of the text that the star matched
	stars, starsAt int // after the last double star, and the end of the text that it matched
}

// step matches the next element of the pattern. broken reports an error in the pattern.
func (m *matcher) step() (matched, broken bool) {
	if m.p == len(m.pattern) {
		return false, false
	}
	switch m.pattern[m.p] {
	case '*':
		m.takeStar()
		return true, false
	case '?':
		return m.takeCharacter(1, func(rune) bool { return true }), false
	case '[':
		set, length, problem := parseSet(m.pattern[m.p:], m.first)
		if problem != "" {
			return false, true
		}
		return m.takeCharacter(length, set.has), false
	case '\\':
		if m.p+1 == len(m.pattern) {
			return false, true
		}
		return m.take(2, m.at < len(m.path) && m.path[m.at] == m.pattern[m.p+1]), false
	case '/':
		if !m.take(1, m.at < len(m.path) && m.path[m.at] == '/') {
			return false, false
		}
		m.star = none // a star cannot take the slash
		return true, false
	}
	return m.take(1, m.at < len(m.path) && m.path[m.at] == m.pattern[m.p]), false
}

// take moves past an element of the pattern and a byte of the path if they match.
func (m *matcher) take(length int, matched bool) bool {
	if matched {
		m.p += length
		m.at++
	}
	return matched
}

// takeCharacter moves past an element of the pattern and a character of the path that is not a
// slash, if the element allows it.
func (m *matcher) takeCharacter(length int, allows func(rune) bool) bool {
	if m.at == len(m.path) {
		return false
	}
	r, size := m.first(m.path[m.at:])
	if r == '/' || !allows(r) {
		return false
	}
	m.p += length
	m.at += size
	return true
}

// takeStar moves past the stars at the start of the rest of the pattern.
func (m *matcher) takeStar() {
	start := m.p
	for m.p < len(m.pattern) && m.pattern[m.p] == '*' {
		m.p++
	}
	isElement := m.p-start > 1 && (start == 0 || m.pattern[start-1] == '/')
	switch rest := m.pattern[m.p:]; {
	case isElement && rest == "":
		m.at = len(m.path)
	case isElement && (rest[0] == '/' || strings.HasPrefix(rest, `\/`)):
		m.p += strings.IndexByte(rest, '/') + 1
		m.star, m.stars, m.starsAt = none, m.p, m.at
	default:
		m.star, m.starAt = m.p, m.at
	}
}

// retry lets the last star take more of the path, and reports whether it could.
func (m *matcher) retry() bool {
	if m.star != none && m.starAt < len(m.path) && m.path[m.starAt] != '/' {
		m.starAt++
		m.p, m.at = m.star, m.starAt
		return true
	}
	if m.stars == none {
		return false
	}
	slash := strings.IndexByte(m.path[m.starsAt:], '/')
	if slash < 0 {
		return false
	}
	m.starsAt += slash + 1
	m.p, m.at, m.star = m.stars, m.starsAt, none
	return true
}
