package markdown

import (
	"fmt"
	"strings"
)

const (
	// maxText is how many bytes a text may have.
	maxText = 1 << 20
	// maxNested is how many quotes and lists one line may begin in each other,
	// and maxMargin how far a line may be indented. The time to parse grows with
	// the square of them.
	maxNested = 100
	maxMargin = 500
	// maxBrackets is how many links may begin, for the same reason.
	maxBrackets = 10_000
)

// splitFront returns what stands between two lines --- or +++ at the beginning,
// and what follows. Without it front is "". A blank line takes its place, so
// that lines keep their numbers.
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

// check refuses what would take the parser too long.
func check(body string) error {
	if len(body) > maxText {
		return fmt.Errorf("the text has %d bytes; the most is %d", len(body), maxText)
	}
	if n := strings.Count(body, "["); n > maxBrackets {
		return fmt.Errorf("the text has %d square brackets that open; the most is %d, give a part of it", n, maxBrackets)
	}
	number := 0
	for line := range strings.Lines(body) {
		number++
		margin := len(line) - len(strings.TrimLeft(line, " \t"))
		if margin > maxMargin {
			return fmt.Errorf("line %d is indented by %d characters; the most is %d", number, margin, maxMargin)
		}
		if nested(line) > maxNested {
			return fmt.Errorf("line %d begins more than %d quotes or lists in each other", number, maxNested)
		}
	}
	return nil
}

// nested returns how many quotes and lists the line begins at the most.
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
		return 0 // a rule, or the line below a heading
	}
	return n
}
