package jsonschema

import (
	"bytes"
	"encoding/json"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// Listable returns a valid schema in the form that strict clients accept when they list tools:
// every array has a single schema for its items. An array without "items" gets one that admits all
// values. A tuple in the form of draft 2019-09 and earlier, "items" with a list, becomes an array
// of any of its schemas; wider lists the JSON pointers of these tuples, whose order the result does
// not show. Schemas that need no change are returned unchanged.
func Listable(schema json.RawMessage) (listable json.RawMessage, wider []string) {
	if !bytes.Contains(schema, []byte("array")) && !bytes.Contains(schema, []byte("items")) {
		return schema, nil
	}
	root, err := jsontree.Parse(schema, schemaBounds())
	if err != nil {
		return schema, nil
	}
	l := &lister{}
	l.schema(&root, "")
	if !l.changed {
		return schema, nil
	}
	return root.JSON(), l.wider
}

type lister struct {
	changed bool
	wider   []string
}

func (l *lister) schema(v *jsontree.Value, at string) {
	items := v.Member("items")
	switch {
	case items == nil && isArray(v.Member("type")):
		l.changed = true
		v.Add("items", jsontree.NewObject())
	case items != nil && items.Kind == jsontree.Array:
		l.changed = true
		l.wider = append(l.wider, at)
		forms := jsontree.Value{Kind: jsontree.Array, Items: items.Items}
		if rest := v.Member("additionalItems"); rest == nil {
			forms.Items = append(forms.Items, *jsontree.NewObject())
		} else if rest.Literal != "false" {
			forms.Items = append(forms.Items, *rest)
		}
		remove(v, "additionalItems")
		*v.Member("items") = *jsontree.NewObject().Add("anyOf", &forms)
	}
	subschemas(v, at, l.schema)
}

// isArray reports whether the value of "type" is or contains "array".
func isArray(types *jsontree.Value) bool {
	if types == nil {
		return false
	}
	for i := range types.Items {
		if types.Items[i].Text() == "array" {
			return true
		}
	}
	return types.Text() == "array"
}
