package jsonvalue

import (
	"math"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Layout is how values are written as JSON. The zero value puts them on one line
// without spaces.
type Layout struct {
	// Indent is how many spaces a level is indented by, with a line for each
	// member and item. With 0 a value stands on one line.
	Indent int
	// Spaced puts a space after the commas and colons of a value on one line.
	Spaced bool
	// Max is the size of the output, in bytes, at which writing ends: a little
	// later, and the value is then cut off. It is for the caller to look. 0 means
	// none.
	Max int
}

// String returns the value as JSON on one line, with a space after commas and
// colons. An absent value is null.
func (v Value) String() string {
	return string(Layout{Spaced: true}.Append(nil, v))
}

// Append appends the value to out. An absent value is null.
func (l Layout) Append(out []byte, v Value) []byte {
	if l.Max == 0 {
		l.Max = math.MaxInt
	}
	return l.append(out, v, 0)
}

func (l Layout) append(out []byte, v Value, level int) []byte {
	if len(out) > l.Max {
		return out
	}
	switch v.kind {
	case Absent, Null:
		return append(out, "null"...)
	case String:
		return AppendQuoted(out, v.text)
	case Array:
		out = append(out, '[')
		for i, item := range v.items {
			out = l.append(l.before(out, i, level+1), item, level+1)
		}
		return append(l.end(out, len(v.items), level), ']')
	case Object:
		out = append(out, '{')
		for i, member := range v.Members().list {
			out = append(AppendQuoted(l.before(out, i, level+1), member.name), ':')
			if l.Indent > 0 || l.Spaced {
				out = append(out, ' ')
			}
			out = l.append(out, member.value, level+1)
		}
		return append(l.end(out, v.Members().Len(), level), '}')
	}
	return append(out, v.text...)
}

// before appends what stands before the item i.
func (l Layout) before(out []byte, i, level int) []byte {
	if i > 0 {
		out = append(out, ',')
	}
	if i > 0 && l.Spaced && l.Indent == 0 {
		out = append(out, ' ')
	}
	return l.newLine(out, level)
}

// end appends what stands before the closing bracket after n items.
func (l Layout) end(out []byte, n, level int) []byte {
	if n == 0 {
		return out
	}
	return l.newLine(out, level)
}

func (l Layout) newLine(out []byte, level int) []byte {
	if l.Indent == 0 || len(out) > l.Max {
		return out
	}
	return append(append(out, '\n'), strings.Repeat(" ", l.Indent*level)...)
}

// AppendQuoted appends text as a string of JSON. Characters that only HTML asks
// to escape stay as they are.
func AppendQuoted(out []byte, text string) []byte {
	// The error is for what is no UTF-8, in place of which U+FFFD comes.
	out, _ = jsontext.AppendQuote(out, text)
	return out
}
