// Package plainjson writes JSON that models and people can read easily, and compares JSON.
package plainjson

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Encode encodes a value on one line without escapes for HTML, which a model does not need. The
// errors come from encoding/json.
func Encode(value any) ([]byte, error) {
	return encode(value, "")
}

// Indented is like Encode, but writes several indented lines and a newline at the end.
func Indented(value any) ([]byte, error) {
	text, err := encode(value, "  ")
	if err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}

func encode(value any, indent string) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// String encodes a JSON string. Bytes that are not UTF-8 become U+FFFD.
func String(text string) []byte {
	b, _ := Encode(text) // a string always encodes
	return b
}

// Compact removes the white space between the tokens of JSON. The errors come from encoding/json.
func Compact(text []byte) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// IsIn reports whether one of texts is the same JSON as value, apart from white space between the
// tokens. Invalid JSON is not the same as anything.
func IsIn(value []byte, texts ...string) bool {
	want, err := Compact(value)
	return err == nil && slices.ContainsFunc(texts, func(text string) bool {
		got, err := Compact([]byte(text))
		return err == nil && bytes.Equal(got, want)
	})
}
