package guest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// decode decodes the input into the argument type of the tool.
func decode[In any](data []byte) (In, error) {
	var in In
	if text, ok := any(&in).(*string); ok {
		*text = string(data)
		return in, nil
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return in, nil
	}
	err := unmarshal(data, &in)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && strings.HasPrefix(wrong.Value, "number") {
		// encoding/json rejects 5.0 for an int, but JSON Schema accepts it. Respell whole numbers
		// only after such an error, so that all other inputs are decoded with their original
		// spelling.
		in = *new(In)
		err = unmarshal(respellWhole(data), &in)
	}
	return in, explain(err)
}

// unmarshal decodes exactly one JSON value.
func unmarshal(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("unexpected data after the JSON value")
	}
	return nil
}

// explain rewords err so that it names the invalid argument instead of a Go struct field.
func explain(err error) error {
	var wrong *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Errorf("%s: %s is not a valid %s", wrong.Field, wrong.Value, wrong.Type)
	case errors.As(err, &wrong):
		return fmt.Errorf("%s is not a valid %s", wrong.Value, wrong.Type)
	case errors.As(err, &syntax), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("invalid JSON: %w", err)
	}
	return err
}
