package placeholder

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// Argument is an element of a command line: a [Template], which makes one argument, or one of two
// forms that a template does not have. "{name...}" makes an argument of each element of a list, and
// "{name?text}" makes the argument text if the value of the parameter is true. The zero value makes
// an empty argument. An Argument is immutable and safe for concurrent use.
type Argument struct {
	Template
	form form
	flag string
}

// form says how an Argument uses the value of its only parameter.
type form uint8

const (
	whole form = iota // as its Template says
	list
	flag
)

// ParseArgument parses an element of a command line. The error says what is wrong and how to fix
// it.
func ParseArgument(source string) (Argument, error) {
	inner, begins := strings.CutPrefix(source, "{")
	inner, ends := strings.CutSuffix(inner, "}")
	name, isList := strings.CutSuffix(inner, "...")
	a := Argument{form: list}
	if !isList {
		name, a.flag, _ = strings.Cut(inner, "?")
		a.form = flag
	}
	if !begins || !ends || strings.ContainsAny(inner, "{}") || name == inner {
		t, err := Parse(source)
		return Argument{Template: t}, err
	}
	switch {
	case strings.TrimSpace(name) == "":
		return Argument{}, errors.New(`names no parameter; write "{files...}" or "{all?--all}", for example`)
	case a.form == flag && a.flag == "":
		return Argument{}, errors.New(`has no text after "?"; write the flag, as in "{all?--all}"`)
	}
	a.Template = Template{source: source, parts: []string{"", name}}
	return a, nil
}

// Type returns the JSON type that the parameter of the argument must have, or "" for any.
func (a Argument) Type() string {
	switch a.form {
	case list:
		return "array"
	case flag:
		return "boolean"
	}
	return ""
}

// ExpandAll returns the arguments that a makes for a call. value returns the content of a string,
// or the JSON of any other value. If a parameter has no value, the result is nil. The error is
// ErrTooLong if the arguments would have more than limit bytes.
func (a Argument) ExpandAll(limit int, value func(parameter string) (text string, ok bool)) ([]string, error) {
	if a.form == whole {
		text, err := a.Expand(limit, value)
		if errors.Is(err, ErrAbsent) {
			return nil, nil
		}
		return []string{text}, err
	}
	text, ok := value(a.parts[1])
	if !ok {
		return nil, nil
	}
	if a.form == flag {
		if text != "true" {
			return nil, nil
		}
		return []string{a.flag}, nil
	}
	if len(text) > limit {
		return nil, ErrTooLong
	}
	var elements []json.RawMessage
	if json.Unmarshal([]byte(text), &elements) != nil {
		return []string{text}, nil // a description by the program changed the type
	}
	all := make([]string, 0, len(elements))
	for _, e := range elements {
		arg := string(bytes.TrimSpace(e))
		if strings.HasPrefix(arg, `"`) {
			if err := json.Unmarshal(e, &arg); err != nil {
				return nil, err
			}
		}
		all = append(all, arg)
	}
	return all, nil
}
