package jsonvalue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

const (
	// MaxDepth is how deep arrays and objects may be nested.
	MaxDepth = 500
	// MaxValues is how many values there may be in all, as each takes many times
	// the memory of its text.
	MaxValues = 100_000
)

// Parse reads one JSON value. Of members with equal names the last one counts,
// at the place of the first.
func Parse(data []byte) (Value, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	p := parser{d: d, left: MaxValues}
	v, err := p.value(0)
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

// parser reads values while there are any left that may be read.
type parser struct {
	d    *json.Decoder
	left int
}

func (p *parser) value(depth int) (Value, error) {
	token, err := p.d.Token()
	if err != nil {
		return Value{}, err
	}
	if p.left--; p.left < 0 {
		return Value{}, fmt.Errorf("it has more than %d values; do it in parts", MaxValues)
	}
	switch t := token.(type) {
	case bool:
		return NewBool(t), nil
	case json.Number:
		return newNumber(t.String())
	case string:
		return NewString(t), nil
	case json.Delim:
		if depth == MaxDepth {
			return Value{}, fmt.Errorf("it is nested more than %d deep", MaxDepth)
		}
		if t == '[' {
			return p.array(depth + 1)
		}
		return p.object(depth + 1)
	}
	return NewNull(), nil
}

func (p *parser) array(depth int) (Value, error) {
	items := []Value{}
	for p.d.More() {
		v, err := p.value(depth)
		if err != nil {
			return Value{}, err
		}
		items = append(items, v)
	}
	_, err := p.d.Token()
	return NewArray(items), err
}

func (p *parser) object(depth int) (Value, error) {
	members := &Members{}
	for p.d.More() {
		name, err := p.d.Token()
		if err != nil {
			return Value{}, err
		}
		v, err := p.value(depth)
		if err != nil {
			return Value{}, err
		}
		members.Set(name.(string), v) // the decoder lets nothing else stand there
	}
	_, err := p.d.Token()
	return NewObject(members), err
}
