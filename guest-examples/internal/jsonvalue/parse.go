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
	// MaxDepth limits the nesting of arrays and objects.
	MaxDepth = 1000
	// MaxValues limits the number of values. A value takes about 100 bytes, many times the size of
	// its text, and Go's garbage collector may need as much again.
	MaxValues = 500_000
)

var (
	// ErrDepth is the error for a value nested deeper than MaxDepth.
	ErrDepth = fmt.Errorf("arrays and objects are nested more than %d deep", MaxDepth)
	// ErrSize is the error for more than MaxValues values.
	ErrSize = fmt.Errorf("there are more than %d values; process a smaller part", MaxValues)

	errEncoding = errors.New("the text is not valid UTF-8")
)

// Parse parses one JSON value. A duplicate name in an object is an error.
func Parse(data []byte) (Value, error) {
	values, _, err := parse(data)
	switch {
	case err != nil:
		return Value{}, err
	case len(values) == 0:
		return Value{}, io.ErrUnexpectedEOF
	case len(values) > 1:
		return Value{}, errors.New("unexpected data after the JSON value")
	}
	return values[0], nil
}

// UnmarshalJSON implements json.Unmarshaler, so that an argument can have the type Value. It
// decodes null as a value of the kind Null.
func (v *Value) UnmarshalJSON(data []byte) error {
	parsed, err := Parse(data)
	if err == nil {
		*v = parsed
	}
	return err
}

// ParseText parses a sequence of JSON values, as in JSON Lines. An empty sequence is an error. An
// error begins with its line and column. It wraps ErrDepth or ErrSize if the text exceeds one of
// these limits.
func ParseText(text string) ([]Value, error) {
	values, at, err := parse([]byte(text))
	return values, explain(text, len(values), at, err)
}

// Split checks that text is a sequence of JSON values and returns their text. Unlike ParseText,
// it accepts duplicate names and has no limits.
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
			at, err := splitError(d, err)
			return values, explain(text, len(values), at, err)
		}
		end := int(d.InputOffset())
		values = append(values, data[end-len(value):end:end])
	}
}

// newDecoder returns a JSON decoder that accepts duplicate names and unpaired surrogates, which
// some programs write.
func newDecoder(data []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// splitError splits an error of the decoder into its offset and its cause. The cause is nil at the
// end of the text.
func splitError(d *jsontext.Decoder, err error) (at int, what error) {
	var syntax *jsontext.SyntacticError
	switch {
	case err == io.EOF:
		return 0, nil
	case errors.As(err, &syntax):
		return int(syntax.ByteOffset), syntax.Err
	}
	return int(d.InputOffset()), err
}

// explain adds to err the line and column of the offset "at" in source. If err is nil, explain
// returns nil, or an error if the source has no values (n = 0).
func explain(source string, n, at int, err error) error {
	switch {
	case err == nil && n == 0:
		return errors.New("the text is empty; it must contain a JSON value")
	case err == nil || err == errEncoding:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		at, err = len(source), errors.New("the text ends inside a value")
	}
	return fmt.Errorf("%s: %w", text.Position(source, at), err)
}

// parse returns all values of the data, or the offset and the cause of the first error.
func parse(data []byte) (values []Value, at int, err error) {
	if !utf8.Valid(data) {
		return nil, 0, errEncoding
	}
	p := parser{decoder: newDecoder(data), text: string(data), left: MaxValues}
	for {
		v, err := p.value(0)
		if err != nil {
			at, err := splitError(p.decoder, err)
			return values, at, err
		}
		values = append(values, v)
	}
}

// parser parses values and counts them down from MaxValues.
type parser struct {
	decoder *jsontext.Decoder
	text    string // the values are substrings of this text
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

// count counts one more value, and returns an error if there are too many values.
func (p *parser) count() error {
	if p.left--; p.left < 0 {
		return ErrSize
	}
	return nil
}

// scalar returns the text of the next value, which is neither an array nor an object. An error
// belongs to the position of that value.
func (p *parser) scalar() (string, error) {
	raw, err := p.decoder.ReadValue()
	if err != nil {
		return "", err
	}
	end := int(p.decoder.InputOffset())
	return p.text[end-len(raw) : end], nil
}

func (p *parser) array(depth int) (Value, error) {
	if _, err := p.decoder.ReadToken(); err != nil { // skip the opening bracket
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
	if _, err := p.decoder.ReadToken(); err != nil { // skip the opening brace
		return Value{}, err
	}
	members := &Members{}
	for p.decoder.PeekKind() != jsontext.KindEndObject {
		literal, err := p.scalar()
		if err != nil {
			return Value{}, err
		}
		name := unquote(literal)
		if members.find(name) >= 0 { // checked here, so that the error is at the name
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

// unquote returns the value of a JSON string.
func unquote(literal string) string {
	if !strings.Contains(literal, `\`) {
		return literal[1 : len(literal)-1]
	}
	// The error only reports an unpaired surrogate, which becomes U+FFFD.
	unquoted, _ := jsontext.AppendUnquote(nil, literal)
	return string(unquoted)
}
