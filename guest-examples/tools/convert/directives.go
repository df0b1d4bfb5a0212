package convert

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// versionDirective matches the directive %YAML with its numbers. A comment may follow.
const versionDirective = `^%YAML[ \t]+(\d{1,9})\.\d{1,9}([ \t]+#.*|[ \t]*)$`

// withoutDirectives replaces the directives of YAML that have no effect with empty lines, because
// the library knows only the version 1.1 and refuses unknown directives. A reader of YAML 1.2 reads
// each version 1.x, and ignores unknown directives. %TAG stays.
func withoutDirectives(text string) (string, error) {
	if !strings.HasPrefix(text, "%") && !strings.Contains(text, "\n%") {
		return text, nil
	}
	version := regexp.MustCompile(versionDirective)
	var out strings.Builder
	before := true           // the line precedes a document
	directives := 0          // of the next document
	versions, number := 0, 0 // %YAML of the next document, and lines
	for line := range strings.Lines(text) {
		number++
		body := strings.TrimRight(line, "\r\n")
		isDirective := before && strings.HasPrefix(body, "%")
		switch {
		case isDirective && isWord(body, "%TAG"):
			directives++
		case isDirective:
			directives++
			if isWord(body, "%YAML") {
				numbers := version.FindStringSubmatch(body)
				if versions++; versions > 1 {
					return "", fmt.Errorf("line %d: the directive %%YAML occurs twice", number)
				}
				if numbers == nil || numbers[1] != "1" {
					return "", fmt.Errorf("line %d: %.40q is not a directive such as %%YAML 1.2; only versions 1.x can be read", number, body)
				}
			}
			out.WriteString(line[len(body):])
			continue
		case before && strings.TrimSpace(body) != "" && !strings.HasPrefix(strings.TrimSpace(body), "#"):
			if directives > 0 && !isWord(body, "---") {
				return "", fmt.Errorf(`line %d: after the directives, a document begins with "---"`, number)
			}
			before, directives, versions = false, 0, 0
		}
		if isWord(body, "...") {
			before = true
		}
		out.WriteString(line)
	}
	if directives > 0 {
		return "", errors.New(`no document follows the directives; it begins with "---"`)
	}
	return out.String(), nil
}

// isWord reports whether a line begins with a word.
func isWord(line, word string) bool {
	rest, found := strings.CutPrefix(line, word)
	return found && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}
