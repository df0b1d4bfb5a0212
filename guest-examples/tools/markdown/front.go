package markdown

import (
	"fmt"
	"strings"
)

const (
	// maxText limits the size of the text, in bytes.
	maxText = 1 << 20
	// maxNested limits the quotes and lists nested on one line, and maxMargin the indentation of
	// a line. The time to parse grows with the square of both.
	maxNested = 100
	maxMargin = 500
	// maxBrackets limits the possible starts of links, whose parsing also takes quadratic time.
	maxBrackets = 10_000
)

// splitFront returns the front matter between two lines --- or +++ at the beginning, and the rest.
// Without front matter, front is "". In the rest, blank lines replace the front matter, so that
// line numbers stay the same.
func splitFront(content string) (front, body string) {
	for _, fence := range []string{"---", "+++"} {
		first, rest, ok := strings.Cut(content, "\n")
		if !ok || strings.TrimRight(first, " \t\r") != fence {
			continue
		}
		lines := 1
		for at := 0; at < len(rest); lines++ {
			end := len(rest)
			if i := strings.IndexByte(rest[at:], '\n'); i >= 0 {
				end = at + i + 1
			}
			if strings.TrimRight(rest[at:end], " \t\r\n") == fence {
				return rest[:at], strings.Repeat("\n", lines+1) + rest[end:]
			}
			at = end
		}
	}
	return "", content
}

// check refuses texts that would take the parser too long.
func check(body string) error {
	if len(body) > maxText {
		return fmt.Errorf("the text has %d bytes; the limit is %d", len(body), maxText)
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
			return fmt.Errorf("line %d nests more than %d quotes or lists", number, maxNested)
		}
	}
	return nil
}

// nested returns an upper bound for the number of quotes and lists nested on the line.
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
