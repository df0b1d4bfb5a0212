package tree

import (
	"bytes"
	"encoding/json"
	"strings"
)

// JSON lays values out as JSON.
type JSON struct {
	// Indent is how many spaces a level is indented by, with a line for each
	// member and item. With 0 a value stands on one line.
	Indent int
	// Max is the size of the output, in bytes, at which writing ends: a little
	// later, and the value is then cut off. It is for the caller to look.
	Max int
}

// Append appends the value to out.
func (j JSON) Append(out []byte, value Value) []byte {
	return j.append(out, value, 0)
}

func (j JSON) append(out []byte, value Value, level int) []byte {
	if len(out) > j.Max {
		return out
	}
	switch value.Kind {
	case Null:
		return append(out, "null"...)
	case String:
		return AppendQuoted(out, value.Text)
	case List:
		out = append(out, '[')
		for i, item := range value.Items {
			out = j.append(j.between(out, i, level+1), item, level+1)
		}
		return append(j.end(out, len(value.Items), level), ']')
	case Object:
		out = append(out, '{')
		for i, member := range value.Members {
			out = append(AppendQuoted(j.between(out, i, level+1), member.Name), ':')
			if j.Indent > 0 {
				out = append(out, ' ')
			}
			out = j.append(out, member.Value, level+1)
		}
		return append(j.end(out, len(value.Members), level), '}')
	}
	return append(out, value.Text...)
}

// between appends what stands before the item i.
func (j JSON) between(out []byte, i, level int) []byte {
	if i > 0 {
		out = append(out, ',')
	}
	return j.newLine(out, level)
}

// end appends what stands before the closing bracket after n items.
func (j JSON) end(out []byte, n, level int) []byte {
	if n == 0 {
		return out
	}
	return j.newLine(out, level)
}

func (j JSON) newLine(out []byte, level int) []byte {
	if j.Indent == 0 || len(out) > j.Max {
		return out
	}
	return append(append(out, '\n'), strings.Repeat(" ", j.Indent*level)...)
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
