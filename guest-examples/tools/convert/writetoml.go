package convert

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
)

// writeTOML writes an object as a document. In each table, members that have their own table header
// follow all other members, as TOML requires.
func writeTOML(value jsonvalue.Value) ([]byte, error) {
	if value.Kind() != jsonvalue.Object {
		return nil, fmt.Errorf("a TOML document must be an object, but the data is of type %s; put it into an object", value.Kind())
	}
	var w tomlWriter
	if err := w.table("", value); err != nil {
		return nil, err
	}
	return w.out, nil
}

type tomlWriter struct {
	out []byte
}

// table writes the members of the table at path.
func (w *tomlWriter) table(path string, table jsonvalue.Value) error {
	for name, member := range table.Members().All() {
		if isTable(member) || isTables(member) {
			continue
		}
		key := tomlKey(name)
		w.out = append(w.out, key+" = "...)
		if err := w.value(join(path, key), member); err != nil {
			return err
		}
		w.out = append(w.out, '\n')
	}
	for name, member := range table.Members().All() {
		key := join(path, tomlKey(name))
		switch {
		case isTable(member):
			if err := w.section("["+key+"]", key, member); err != nil {
				return err
			}
		case isTables(member):
			for _, item := range member.Items() {
				if err := w.section("[["+key+"]]", key, item); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (w *tomlWriter) section(header, path string, table jsonvalue.Value) error {
	if len(w.out) > MaxOutput {
		return errTooMuch
	}
	if len(w.out) > 0 {
		w.out = append(w.out, '\n')
	}
	w.out = append(w.out, header+"\n"...)
	return w.table(path, table)
}

// value writes a value inline, on the same line as its key.
func (w *tomlWriter) value(path string, value jsonvalue.Value) error {
	if len(w.out) > MaxOutput {
		return errTooMuch
	}
	switch value.Kind() {
	case jsonvalue.Null:
		return fmt.Errorf("%.200s is null, which TOML can't represent; omit it", path)
	case jsonvalue.Bool:
		w.out = append(w.out, value.Text()...)
	case jsonvalue.String:
		w.out = appendTOMLText(w.out, value.Text())
	case jsonvalue.Number:
		literal, err := tomlLiteral(value.Text())
		if err != nil {
			return fmt.Errorf("%.200s is %.40s: %w", path, value.Text(), err)
		}
		w.out = append(w.out, literal...)
	case jsonvalue.Array:
		return w.list(path, value.Items())
	case jsonvalue.Object:
		return w.inline(path, value.Members())
	}
	return nil
}

func (w *tomlWriter) list(path string, items []jsonvalue.Value) error {
	w.out = append(w.out, '[')
	for i, item := range items {
		if i > 0 {
			w.out = append(w.out, ", "...)
		}
		if err := w.value(path, item); err != nil {
			return err
		}
	}
	w.out = append(w.out, ']')
	return nil
}

func (w *tomlWriter) inline(path string, members *jsonvalue.Members) error {
	w.out = append(w.out, '{')
	first := true
	for name, member := range members.All() {
		if !first {
			w.out = append(w.out, ", "...)
		}
		first = false
		key := tomlKey(name)
		w.out = append(w.out, key+" = "...)
		if err := w.value(join(path, key), member); err != nil {
			return err
		}
	}
	w.out = append(w.out, '}')
	return nil
}

func isTable(value jsonvalue.Value) bool {
	return value.Kind() == jsonvalue.Object
}

// isTables reports whether value is an array that is not empty and contains only objects.
func isTables(value jsonvalue.Value) bool {
	for _, item := range value.Items() {
		if item.Kind() != jsonvalue.Object {
			return false
		}
	}
	return len(value.Items()) > 0
}

// join returns the path of the member name of the object at path.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func tomlKey(name string) string {
	if bareKey.MatchString(name) {
		return name
	}
	return string(appendTOMLText(nil, name))
}

// appendTOMLText appends a basic string. It has the escapes of JSON, except that the slash is not
// escaped and DEL is escaped.
func appendTOMLText(out []byte, text string) []byte {
	start := len(out)
	out = jsonvalue.AppendQuoted(out, text)
	if strings.ContainsRune(text, 0x7f) {
		out = append(out[:start], strings.ReplaceAll(string(out[start:]), "\x7f", `\u007f`)...)
	}
	return out
}

// tomlLiteral converts a JSON number to TOML: a 64-bit integer, or a float within the range of
// TOML.
func tomlLiteral(literal string) (string, error) {
	if !strings.ContainsAny(literal, ".eE") {
		if _, err := strconv.ParseInt(literal, 10, 64); err != nil {
			return "", errors.New("TOML integers are limited to 64 bits; write the number as a string")
		}
		return literal, nil
	}
	if _, err := strconv.ParseFloat(literal, 64); err != nil {
		return "", errors.New("TOML floats are limited to 1.8e308; write the number as a string")
	}
	return literal, nil
}
