package commands

import (
	"fmt"
	"strings"
)

// withLocations replaces $__loc__, which the interpreter lacks, with the object that it stands for.
// {$__loc__} is short for {"__loc__": $__loc__}.
func withLocations(source string) string {
	const name = "$__loc__"
	if !strings.Contains(source, name) {
		return source
	}
	var out strings.Builder
	line, inString, before := 1, false, byte(0)
	// open has the brackets around. A quotation mark stands for a string with an interpolation.
	var open []byte
	for i := 0; i < len(source); i++ {
		c := source[i]
		innermost := byte(0)
		if len(open) > 0 {
			innermost = open[len(open)-1]
		}
		switch {
		case c == '\n':
			line++
		case inString && c == '\\' && i+1 < len(source):
			out.WriteByte(c)
			i++
			if c = source[i]; c == '(' {
				open, inString = append(open, '"'), false
			}
		case c == '"':
			inString = !inString
		case inString:
		case c == '(' || c == '[' || c == '{':
			open = append(open, c)
		case (c == ')' || c == ']' || c == '}') && len(open) > 0:
			open, inString = open[:len(open)-1], innermost == '"'
		case c == '#':
			end := strings.IndexByte(source[i:], '\n')
			if end < 0 {
				return out.String()
			}
			i += end - 1
			continue
		case strings.HasPrefix(source[i:], name):
			if innermost == '{' && (before == '{' || before == ',') {
				out.WriteString(`"__loc__":`)
			}
			fmt.Fprintf(&out, `{"file":"<top-level>","line":%d}`, line)
			i += len(name) - 1
			before = '}'
			continue
		}
		if c != ' ' && c != '\n' && c != '\t' {
			before = c
		}
		out.WriteByte(c)
	}
	return out.String()
}
