package tree

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// SplitJSON checks that text is a row of JSON values, as in JSON Lines, and
// returns them as they stand. The error says where the first fault is; a text
// without a value is one.
func SplitJSON(text string) ([]json.RawMessage, error) {
	if !utf8.ValidString(text) {
		return nil, errors.New("the text is not valid UTF-8")
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	var values []json.RawMessage
	for {
		var value json.RawMessage
		err := decoder.Decode(&value)
		var syntax *json.SyntaxError
		switch {
		case err == io.EOF && len(values) > 0:
			return values, nil
		case err == io.EOF:
			return nil, errors.New("the text is empty; it must hold a JSON value")
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, fmt.Errorf("%s: the text ends inside a value", Position(text, len(text)))
		case errors.As(err, &syntax):
			return nil, fmt.Errorf("%s: %w", Position(text, int(syntax.Offset)-1), err)
		case err != nil:
			return nil, err
		}
		values = append(values, value)
	}
}

// Position returns the line and the column, in characters, of the byte at
// offset in text; both count from 1.
func Position(text string, offset int) string {
	before := text[:max(0, min(offset, len(text)))]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return fmt.Sprintf("line %d, column %d", strings.Count(before, "\n")+1, utf8.RuneCountInString(line)+1)
}

// ParseJSON returns the value of one JSON text, as SplitJSON gives them. The
// error is for a name that an object has twice, or wraps
// ErrDepth or ErrSize.
func ParseJSON(text []byte) (Value, error) {
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	value, err := (&parser{Decoder: decoder, left: MaxValues}).value(0)
	if err != nil {
		return Value{}, fmt.Errorf("%s: %w", Position(string(text), int(decoder.InputOffset())), err)
	}
	return value, nil
}

type parser struct {
	*json.Decoder
	left int // how many values more there may be
}

func (p *parser) value(depth int) (Value, error) {
	if p.left--; p.left < 0 {
		return Value{}, ErrSize
	}
	token, err := p.Token()
	if err != nil {
		return Value{}, err
	}
	switch token := token.(type) {
	case bool:
		return Value{Kind: Bool, Text: fmt.Sprint(token)}, nil
	case json.Number:
		return Value{Kind: Number, Text: token.String()}, nil
	case string:
		return Text(token), nil
	case json.Delim:
		if depth >= MaxDepth {
			return Value{}, ErrDepth
		}
		if token == '{' {
			return p.object(depth)
		}
		return p.list(depth)
	}
	return Value{}, nil // null
}

func (p *parser) list(depth int) (Value, error) {
	list := Value{Kind: List}
	for p.More() {
		item, err := p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		list.Items = append(list.Items, item)
	}
	_, err := p.Token() // the bracket
	return list, err
}

func (p *parser) object(depth int) (Value, error) {
	var object Builder
	for p.More() {
		token, err := p.Token()
		if err != nil {
			return Value{}, err
		}
		name, ok := token.(string)
		if !ok {
			return Value{}, fmt.Errorf("%v is no name of a member", token)
		}
		if _, twice := object.Get(name); twice {
			return Value{}, fmt.Errorf("%.60q %w", name, errDuplicate)
		}
		value, err := p.value(depth + 1)
		if err == nil {
			err = object.Add(name, value)
		}
		if err != nil {
			return Value{}, err
		}
	}
	_, err := p.Token() // the brace
	return object.Object(), err
}
