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

// finding is one leaf of the library's tree of errors.
type finding struct {
	path []string // the path of the value, or of the missing value
	// what is one of the library's kinds of errors, or one of the types below.
	what any
	// schema is the location of the schema that was violated.
	schema string
}

// missing means that a required field is absent.
type missing struct{ because string }

// undeclared means that a field is not declared and the schema allows only declared fields.
type undeclared struct{}

// badName means that the name of a field is not allowed.
type badName struct {
	name    string
	reasons []finding
}

// translator turns the library's tree of errors into violations for people and models.
type translator struct {
	doc   *jsontree.Value
	namer namer
	// schemas holds each schema of the document, by pointer.
	schemas map[string]*jsontree.Value
	// dropped lists the fields that were dropped from the document. A dropped field may explain why
	// another is missing.
	dropped []drop
	names   int // the number of findings about names so far
	// work has the context that stops the translation; it may be nil.
	work *budget
}

// violations collects the findings of a tree, sorts them, and returns a limited number of messages
// without duplicates.
func (t *translator) violations(tree *santhosh.ValidationError) Violations {
	found := t.collect(nil, tree)
	var list Violations
	for i, one := range t.first(found) {
		if len(list) == maxViolations || i == maxWorded {
			return append(list, Violation{Kind: KindLimit, Message: fmt.Sprintf("and %d more", len(found)-i)})
		}
		t.work.checkContext()
		k, text := t.message(one)
		v := Violation{Pointer: jsontree.FormatPointer(one.path), Kind: k, Message: t.subject(one) + text}
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// first returns the first maxWorded+1 findings in order. There may be as many findings as the
// document has values, so it does not sort all of them at once.
func (t *translator) first(found []finding) []finding {
	const limit = maxWorded + 1
	var kept []finding
	for len(found) > 0 {
		n := min(len(found), limit)
		kept, found = append(kept, found[:n]...), found[n:]
		slices.SortStableFunc(kept, compareFindings)
		kept = kept[:min(len(kept), limit)]
		t.work.checkContext()
	}
	return kept
}

func compareFindings(a, b finding) int {
	if c := slices.Compare(a.path, b.path); c != 0 {
		return c
	}
	return strings.Compare(reflect.TypeOf(a.what).String(), reflect.TypeOf(b.what).String())
}

// collect appends the relevant leaves of a tree.
func (t *translator) collect(found []finding, e *santhosh.ValidationError) []finding {
	t.work.checkContext()
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
		if t.namer.schema {
			return found // the names are regular expressions, which the checker reports
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

// nameFinding returns the finding about the name of a field. The library reuses the memory of the
// location for later errors, so the location is checked before it is used.
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
