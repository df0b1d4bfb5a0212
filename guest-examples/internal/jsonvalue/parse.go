package jsonvalue

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
)

const (
	// MaxDepth is how deep arrays and objects may lie in each other.
	MaxDepth = 1000
	// MaxValues is how many values there may be in all, as each takes many times
	// the memory of its text: some 100 bytes, and a Go program may need the double
	// of what it holds.
	MaxValues = 500_000
)

var (
	// ErrDepth is the error for what lies deeper than MaxDepth.
	ErrDepth = fmt.Errorf("arrays and objects lie more than %d deep in each other", MaxDepth)
	// ErrSize is the error for more than MaxValues.
	ErrSize = fmt.Errorf("there are more than %d values; take a part of them", MaxValues)

	errEncoding = errors.New("the text is not valid UTF-8")
)

// Parse reads one JSON value. That an object has a name twice is an error.
func Parse(data []byte) (Value, error) {
	values, _, err := parse(data)
	switch {
	case err != nil:
		return Value{}, err
	case len(values) == 0:
		return Value{}, io.ErrUnexpectedEOF
	case len(values) > 1:
		return Value{}, errors.New("something follows the JSON value")
	}
	return values[0], nil
}

// UnmarshalJSON makes Value a type of arguments; null is a value as well.
func (v *Value) UnmarshalJSON(data []byte) error {
	parsed, err := Parse(data)
	if err == nil {
		*v = parsed
	}
	return err
}

// ParseText reads a text of JSON values one after the other, as in JSON Lines;
// one without any is an error. Errors begin with the place of the fault, and wrap
// ErrDepth and ErrSize.
func ParseText(text string) ([]Value, error) {
	values, at, err := parse([]byte(text))
	return values, explain(text, len(values), at, err)
}

// Split checks that text is a row of JSON values, as ParseText does but for names
// that occur twice and the bounds, and returns the values as they stand.
func Split(text string) ([][]byte, error) {
	if !utf8.ValidString(text) {
		return nil, errEncoding
	}
	data := []byte(text)
	d := newDecoder(data)
	var values [][]byte
	for {
		value, err := d.ReadValue()
		if err != nil {
			at, err := fault(d, err)
			return values, explain(text, len(values), at, err)
		}
		end := int(d.InputOffset())
		values = append(values, data[end-len(value):end:end])
	}
}

// newDecoder returns a decoder of JSON that takes names twice and halves of surrogate
// pairs, which some programs write.
func newDecoder(data []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// fault takes apart an error of the decoder: where it is, as an offset, and what. At the
// end of the text there is none.
func fault(d *jsontext.Decoder, err error) (at int, what error) {
	var syntax *jsontext.SyntacticError
	switch {
	case err == io.EOF:
		return 0, nil
	case errors.As(err, &syntax):
		return int(syntax.ByteOffset), syntax.Err
	}
	return int(d.InputOffset()), err
}

// explain makes the error of a source of n values and then a fault, if there is one.
func explain(source string, n, at int, err error) error {
	switch {
	case err == nil && n == 0:
		return errors.New("the text is empty; it must hold a JSON value")
	case err == nil || err == errEncoding:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		at, err = len(source), errors.New("the text ends inside a value")
	}
	return fmt.Errorf("%s: %w", text.Position(source, at), err)
}

// parse returns all values of the data, or the offset of the first fault and what it is.
func parse(data []byte) (values []Value, at int, err error) {
	if !utf8.Valid(data) {
		return nil, 0, errEncoding
	}
	p := parser{decoder: newDecoder(data), text: string(data), left: MaxValues}
	for {
		v, err := p.value(0)
		if err != nil {
			at, err := fault(p.decoder, err)
			return values, at, err
		}
		values = append(values, v)
	}
}

// parser reads values while there are any left that may be read.
type parser struct {
	decoder *jsontext.Decoder
	text    string // of which values keep parts
	left    int
}

func (p *parser) value(depth int) (Value, error) {
	kind := p.decoder.PeekKind()
	if kind == jsontext.KindBeginArray || kind == jsontext.KindBeginObject {
		if depth == MaxDepth {
			return Value{}, ErrDepth
		}
		if err := p.count(); err != nil {
			return Value{}, err
		}
		if kind == jsontext.KindBeginArray {
			return p.array(depth + 1)
		}
		return p.object(depth + 1)
	}
	literal, err := p.scalar()
	if err != nil {
		return Value{}, err
	}
	if err := p.count(); err != nil {
		return Value{}, err
	}
	switch kind {
	case jsontext.KindString:
		return NewString(unquote(literal)), nil
	case jsontext.KindNumber:
		return NewNumber(literal), nil
	case jsontext.KindTrue, jsontext.KindFalse:
		return NewBool(kind == jsontext.KindTrue), nil
	}
	return NewNull(), nil
}

// count counts a value.
func (p *parser) count() error {
	if p.left--; p.left < 0 {
		return ErrSize
	}
	return nil
}

// scalar returns the text of the next value, which is no array and no object, or the
// fault at its place.
func (p *parser) scalar() (string, error) {
	raw, err := p.decoder.ReadValue()
	if err != nil {
		return "", err
	}
	end := int(p.decoder.InputOffset())
	return p.text[end-len(raw) : end], nil
}

func (p *parser) array(depth int) (Value, error) {
	if _, err := p.decoder.ReadToken(); err != nil { // the bracket
		return Value{}, err
	}
	items := []Value{}
	for p.decoder.PeekKind() != jsontext.KindEndArray {
		v, err := p.value(depth)
		if err != nil {
			return Value{}, err
		}
		items = append(items, v)
	}
	_, err := p.decoder.ReadToken()
	return NewArray(items), err
}

func (p *parser) object(depth int) (Value, error) {
	if _, err := p.decoder.ReadToken(); err != nil { // the brace
		return Value{}, err
	}
	members := &Members{}
	for p.decoder.PeekKind() != jsontext.KindEndObject {
		literal, err := p.scalar()
		if err != nil {
			return Value{}, err
		}
		name := unquote(literal)
		if members.find(name) >= 0 { // asked here, so that the fault is at the name
			return Value{}, duplicate(name)
		}
		v, err := p.value(depth)
		if err != nil {
			return Value{}, err
		}
		members.add(name, v)
	}
	_, err := p.decoder.ReadToken()
	return NewObject(members), err
}

// unquote returns what a string of JSON stands for.
func unquote(literal string) string {
	if !strings.Contains(literal, `\`) {
		return literal[1 : len(literal)-1]
	}
	// The error is for half of a surrogate pair, in place of which U+FFFD comes.
	unquoted, _ := jsontext.AppendUnquote(nil, literal)
	return string(unquoted)
}
