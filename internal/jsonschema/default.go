package jsonschema

import (
	"fmt"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// filler computes the values that replace absent values. It runs once, when a schema is compiled,
// and reports invalid defaults.
type filler struct {
	done, busy map[*place]bool // whether the fallback of a place is computed or being computed
	implied    map[*place]bool // whether imply was called for a place
	errs       SchemaErrors
}

func (f *filler) report(p *place, format string, args ...any) {
	f.errs = append(f.errs, SchemaError{
		Pointer: p.pointer + "/default",
		Message: propertySubject(p.pointer) + fmt.Sprintf(format, args...),
	})
}

// absent is like field.absent, but first computes the values that it returns.
func (f *filler) absent(child *field) *filled {
	f.fallback(child.place)
	if child.required {
		f.imply(child.place)
	}
	return child.absent()
}

// fallback completes the default of a place with the defaults inside it.
func (f *filler) fallback(p *place) {
	if p.declared == nil || f.done[p] {
		return
	}
	if f.busy[p] {
		f.report(p, "the default contains itself without end")
		f.done[p] = true
		return
	}
	f.busy[p] = true
	v := p.declared.Clone()
	values, depth := v.Measure()
	w := walker{exact: true, absent: f.absent, values: values, ceiling: maxDefaultValues, depth: depth}
	w.walk(&v, p)
	if f.done[p] {
		return // the walk found that the default contains itself
	}
	f.done[p] = true
	for _, drop := range w.dropped {
		f.report(p, "the default has a field %s, which the schema does not declare%s",
			jsontree.QuoteName(drop.name), didYouMean(drop.name, drop.declared, "it declares"))
	}
	if w.limit != nil {
		f.report(p, "the default grows too large: %s", w.limit.Message)
		return
	}
	p.fallback = &filled{value: v, values: w.values, depth: w.depth}
}

// imply computes the object that replaces an absent value of a required place.
func (f *filler) imply(p *place) {
	if f.implied[p] {
		return
	}
	f.implied[p] = true
	if p.declared != nil || p.types&^jsontype.Null != jsontype.Object {
		return
	}
	made := filled{value: jsontree.Value{Kind: jsontree.Object}, values: 1, depth: 1}
	for i := range p.object.fields {
		child := &p.object.fields[i]
		add := f.absent(child)
		if add == nil {
			if child.required {
				return
			}
			continue
		}
		made.value.Members = append(made.value.Members, jsontree.Member{Name: child.name, Literal: child.literal, Value: add.value})
		made.values += add.values
		made.depth = max(made.depth, add.depth+1)
	}
	// An object that is too large is not added; the error is then about the missing value.
	if len(made.value.Members) > 0 && made.values <= maxDefaultValues && made.depth <= jsontree.MaxDepth {
		p.implied = &made
	}
}
