package markdown

import (
	"fmt"
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
// the body. front is "" if there is no front matter. In body, empty lines replace the front matter,
// so that line numbers stay the same.
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
