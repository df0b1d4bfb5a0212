package jsontree

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Key returns a key for comparing values. Two values have the same key if and only if they are
// equal in JSON Schema. JSON Schema compares fields in any order and numbers by value.
func (v *Value) Key() []byte { return v.appendKey(make([]byte, 0, 64)) }

func (v *Value) appendKey(buf []byte) []byte {
	switch v.Kind {
	case Object:
		order := make([]int, len(v.Members))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return strings.Compare(v.Members[i].Name, v.Members[j].Name) })
		buf = append(buf, '{')
		for _, i := range order {
			m := &v.Members[i]
			buf = m.Value.appendKey(appendText(buf, m.Name))
		}
		return append(buf, '}')
	case Array:
		buf = append(buf, '[')
		for i := range v.Items {
			buf = v.Items[i].appendKey(buf)
		}
		return append(buf, ']')
	case String:
		return appendText(buf, v.Text())
	case Number:
		return appendNumber(buf, v.Literal)
	default:
		return AppendKey(buf, v.Tree(nil))
	}
}

// AppendKey appends the key of a value in the form of [Value.Tree].
func AppendKey(buf []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		buf = append(buf, '{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			buf = AppendKey(appendText(buf, name), v[name])
		}
		return append(buf, '}')
	case []any:
		buf = append(buf, '[')
		for _, item := range v {
			buf = AppendKey(buf, item)
		}
		return append(buf, ']')
	case string:
		return appendText(buf, v)
	case json.Number:
		return appendNumber(buf, v.String())
	case bool:
		if v {
			return append(buf, 't')
		}
		return append(buf, 'f')
	default:
		return append(buf, 'n')
	}
}

// appendText appends a text after its length, so that two different values cannot have the same
// key.
func appendText(buf []byte, text string) []byte {
	buf = strconv.AppendInt(buf, int64(len(text)), 10)
	buf = append(buf, ':')
	return append(buf, text...)
}

func appendNumber(buf []byte, literal string) []byte {
	buf = append(buf, '#')
	buf = append(buf, PlainNumber(literal)...)
	return append(buf, ';')
}
