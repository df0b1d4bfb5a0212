package jsonschema

import (
	"fmt"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// filler works out what stands in for absent values, once, when a schema is
// compiled. It reports defaults that can't be.
type filler struct {
	done, busy map[*place]bool // fallback of the place
	implied    map[*place]bool // looked at; also while busy
	faults     SchemaErrors
}

func (f *filler) fault(p *place, format string, args ...any) {
	f.faults = append(f.faults, SchemaError{
		Pointer: p.pointer + "/default",
		Message: propertySubject(p.pointer) + fmt.Sprintf(format, args...),
	})
}

// absent is field.absent for the time of filling.
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
		f.fault(p, "the default contains itself without end")
		f.done[p] = true
		return
	}
	f.busy[p] = true
	v := p.declared.Clone()
	values, depth := v.Measure()
	w := walker{exact: true, absent: f.absent, values: values, ceiling: maxDefaultValues, depth: depth}
	w.walk(&v, p, nil)
	if f.done[p] {
		return // it turned out to contain itself
	}
	f.done[p] = true
	for _, drop := range w.dropped {
		f.fault(p, "the default has a field %s, which the schema does not declare%s",
			jsontree.QuoteName(drop.name), didYouMean(drop.name, drop.declared, "it declares"))
	}
	if w.limit != nil {
		f.fault(p, "the default grows too large: %s", w.limit.Message)
		return
	}
	p.fallback = &filled{value: v, values: w.values, depth: w.depth}
}

// imply makes the object that a required place becomes when it is absent.
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
	// Too large a one is left out, and the caller is told what is missing.
	if len(made.value.Members) > 0 && made.values <= maxDefaultValues && made.depth <= jsontree.MaxDepth {
		p.implied = &made
	}
}
