package policy

import (
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/wasmtool/wasmtool/internal/namefold"
)

// defaultBase is where a guest's relative paths start.
const defaultBase = "/workspace"

// Limits on patterns. Braces multiply the work of matching.
const (
	maxGlobBytes  = 256
	maxGlobBraces = 3
	maxGlobCommas = 16
	maxTextBytes  = 1024
)

// clean returns the absolute, shortest form of a path.
func clean(base, p string) string {
	if !strings.HasPrefix(p, "/") {
		p = base + "/" + p
	}
	return path.Clean(p)
}

// spellings returns the paths that a string may mean to different readers: with or without
// surrounding space, with percent-encoding decoded, with backslashes as slashes; and, if loose,
// without what Windows ignores at the end of a name. It returns false if some reader would not
// treat the string as a path.
func spellings(base, text string, loose bool) ([]string, bool) {
	plain := unescape(text)
	if len(text) > maxPathBytes || unescapeOnce(plain) != plain {
		return nil, false
	}
	readers := []func(string) string{strings.TrimSpace, unescape, func(s string) string { return strings.ReplaceAll(s, `\`, "/") }}
	if loose {
		readers = append(readers, trimNames)
	}
	texts := []string{text}
	for _, read := range readers {
		for _, t := range texts {
			if other := read(t); !slices.Contains(texts, other) {
				texts = append(texts, other)
			}
		}
	}
	for i, t := range texts {
		if strings.IndexByte(t, 0) >= 0 {
			return nil, false
		}
		texts[i] = clean(base, t)
	}
	slices.Sort(texts)
	return slices.Compact(texts), true
}

// maxEscapes limits how often percent-encoding is decoded. A real path is never encoded so often.
const maxEscapes = 8

// unescape decodes percent-encoding until none is left, because readers may decode a path more than
// once. Invalid encoding stays.
func unescape(s string) string {
	for range maxEscapes {
		once := unescapeOnce(s)
		if once == s {
			break
		}
		s = once
	}
	return s
}

func unescapeOnce(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	var one [1]byte
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, _ := hex.Decode(one[:], []byte(s[i+1:i+3])); n == 1 {
				b.WriteByte(one[0])
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// trimNames cuts the names in a path as Windows does: it removes trailing dots and spaces, and the
// name of a stream. A name that consists only of dots means a directory and stays.
func trimNames(p string) string {
	names := strings.Split(p, "/")
	for i, name := range names {
		name, _, _ = strings.Cut(name, ":")
		if trimmed := strings.TrimRight(name, ". "); trimmed != "" {
			names[i] = trimmed
		}
	}
	return strings.Join(names, "/")
}

// pathGlob is a pattern for cleaned paths.
type pathGlob struct {
	ofTexts
	exact, folded string
	choices       int // max number of patterns after the braces are expanded
}

func parseGlob(base, pattern string) (pathGlob, error) {
	switch {
	case len(pattern) > maxGlobBytes:
		return pathGlob{}, fmt.Errorf("is longer than %d bytes; write a shorter pattern", maxGlobBytes)
	case !utf8.ValidString(pattern) || strings.IndexByte(pattern, 0) >= 0:
		return pathGlob{}, errors.New("is not valid UTF-8; write the pattern in UTF-8")
	case strings.Count(pattern, "{") > maxGlobBraces || strings.Count(pattern, ",") > maxGlobCommas:
		return pathGlob{}, fmt.Errorf("has more than %d braces or %d commas; write several rules", maxGlobBraces, maxGlobCommas)
	case !doublestar.ValidatePattern(pattern):
		return pathGlob{}, errors.New("is not a valid pattern; close every [ and { and do not end with a backslash")
	}
	if pattern != "/" {
		pattern = strings.TrimSuffix(pattern, "/")
	}
	switch {
	case strings.HasPrefix(pattern, "/"):
	case strings.HasPrefix(pattern, "**"):
		pattern = "/" + pattern
	default:
		pattern = strings.TrimSuffix(base, "/") + "/" + pattern
	}
	for name := range strings.SplitSeq(pattern[1:], "/") {
		if pattern != "/" && (name == "" || name == "." || name == "..") {
			return pathGlob{}, errors.New(`has an empty, "." or ".." part, which matches no path; leave it out`)
		}
	}
	g := pathGlob{exact: pattern, folded: namefold.FoldCompatible(pattern), choices: choices(pattern)}
	if !doublestar.ValidatePattern(g.exact) || !doublestar.ValidatePattern(g.folded) {
		return pathGlob{}, errors.New("is not a valid pattern")
	}
	return g, nil
}

// choices returns an upper bound of the number of patterns after all braces are expanded. A pattern
// reaches the bound if its commas are spread evenly over its braces.
func choices(pattern string) int {
	braces, n := strings.Count(pattern, "{"), 1
	for range braces {
		n *= strings.Count(pattern, ",")/braces + 2
	}
	return n
}

// matches reports whether the pattern matches a path. If below is set, it also returns true if the
// pattern matches a parent directory of the path.
func (g pathGlob) matches(e *effort, p string, folded, below bool) bool {
	pattern := g.exact
	if folded {
		pattern, p = g.folded, namefold.FoldCompatible(p)
	}
	if !e.spend(len(pattern) * len(p) * g.choices) {
		return below
	}
	return doublestar.MatchUnvalidated(pattern, p) || (below && doublestar.MatchUnvalidated(pattern+"/**", p))
}

// below reports whether a cleaned path is root or below it.
func below(root, p string) bool {
	return p == root || root == "/" || strings.HasPrefix(p, root+"/")
}
