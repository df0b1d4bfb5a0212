package llm

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// back describes how to convert arguments that follow the provider's definition to arguments that
// the tool expects. Nil means that they are the same.
type back struct {
	fields map[string]backField // keyed by the name in the definition
	rest   *back                // for fields that the definition does not declare
	prefix []*back
	items  *back
}

// backField describes how to convert one field.
type backField struct {
	name string // the name in the tool's schema
	null nullMeaning
	in   *back
}

// nullMeaning is the meaning of a null in a model's arguments.
type nullMeaning uint8

const (
	// nullUnsaid gives null no special meaning; the tool checks it.
	nullUnsaid nullMeaning = iota
	// nullAbsent makes null stand for an omitted field.
	nullAbsent
	// nullItself makes null a value that the tool accepts.
	nullItself
)

// errAmbiguous is returned if a field's null has different meanings in different alternatives.
var errAmbiguous = errors.New("a null would mean different things in different alternatives")

// merged returns the conversion for a value that may match either of two schemas.
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

// arguments converts the arguments of a call back. Values that do not change keep their literals
// as the model wrote them. Invalid JSON is returned unchanged, since the registry reports what is
// wrong with it.
func (b *back) arguments(raw json.RawMessage) json.RawMessage {
	if b.empty() {
		return raw
	}
	v, err := jsontree.Parse(raw, jsontree.Message())
	if err != nil {
		return raw
	}
	b.apply(&v)
	return v.JSON()
}

// apply converts one value back, in place.
func (b *back) apply(v *jsontree.Value) {
	if b.empty() {
		return
	}
	for i := range v.Items {
		b.item(i).apply(&v.Items[i])
	}
	kept := v.Members[:0]
	for _, m := range v.Members {
		f, named := b.fields[m.Name]
		if !named {
			f = backField{name: m.Name, in: b.rest}
		}
		if f.null == nullAbsent && m.Value.IsNull() {
			continue
		}
		if f.name != m.Name {
			m.Name, m.Literal = f.name, jsontree.NewString(f.name).Literal
		}
		f.in.apply(&m.Value)
		kept = append(kept, m)
	}
	v.Members = kept
}
