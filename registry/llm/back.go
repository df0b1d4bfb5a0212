package llm

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/wasmtool/wasmtool/internal/jsontree"
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

// arguments turns the arguments of a call back. What it does not change keeps its literals, as the
// model wrote it, and what is no JSON is left alone: the registry's strict reading says what is
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

// apply turns one value back.
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
