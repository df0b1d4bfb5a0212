package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"reflect"
	"slices"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// decode decodes one JSON value with exact numbers.
func decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the value is followed by something else")
	}
	return v, nil
}

// sameType reports whether two JSON values have the same type.
func sameType(a, b any) bool { return reflect.TypeOf(a) == reflect.TypeOf(b) }

// equal compares JSON values: numbers by value, fields in any order.
func equal(a, b any) bool {
	if !sameType(a, b) {
		return false
	}
	switch a := a.(type) {
	case json.Number:
		return jsontree.PlainNumber(a.String()) == jsontree.PlainNumber(b.(json.Number).String())
	case []any:
		return slices.EqualFunc(a, b.([]any), equal)
	case map[string]any:
		return maps.EqualFunc(a, b.(map[string]any), equal)
	}
	return a == b
}
