// Package plainjson writes JSON as it is read by models and people, and compares JSON texts.
package plainjson

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Encode writes a value on one line, without escapes for HTML, which a model would read as
// noise. Errors are those of encoding/json.
func Encode(value any) ([]byte, error) {
	return encode(value, "")
}

// Indented is Encode on several lines, with a line break at the end.
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

// String writes a JSON string. Bytes that are not UTF-8 become U+FFFD.
func String(text string) []byte {
	b, _ := Encode(text) // a string always encodes
	return b
}

// Compact drops the spaces between the tokens of a JSON text. Errors are those of
// encoding/json.
func Compact(text []byte) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// IsIn reports whether one of texts is the same JSON as value but for the spaces between
// its tokens. What is no JSON is the same as nothing.
func IsIn(value []byte, texts ...string) bool {
	want, err := Compact(value)
	return err == nil && slices.ContainsFunc(texts, func(text string) bool {
		got, err := Compact([]byte(text))
		return err == nil && bytes.Equal(got, want)
	})
}
