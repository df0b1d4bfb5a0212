package toolabi

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Decoder returns a function that decodes argument objects into Args, a struct. Fields that
// Args lacks are ignored, as the host has already checked the object against the manifest's
// schema. Make it before the input is read, so that what it has to learn of Args is learnt
// once, and not in each call.
//
// It is as package json decodes. But that looks at each byte twice, through a function, and
// so takes several times as long in a guest: it is asked only for what is no plain object of
// texts, flags and whole numbers, for its fields of other types, and for what is wrong with an object.
func Decoder[Args any]() func(input []byte) (Args, error) {
	var fields []field
	for of := range reflect.TypeFor[Args]().Fields() {
		if name, options, _ := strings.Cut(of.Tag.Get("json"), ","); name != "" && name != "-" && options == "" {
			fields = append(fields, field{name: name, index: of.Index[0], of: of.Type, kind: kindOf(of.Type)})
		}
	}
	_ = unmarshal([]byte(`{"":0}`), new(Args))
	return func(input []byte) (Args, error) {
		var args Args
		if fill(input, fields, reflect.ValueOf(&args).Elem()) {
			return args, nil
		}
		args = *new(Args)
		err := unmarshal(input, &args)
		return args, err
	}
}

func unmarshal(input []byte, args any) error {
	err := json.Unmarshal(input, args)
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) && wrongType.Field != "" {
		return fmt.Errorf("%s has the wrong type: %s", wrongType.Field, wrongType.Value)
	}
	if err != nil {
		return fmt.Errorf("the arguments must be one JSON object: %w", err)
	}
	return nil
}

// field is one of the fields of a struct.
type field struct {
	name  string
	index int
	of    reflect.Type
	kind  reflect.Kind // see kindOf
}

// kindOf is the kind of value that a field of a type has or points to; Invalid for what
// reads its values itself, but for Int, which takes whole numbers as they are.
func kindOf(of reflect.Type) reflect.Kind {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	to := reflect.PointerTo(of)
	own := to.Implements(reflect.TypeFor[json.Unmarshaler]()) || to.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
	if own && of != reflect.TypeFor[Int]() {
		return reflect.Invalid
	}
	return of.Kind()
}

// into returns what is to be set, and makes it where a field points to it.
func (f field) into(args reflect.Value) reflect.Value {
	v := args.Field(f.index)
	if f.of.Kind() != reflect.Pointer {
		return v
	}
	v.Set(reflect.New(f.of.Elem()))
	return v.Elem()
}

// fill sets the fields of args that an object names. It is false for what is none, what names
// others, or what does not fit.
func fill(input []byte, fields []field, args reflect.Value) bool {
	rest, ok := next(input, '{')
	if !ok {
		return false
	}
	if end, ok := next(rest, '}'); ok {
		return len(skipSpace(end)) == 0
	}
	for {
		var name, value []byte
		if name, rest = cutValue(skipSpace(rest)); len(name) < 2 || name[0] != '"' {
			return false
		}
		if rest, ok = next(rest, ':'); !ok {
			return false
		}
		if value, rest = cutValue(skipSpace(rest)); !set(name[1:len(name)-1], value, fields, args) {
			return false
		}
		if end, ok := next(rest, '}'); ok {
			return len(skipSpace(end)) == 0
		}
		if rest, ok = next(rest, ','); !ok {
			return false
		}
	}
}

// set sets the field of this name to a value, if there is one.
func set(name, value []byte, fields []field, args reflect.Value) bool {
	for _, f := range fields {
		if f.name != string(name) {
			continue
		}
		switch f.kind {
		case reflect.String:
			text, err := jsontext.AppendUnquote(nil, value)
			f.into(args).SetString(string(text))
			return err == nil
		case reflect.Bool:
			f.into(args).SetBool(string(value) == "true")
			return string(value) == "true" || string(value) == "false"
		case reflect.Int64:
			if number, ok := wholeNumber(value); ok {
				f.into(args).SetInt(number)
				return true
			}
			fallthrough
		default:
			return json.Unmarshal(value, args.Field(f.index).Addr().Interface()) == nil
		}
	}
	return false
}

// wholeNumber reads a JSON number that is spelt as most whole ones are.
func wholeNumber(value []byte) (number int64, ok bool) {
	const most = 18 // digits that surely fit
	if len(value) == 0 || len(value) > most || value[0] == '0' && len(value) > 1 {
		return 0, false
	}
	for _, c := range value {
		if c < '0' || c > '9' {
			return 0, false
		}
		number = 10*number + int64(c-'0')
	}
	return number, true
}

// next returns what follows a character, if that comes next.
func next(text []byte, c byte) (rest []byte, ok bool) {
	if text = skipSpace(text); len(text) > 0 && text[0] == c {
		return text[1:], true
	}
	return nil, false
}

func skipSpace(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\n' || text[0] == '\t' || text[0] == '\r') {
		text = text[1:]
	}
	return text
}

// cutValue cuts off the value that a text begins with, if it begins with one: what the value
// is made of is for others to see.
func cutValue(text []byte) (value, rest []byte) {
	end, depth := 0, 0
	for end < len(text) {
		switch c := text[end]; c {
		case '"':
			end += stringLen(text[end:])
		case '{', '[':
			depth++
			end++
		case '}', ']', ',', ':', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return text[:end], text[end:]
			}
			if c == '}' || c == ']' {
				depth--
			}
			end++
		default:
			end++
			continue
		}
		if depth == 0 {
			break
		}
	}
	return text[:end], text[end:]
}

// stringLen returns the length of the JSON string that a text begins with, or of all of it.
func stringLen(text []byte) int {
	for end := 1; ; {
		i := bytes.IndexByte(text[end:], '"')
		if i < 0 {
			return len(text)
		}
		end += i + 1
		backslashes := 0
		for text[end-2-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return end
		}
	}
}
