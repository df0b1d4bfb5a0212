package jsonvalue

import (
	"math"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Layout is the format of JSON output. The zero value writes one line without spaces.
type Layout struct {
	// Indent is the number of spaces by which each level is indented; each member and item then has
	// its own line. 0 writes a single line.
	Indent int
	// Spaced adds a space after the commas and colons of a value on one line.
	Spaced bool
	// Max is the size in bytes at which writing stops; 0 means no limit. The output may be
	// slightly longer and is then incomplete; the caller must check its length.
	Max int
}

// String returns the value as JSON on one line, with a space after commas and colons. An absent
// value is null.
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

// before appends the separator in front of the item i.
func (l Layout) before(out []byte, i, level int) []byte {
	if i > 0 {
		out = append(out, ',')
	}
	if i > 0 && l.Spaced && l.Indent == 0 {
		out = append(out, ' ')
	}
	return l.newLine(out, level)
}

// end appends the line break and indentation before the closing bracket after n items.
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

// AppendQuoted appends text as a JSON string. It does not escape characters for HTML.
func AppendQuoted(out []byte, text string) []byte {
	// The error only reports invalid UTF-8, which becomes U+FFFD.
	out, _ = jsontext.AppendQuote(out, text)
	return out
}
