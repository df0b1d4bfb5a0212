package commands

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/itchyny/gojq"

	"github.com/wasmtool/wasmtool/guest-examples/internal/regex"
)

// matcher implements the function _match of jq, which test, match, sub and others call. The classes
// and word boundaries of its expressions know all scripts, as in jq. It contains the
// compiled expressions by expression and flags.
type matcher map[[2]string]jqPattern

// jqPattern is a compiled expression. after matches one character and then the expression.
type jqPattern struct{ whole, after *regex.Regexp }

// match returns whether the string v matches if args[2] is true, and otherwise the matches. The
// other arguments are the expression, and flags or null.
func (m matcher) match(v any, args []any) any {
	name := "match"
	if args[2] == true {
		name = "test"
	}
	text, ok := v.(string)
	expression, isString := args[0].(string)
	flags, areString := args[1].(string)
	if !ok || !isString || !areString && args[1] != nil {
		return fmt.Errorf("%s(%s; %s) cannot be applied to: %s (%s)", name, gojq.Preview(args[0]), gojq.Preview(args[1]), gojq.TypeOf(v), gojq.Preview(v))
	}
	pattern, err := m.compile(expression, flags)
	if err != nil {
		return err
	}
	if args[2] == true {
		return pattern.whole.Match([]byte(text))
	}
	names := pattern.whole.SubexpNames()
	matches := []any{}
	for _, found := range pattern.find([]byte(text), strings.Contains(flags, "g")) {
		captures := []any{}
		for i := 2; i < len(found); i += 2 {
			capture := matchedPart(text, found[i], found[i+1])
			capture["name"] = nil
			if name := names[i/2]; name != "" {
				capture["name"] = name
			}
			captures = append(captures, capture)
		}
		match := matchedPart(text, found[0], found[1])
		match["captures"] = captures
		matches = append(matches, match)
	}
	return matches
}

// matchedPart describes a part of a text by its position in characters. A from of -1 means that a
// group did not match.
func matchedPart(text string, from, to int) map[string]any {
	if from < 0 {
		return map[string]any{"offset": -1, "length": 0, "string": nil}
	}
	return map[string]any{"offset": utf8.RuneCountInString(text[:from]), "length": utf8.RuneCountInString(text[from:to]), "string": text[from:to]}
}

func (m matcher) compile(expression, flags string) (jqPattern, error) {
	key := [2]string{expression, flags}
	if pattern, ok := m[key]; ok {
		return pattern, nil
	}
	for _, flag := range flags {
		switch flag {
		case 'g':
		case 'i':
			expression = "(?i)" + expression
		case 'm':
			expression = "(?s)" + expression
		default:
			return jqPattern{}, fmt.Errorf("unsupported regular expression flag: %q", flags)
		}
	}
	var pattern jqPattern
	var err error
	if pattern.whole, err = regex.Compile(expression); err == nil {
		pattern.after, err = regex.Compile(`\A(?s:.)(?:` + expression + `)`)
	}
	if err != nil {
		return jqPattern{}, fmt.Errorf("invalid regular expression %q: %w", expression, err)
	}
	const maxPatterns = 100
	if len(m) == maxPatterns {
		clear(m)
	}
	m[key] = pattern
	return pattern, nil
}

// find returns the first match, or all. Unlike package regexp, jq finds an empty match directly
// after another match.
func (p jqPattern) find(text []byte, all bool) [][]int {
	if !all {
		return p.whole.FindAllSubmatchIndex(text, 1)
	}
	var found [][]int
	matches := p.whole.FindAllSubmatchIndex(text, -1)
	for i, match := range matches {
		found = append(found, match)
		end := match[1]
		if match[0] == end || i+1 < len(matches) && matches[i+1][0] == end {
			continue
		}
		_, size := utf8.DecodeLastRune(text[:end])
		if empty := p.after.FindSubmatchIndex(text[end-size:]); empty != nil && empty[1] == size {
			for j := 1; j < len(empty); j++ {
				if empty[j] >= 0 {
					empty[j] += end - size
				}
			}
			empty[0] = end
			found = append(found, empty)
		}
	}
	return found
}
