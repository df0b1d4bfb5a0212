package jsonschema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	keyword "github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// finding is one leaf of the library's error tree.
type finding struct {
	path []string // of the value, or of where it belongs
	// what is one of the library's kinds or one of the types below.
	what any
	// schema is the location of the schema that was broken.
	schema string
}

// missing means that a required field is absent.
type missing struct{ because string }

// undeclared means that a field is not declared where the schema is closed.
type undeclared struct{}

// badName means that the name of a field is not allowed.
type badName struct {
	name    string
	reasons []finding
}

// translator turns an error tree into faults for people and models.
type translator struct {
	doc     *jsontree.Value
	speaker speaker
	// schemas is the text of each schema, by pointer.
	schemas map[string]*jsontree.Value
	// dropped is what was dropped from the document, which may explain why
	// something is missing.
	dropped []drop
	names   int // findings about names so far
	// work has the context under which faults are worded; nil for none.
	work *budget
}

// faults flattens, orders, joins and bounds the findings of a tree.
func (t *translator) faults(tree *santhosh.ValidationError) Violations {
	found := t.collect(nil, tree)
	var faults Violations
	for i, one := range t.first(found) {
		if len(faults) == maxFaults || i == maxWorded {
			return append(faults, Violation{Kind: KindLimit, Message: fmt.Sprintf("and %d more", len(found)-i)})
		}
		t.work.look()
		k, text := t.say(one)
		fault := Violation{Pointer: jsontree.FormatPointer(one.path), Kind: k, Message: t.subject(one) + text}
		if !slices.Contains(faults, fault) {
			faults = append(faults, fault)
		}
	}
	return faults
}

// first returns the findings that come first, in order: one more than are worded. There may
// be as many as the document has values, which are not all sorted.
func (t *translator) first(found []finding) []finding {
	const most = maxWorded + 1
	var kept []finding
	for len(found) > 0 {
		n := min(len(found), most)
		kept, found = append(kept, found[:n]...), found[n:]
		slices.SortStableFunc(kept, compareFindings)
		kept = kept[:min(len(kept), most)]
		t.work.look()
	}
	return kept
}

func compareFindings(a, b finding) int {
	if c := slices.Compare(a.path, b.path); c != 0 {
		return c
	}
	return strings.Compare(reflect.TypeOf(a.what).String(), reflect.TypeOf(b.what).String())
}

// collect appends the leaves of a tree that matter.
func (t *translator) collect(found []finding, e *santhosh.ValidationError) []finding {
	t.work.look()
	leaf := func(what any, below ...string) finding {
		return finding{path: slices.Concat(e.InstanceLocation, below), what: what, schema: e.SchemaURL}
	}
	each := func(what any, names []string) []finding {
		for _, name := range names {
			found = append(found, leaf(what, name))
		}
		return found
	}
	switch k := e.ErrorKind.(type) {
	case *keyword.Schema, *keyword.Group, *keyword.Reference, *keyword.AllOf:
		for _, cause := range e.Causes {
			found = t.collect(found, cause)
		}
	case *keyword.AnyOf:
		return append(found, t.alternatives(e)...)
	case *keyword.OneOf:
		if len(k.Subschemas) == 0 {
			return append(found, t.alternatives(e)...)
		}
		return append(found, leaf(k))
	case *keyword.Required:
		return each(missing{}, k.Missing)
	case *keyword.DependentRequired:
		return each(missing{because: k.Prop}, k.Missing)
	case *keyword.Dependency:
		return each(missing{because: k.Prop}, k.Missing)
	case *keyword.AdditionalProperties:
		return each(undeclared{}, k.Properties)
	case *keyword.FalseSchema:
		if strings.HasSuffix(e.SchemaURL, "/unevaluatedProperties") {
			return append(found, leaf(undeclared{}))
		}
		found = append(found, leaf(k))
	case *keyword.PropertyNames:
		if t.speaker.schema {
			return found // patterns that serve as names; the checker reports them
		}
		if t.names++; t.names <= maxNames {
			found = append(found, t.nameFinding(e, k))
		}
	case *keyword.Enum:
		found = append(found, leaf(&notAllowed{values: k.Want}))
	case *keyword.Const:
		found = append(found, leaf(&notAllowed{values: []any{k.Want}}))
	case *keyword.Format:
		switch err := k.Err.(type) {
		case wrongTypes, *notAllowed, *badFormat:
			found = append(found, leaf(err))
		default:
			found = append(found, leaf(&badFormat{name: k.Want, reason: k.Err}))
		}
	default:
		found = append(found, leaf(k))
	}
	return found
}

// nameFinding is about the name of a field. The library shares the memory of
// the location with later ones, so it is checked before use.
func (t *translator) nameFinding(e *santhosh.ValidationError, k *keyword.PropertyNames) finding {
	one := finding{schema: e.SchemaURL}
	if t.doc.At(e.InstanceLocation).Member(k.Property) != nil {
		one.path = slices.Concat(e.InstanceLocation, []string{k.Property})
	}
	var reasons []finding
	for _, cause := range e.Causes {
		reasons = t.collect(reasons, cause)
	}
	one.what = badName{name: k.Property, reasons: reasons}
	return one
}
