package tree

import (
	"bytes"
	"encoding/json"
	"strings"
)

// AppendJSON appends the value as JSON to out: on one line if indent is 0, or
// else with a line for each member and item, and that many spaces a level.
func AppendJSON(out []byte, value Value, indent int) []byte {
	return appendJSON(out, value, indent, 0)
}

func appendJSON(out []byte, value Value, indent, level int) []byte {
	switch value.Kind {
	case Null:
		return append(out, "null"...)
	case String:
		return AppendQuoted(out, value.Text)
	case List:
		out = append(out, '[')
		for i, item := range value.Items {
			out = appendJSON(between(out, i, indent, level+1), item, indent, level+1)
		}
		return append(end(out, len(value.Items), indent, level), ']')
	case Object:
		out = append(out, '{')
		for i, member := range value.Members {
			out = append(AppendQuoted(between(out, i, indent, level+1), member.Name), ':')
			if indent > 0 {
				out = append(out, ' ')
			}
			out = appendJSON(out, member.Value, indent, level+1)
		}
		return append(end(out, len(value.Members), indent, level), '}')
	}
	return append(out, value.Text...)
}

// between appends what stands before the item i.
func between(out []byte, i, indent, level int) []byte {
	if i > 0 {
		out = append(out, ',')
	}
	return newLine(out, indent, level)
}

// end appends what stands before the closing bracket after n items.
func end(out []byte, n, indent, level int) []byte {
	if n == 0 {
		return out
	}
	return newLine(out, indent, level)
}

func newLine(out []byte, indent, level int) []byte {
	if indent == 0 {
		return out
	}
	return append(append(out, '\n'), strings.Repeat(" ", indent*level)...)
}

// AppendQuoted appends text as a string of JSON. Characters that only HTML asks
// to escape stay as they are.
func AppendQuoted(out []byte, text string) []byte {
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		return append(out, `""`...) // no string fails
	}
	return append(out, bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))...)
}
