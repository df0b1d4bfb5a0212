package jsonschema

import (
	"encoding/json"
	"strconv"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	keyword "github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// appendKey appends a text that two values share if and only if JSON Schema
// takes them for equal: numbers count by value, fields in any order. v is in
// the validator's form.
func appendKey(buf []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		buf = append(buf, '{')
		for _, name := range sorted(v) {
			buf = appendKey(buf, name)
			buf = appendKey(buf, v[name])
		}
		return append(buf, '}')
	case []any:
		buf = append(buf, '[')
		for _, item := range v {
			buf = appendKey(buf, item)
		}
		return append(buf, ']')
	case string:
		// With the length in front, no string can end another's key.
		buf = strconv.AppendInt(buf, int64(len(v)), 10)
		buf = append(buf, ':')
		return append(buf, v...)
	case json.Number:
		buf = append(buf, '#')
		buf = append(buf, plainNumber(v.String())...)
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

// notAllowed means that a value is none of those that enum or const lists.
type notAllowed struct {
	values []any
	types  jsontype.Set    // of the values
	keys   map[string]bool // of the values
}

func newNotAllowed(values []any) *notAllowed {
	e := &notAllowed{values: values, types: unionOf(values, typesOfTree), keys: map[string]bool{}}
	for _, v := range values {
		e.keys[string(appendKey(nil, v))] = true
	}
	return e
}

// lists reports whether v is one of the values.
func (e *notAllowed) lists(v any, b *budget) bool {
	if e.types&typesOfTree(v) == 0 {
		return false
	}
	return e.keys[string(spendKey(v, b))]
}

func (e *notAllowed) Error() string { return "not an allowed value" }

// spendKey returns the key of v and charges it to the budget.
func spendKey(v any, b *budget) []byte {
	key := appendKey(nil, v)
	b.spend(len(key) / 32)
	return key
}

// uniqueItems replaces the library's check of "uniqueItems", whose hash lets a
// caller choose many different items that collide.
type uniqueItems struct{ budget *budget }

// Validate implements the library's SchemaExt.
func (u uniqueItems) Validate(ctx *santhosh.ValidatorContext, v any) {
	list, _ := v.([]any)
	first := make(map[string]int, len(list))
	for i, item := range list {
		key := string(spendKey(item, u.budget))
		if j, ok := first[key]; ok {
			ctx.AddError(&keyword.UniqueItems{Duplicates: [2]int{j, i}})
			return
		}
		first[key] = i
	}
}
