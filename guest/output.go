package guest

import (
	"bytes"
	"encoding/json"
	"errors"
)

// encode encodes the output. The static type alone decides the format, so that the output always
// matches the manifest.
func encode[Out any](out Out) ([]byte, error) {
	if text, ok := any(&out).(*string); ok {
		return []byte(*text), nil
	}
	if result, ok := any(&out).(*Result); ok {
		return result.MarshalJSON() // avoids the validation and the copy in package json
	}
	data, err := marshal(out)
	var of *json.MarshalerError
	if errors.As(err, &of) {
		err = of.Err // the wrapped error is clear enough
	}
	return data, err
}

// marshal writes one JSON value. It does not escape characters such as <, since no browser
// interprets the output.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}
