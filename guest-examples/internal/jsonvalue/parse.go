package jsonvalue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// MaxDepth is how deep arrays and objects may be nested.
const MaxDepth = 500

// Parse reads one JSON value. Of members with equal names the last one counts,
// at the place of the first.
func Parse(data []byte) (Value, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := parse(d, 0)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return Value{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Value{}, errors.New("something follows the JSON value")
	}
	return v, nil
}

// UnmarshalJSON makes Value a type of arguments; null is a value as well.
func (v *Value) UnmarshalJSON(data []byte) error {
	parsed, err := Parse(data)
	if err == nil {
		*v = parsed
	}
	return err
}

func parse(d *json.Decoder, depth int) (Value, error) {
	token, err := d.Token()
	if err != nil {
		return Value{}, err
	}
	switch t := token.(type) {
	case bool:
		return NewBool(t), nil
	case json.Number:
		v := Value{kind: Number, text: t.String()}
		if _, err := parseDecimal(v.text); err != nil {
			return Value{}, err
		}
		return v, nil
	case string:
		return NewString(t), nil
	case json.Delim:
		if depth == MaxDepth {
			return Value{}, fmt.Errorf("it is nested more than %d deep", MaxDepth)
		}
		if t == '[' {
			return parseArray(d, depth+1)
		}
		return parseObject(d, depth+1)
	}
	return NewNull(), nil
}

func parseArray(d *json.Decoder, depth int) (Value, error) {
	items := []Value{}
	for d.More() {
		v, err := parse(d, depth)
		if err != nil {
			return Value{}, err
		}
		items = append(items, v)
	}
	_, err := d.Token()
	return NewArray(items), err
}

func parseObject(d *json.Decoder, depth int) (Value, error) {
	members := &Members{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return Value{}, err
		}
		v, err := parse(d, depth)
		if err != nil {
			return Value{}, err
		}
		members.Set(name.(string), v) // the decoder lets nothing else stand there
	}
	_, err := d.Token()
	return NewObject(members), err
}
