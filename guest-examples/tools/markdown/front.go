package markdown

import (
	"fmt"
	"regexp"
	"strings"
)

const (
	// maxText limits the size of the Markdown text, in bytes.
	maxText = 1 << 20
	// maxNested limits the number of nested quotes and lists on one line. maxMargin limits the
	// indentation of a line. The time to parse grows with the square of each.
	maxNested = 100
	maxMargin = 500
	// maxBrackets limits the number of opening brackets, which may begin links. Parsing links also
	// takes quadratic time.
	maxBrackets = 10_000
)

// splitFront returns the front matter, which is between two lines --- or +++ at the beginning, and
// the body. A line "..." may also end front matter between ---, as in YAML. front is "" if there is
// no front matter. In body, empty lines replace the front matter, so that line numbers stay the
// same.
func splitFront(content string) (front, body string) {
	first, rest, _ := strings.Cut(content, "\n")
	fence := strings.TrimRight(first, " \t\r")
	if fence != "---" && fence != "+++" {
		return "", content
	}
	at, lines := 0, 1
	for line := range strings.Lines(rest) {
		lines++
		end := strings.TrimRight(line, " \t\r\n")
		if end == fence || fence == "---" && end == "..." {
			if front = rest[:at]; !isFront(front, fence) {
				break
			}
			return front, strings.Repeat("\n", lines) + rest[at+len(line):]
		}
		at += len(line)
	}
	return "", content
}

// isFront reports whether text has the form of keys and values. Other text between two lines --- is
// a part of the document, in which --- is a thematic break or the underline of a heading.
func isFront(text, fence string) bool {
	key := regexp.MustCompile(`^("[^"]*"|'[^']*'|[^\s:#\-\[\]{}&*!|>%@,?][^:]*|\?.*|<<)[ \t]*:([ \t]|$)`)
	if fence == "+++" {
		key = regexp.MustCompile(`^([\w\-."' \t]+=|\[)`)
	}
	hasKey := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		switch {
		case line == "" || line[0] == '#':
		case key.MatchString(line):
			hasKey = true
		case !hasKey:
			return false
		case fence == "+++": // a value may have several lines
		case strings.IndexByte(" \t]}", line[0]) >= 0 || line == "-" || strings.HasPrefix(line, "- "):
		default:
			return false
		}
	}
	return hasKey || strings.TrimSpace(text) == ""
}

// check rejects texts that the parser would need too much time for.
func check(body string) error {
	if len(body) > maxText {
		return fmt.Errorf("the text has %d bytes; the limit is %d, so give a part of the text", len(body), maxText)
	}
	if n := strings.Count(body, "["); n > maxBrackets {
		return fmt.Errorf("the text has %d opening square brackets; the limit is %d, so give a part of the text", n, maxBrackets)
	}
	number := 0
	for line := range strings.Lines(body) {
		number++
		margin := len(line) - len(strings.TrimLeft(line, " \t"))
		if margin > maxMargin {
			return fmt.Errorf("line %d is indented by %d characters; the limit is %d", number, margin, maxMargin)
		}
		if nested(line) > maxNested {
			return fmt.Errorf("line %d has more than %d nested quotes or lists; remove some", number, maxNested)
		}
	}
	return nil
}

// nested returns an upper bound for the number of nested quotes and lists on the line.
func nested(line string) int {
	n := 0
	for i := range len(line) {
		switch c := line[i]; {
		case c == '>' || c == '-' || c == '*' || c == '+' || c == '.' || c == ')':
			n++
		case c != ' ' && c != '\t' && (c < '0' || c > '9'):
			return n
		}
	}
	if strings.Trim(line, " \t\r\n-*") == "" && !strings.Contains(strings.TrimSpace(line), " ") {
		return 0 // a thematic break, or the underline of a heading
	}
	return n
}
