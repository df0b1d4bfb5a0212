package guest

import (
	"bytes"
	"encoding/json"
	"errors"
)

// encode turns the output into bytes. Its static type alone decides on the form, so
// that a tool can't break what its manifest promises.
func encode[Out any](out Out) ([]byte, error) {
	if text, ok := any(&out).(*string); ok {
		return []byte(*text), nil
	}
	if result, ok := any(&out).(*Result); ok {
		return result.MarshalJSON() // which package json would check and copy once more
	}
	data, err := marshal(out)
	var of *json.MarshalerError
	if errors.As(err, &of) {
		err = of.Err // its own text says enough
	}
	return data, err
}

// marshal writes one JSON value. Letters such as < stay readable: no browser runs it.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}
