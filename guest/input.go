package guest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// decode turns the input into what the tool takes.
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
		// encoding/json refuses 5.0 for an int, JSON Schema does not. Other numbers
		// keep their spelling where there is no need to touch any.
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
		return errors.New("there is more after the JSON value")
	}
	return nil
}

// explain names the argument that does not fit rather than types of the decoder.
func explain(err error) error {
	var wrong *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Errorf("%s: %s does not fit the type %s", wrong.Field, wrong.Value, wrong.Type)
	case errors.As(err, &wrong):
		return fmt.Errorf("%s does not fit the type %s", wrong.Value, wrong.Type)
	case errors.As(err, &syntax), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("no valid JSON: %w", err)
	}
	return err
}
