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
func (v *Value) Key() []byte { return AppendKey(make([]byte, 0, 64), v) }

// AppendKey appends the key of a *Value, or of a value in the form of [Value.Tree].
func AppendKey(buf []byte, v any) []byte {
	switch v := v.(type) {
	case *Value:
		if v.Kind != Object {
			return AppendKey(buf, v.Tree(nil))
		}
		members := slices.Clone(v.Members)
		slices.SortFunc(members, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
		buf = append(buf, '{')
		for i := range members {
			buf = AppendKey(AppendKey(buf, members[i].Name), &members[i].Value)
		}
		return append(buf, '}')
	case map[string]any:
		buf = append(buf, '{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			buf = AppendKey(buf, name)
			buf = AppendKey(buf, v[name])
		}
		return append(buf, '}')
	case []any:
		buf = append(buf, '[')
		for _, item := range v {
			buf = AppendKey(buf, item)
		}
		return append(buf, ']')
	case string:
		// The length comes first, so that two different values cannot have the same key.
		buf = strconv.AppendInt(buf, int64(len(v)), 10)
		buf = append(buf, ':')
		return append(buf, v...)
	case json.Number:
		buf = append(buf, '#')
		buf = append(buf, PlainNumber(v.String())...)
		return append(buf, ';')
	case bool:
		if v {
			return append(buf, 't')
		}
		return append(buf, 'f')
	default:
		return append(buf, 'n')
	}
}
