package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// back tells how arguments that fit a converted schema become arguments for the tool. Nil
// means that they are the same.
type back struct {
	fields map[string]backField // by the name in the definition
	rest   *back                // of fields that the definition does not name
	prefix []*back
	items  *back
}

// backField is what becomes of one field.
type backField struct {
	name string // of the tool
	// null says what a null means: nothing in particular, "left out", or null.
	null nullMeaning
	in   *back
}

type nullMeaning uint8

const (
	nullUnsaid nullMeaning = iota
	nullAbsent
	nullItself
)

// errAmbiguous is what cannot be turned back: the same field's null means different things
// in different alternatives.
var errAmbiguous = errors.New("a null would mean different things in different alternatives")

// merged returns what holds for a value that may fit either of two schemas.
func (b *back) merged(other *back) (*back, error) {
	if b == nil {
		return other, nil
	}
	if other == nil {
		return b, nil
	}
	out := &back{fields: map[string]backField{}}
	for name, f := range b.fields {
		out.fields[name] = f
	}
	var errs []error
	join := func(x, y *back) *back {
		m, err := x.merged(y)
		errs = append(errs, err)
		return m
	}
	for name, f := range other.fields {
		if mine, ok := out.fields[name]; ok {
			if f.null != nullUnsaid && mine.null != nullUnsaid && f.null != mine.null {
				return nil, errAmbiguous
			}
			f.null = max(f.null, mine.null)
			f.in = join(f.in, mine.in)
		}
		out.fields[name] = f
	}
	out.rest, out.items = join(b.rest, other.rest), join(b.items, other.items)
	for i := range max(len(b.prefix), len(other.prefix)) {
		out.prefix = append(out.prefix, join(b.item(i), other.item(i)))
	}
	return out, errors.Join(errs...)
}

func (b *back) item(i int) *back {
	if i < len(b.prefix) {
		return b.prefix[i]
	}
	return b.items
}

// empty reports whether b changes nothing.
func (b *back) empty() bool {
	if b == nil {
		return true
	}
	for name, f := range b.fields {
		if f.name != name || f.null == nullAbsent || !f.in.empty() {
			return false
		}
	}
	return b.rest.empty() && b.items.empty() && !slices.ContainsFunc(b.prefix, func(p *back) bool { return !p.empty() })
}

// arguments turns the arguments of a call back. What it does not change stays byte for
// byte as the model wrote it, and so does what is no JSON: the registry's strict reading
// says what is wrong with it.
func (b *back) arguments(raw json.RawMessage) json.RawMessage {
	if b.empty() || !json.Valid(raw) {
		return raw
	}
	out, err := b.apply(raw)
	if err != nil {
		return raw
	}
	return out
}

// apply turns one valid JSON value back.
func (b *back) apply(raw json.RawMessage) (json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	switch {
	case b.empty() || len(raw) == 0:
		return raw, nil
	case raw[0] == '{':
		return b.applyObject(raw)
	case raw[0] == '[':
		return b.applyArray(raw)
	}
	return raw, nil
}

func (b *back) applyObject(raw json.RawMessage) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	out := []byte{'{'}
	for d.More() {
		start := d.InputOffset()
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		written := bytes.TrimLeft(raw[start:d.InputOffset()], " \t\r\n,")
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		f, named := b.fields[name]
		if !named {
			f = backField{name: name, in: b.rest}
		}
		if f.null == nullAbsent && string(value) == "null" {
			continue
		}
		if f.name != name {
			written = literal(f.name)
		}
		if value, err = f.in.apply(value); err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, written...), ':'), value...)
	}
	return append(out, '}'), nil
}

func (b *back) applyArray(raw json.RawMessage) (json.RawMessage, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, err
	}
	out := []byte{'['}
	for i, item := range items {
		value, err := b.item(i).apply(item)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, value...)
	}
	return append(out, ']'), nil
}
