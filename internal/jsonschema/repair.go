package jsonschema

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

const (
	// maxRepairs limits how often Repair compiles a schema. A compilation finds only some errors
	// when there are many.
	maxRepairs = 10
	// maxPatternNote limits the bytes of a pattern that Repair moves to a description.
	maxPatternNote = 200
)

// Repair changes a schema to one that Compile accepts. It is for schemas from other systems, which
// cannot be corrected at their source. It leaves out each keyword that Compile refuses, such as a
// pattern that RE2 lacks or null in place of a schema. The result admits every document that the
// original admits. removed lists the errors. A keyword that would become stricter without its
// invalid part, such as not, is left out as a whole. A pattern that was left out is added to the
// description, for the model. Schemas without errors are returned unchanged.
//
// The error is [SchemaErrors] if the errors concern the schema as a whole: it is not JSON, it is
// too large, or a reference leads out of it.
func Repair(schema json.RawMessage) (repaired json.RawMessage, removed SchemaErrors, err error) {
	return repair(schema, nil)
}

// RepairParameters is like [Repair], for the parameters of a tool: the result has an object at its
// root.
func RepairParameters(schema json.RawMessage) (repaired json.RawMessage, removed SchemaErrors, err error) {
	return repair(schema, checkParametersRoot)
}

func repair(schema json.RawMessage, checkRoot rootCheck) (json.RawMessage, SchemaErrors, error) {
	text, err := jsontree.Parse(schema, schemaBounds())
	if err != nil {
		return nil, nil, SchemaErrors{{Message: err.Error()}}
	}
	_, errs := compileTree(text, checkRoot)
	if len(errs) == 0 {
		return schema, nil, nil
	}
	r := &repairer{root: text.Clone()}
	r.nulls(&r.root, "")
	for range maxRepairs {
		if _, errs = compileTree(r.root.Clone(), checkRoot); len(errs) == 0 {
			return r.root.JSON(), r.removed, nil
		}
		changed := false
		for _, e := range errs {
			changed = r.leaveOut(e) || changed
		}
		if !changed {
			break
		}
		loosenReferences(&r.root, "")
	}
	return nil, nil, limitErrors(errs)
}

// repairer edits a schema.
type repairer struct {
	root    jsontree.Value
	removed SchemaErrors
}

// nulls leaves out each null that stands for an absent keyword or an absent schema. In the values
// of default and const, null is data.
func (r *repairer) nulls(v *jsontree.Value, at string) {
	kept := v.Members[:0]
	for _, m := range v.Members {
		at := at + "/" + jsontree.EscapeToken(m.Name)
		if m.Value.IsNull() && m.Name != "default" && m.Name != "const" {
			r.removed = append(r.removed, SchemaError{Pointer: at, Message: schemaSubject(at) + "is null"})
			continue
		}
		kept = append(kept, m)
	}
	v.Members = kept
	for i := range v.Members {
		m := &v.Members[i]
		for j := range m.Value.Members {
			if named := &m.Value.Members[j]; keywords[m.Name].shape == shapeByName && named.Value.IsNull() {
				at := at + "/" + jsontree.EscapeToken(m.Name) + "/" + jsontree.EscapeToken(named.Name)
				named.Value = *jsontree.NewObject()
				r.removed = append(r.removed, SchemaError{Pointer: at, Message: schemaSubject(at) + "is null"})
			}
		}
	}
	subschemas(v, at, r.nulls)
}

// subschemas calls visit for each schema directly inside a schema, with its JSON pointer.
func subschemas(v *jsontree.Value, at string, visit func(v *jsontree.Value, at string)) {
	for i := range v.Members {
		m := &v.Members[i]
		at := at + "/" + jsontree.EscapeToken(m.Name)
		switch holds := keywords[m.Name].shape; {
		case holds == shapeByName:
			for j := range m.Value.Members {
				visit(&m.Value.Members[j].Value, at+"/"+jsontree.EscapeToken(m.Value.Members[j].Name))
			}
		case holds != 0 && m.Value.Kind == jsontree.Array:
			for j := range m.Value.Items {
				visit(&m.Value.Items[j], at+"/"+strconv.Itoa(j))
			}
		case holds != 0:
			visit(&m.Value, at)
		}
	}
}

// leaveOut removes the smallest part of the schema that contains an error. The schema then admits
// no fewer documents than before. leaveOut reports whether it changed the schema.
func (r *repairer) leaveOut(e SchemaError) bool {
	changed := r.removeAt(&r.root, jsontree.SplitPointer(e.Pointer))
	if changed && e.Message != "" {
		r.removed = append(r.removed, e)
	}
	return changed
}

// removeAt removes the value at path, which starts at the schema v.
func (r *repairer) removeAt(v *jsontree.Value, path []string) bool {
	for {
		if len(path) == 0 {
			return r.admitAll(v)
		}
		name := path[0]
		value := v.Member(name)
		if value == nil && name == "oneOf" {
			name, value = "anyOf", v.Member("anyOf") // an earlier repair renamed the keyword
		}
		if value == nil {
			return false // an earlier repair removed the value
		}
		holds := keywords[name].shape
		if (holds != 0 || strings.HasSuffix(name, "Ref")) && !(name == "properties" && len(path) > 2) {
			removeUnevaluated(v) // these keywords may depend on the removed part
		}
		if name == "contains" {
			remove(v, "maxContains") // more items than before may now have the form
		}
		if name == "minContains" {
			remove(v, "contains") // without minContains, it would ask for one item
			removeUnevaluated(v)
		}
		if value = v.Member(name); value == nil {
			return true // it was unevaluatedProperties or unevaluatedItems
		}
		// Removing a part of not or if would make the schema stricter.
		if name == "not" || name == "if" || len(path) == 1 || holds == 0 || value.Kind == jsontree.Boolean {
			return removeKeyword(v, name)
		}
		if name == "oneOf" && !rename(v, "oneOf", "anyOf") {
			return removeKeyword(v, name) // the schema also has anyOf
		}
		path = path[1:]
		if holds == shapeSchema || holds == shapeEither && value.Kind == jsontree.Object {
			v = value
			continue
		}
		inner := value.At(path[:1])
		if inner == nil {
			return removeKeyword(v, name)
		}
		if name == "patternProperties" && len(path) == 1 {
			remove(v, othersOf[name])
			remove(v, "unevaluatedProperties")
			return remove(v.Member(name), path[0])
		}
		v, path = inner, path[1:]
	}
}

// admitAll makes a schema admit all values. The root of the parameters admits all objects.
func (r *repairer) admitAll(v *jsontree.Value) bool {
	if v != &r.root {
		*v = *jsontree.NewObject()
		return true
	}
	switch {
	case v.Kind != jsontree.Object:
		*v = *jsontree.NewObject().AddText("type", "object")
		return true
	case v.Member("type") == nil:
		v.AddText("type", "object")
		return true
	}
	return false // the error concerns the schema as a whole
}

// loosenReferences removes each keyword not and if whose value contains a reference, and changes
// each oneOf with a reference to anyOf. The target of the reference may now admit more documents.
// Then a schema with one of these keywords would admit fewer.
func loosenReferences(v *jsontree.Value, _ string) {
	if v.Member("$ref") != nil {
		removeUnevaluated(v)
	}
	if contains := v.Member("contains"); contains != nil && refers(contains) {
		remove(v, "maxContains")
	}
	for _, name := range []string{"not", "if", "oneOf"} {
		value := v.Member(name)
		if value == nil || !refers(value) {
			continue
		}
		if name != "oneOf" || !rename(v, "oneOf", "anyOf") {
			remove(v, name)
		}
		removeUnevaluated(v)
	}
	subschemas(v, "", loosenReferences)
}

// refers reports whether a part of a schema contains a reference.
func refers(v *jsontree.Value) bool {
	for i := range v.Members {
		if m := &v.Members[i]; strings.HasPrefix(m.Name, "$") && strings.HasSuffix(m.Name, "ef") || refers(&m.Value) {
			return true
		}
	}
	for i := range v.Items {
		if refers(&v.Items[i]) {
			return true
		}
	}
	return false
}

func removeUnevaluated(v *jsontree.Value) {
	remove(v, "unevaluatedProperties")
	remove(v, "unevaluatedItems")
}

// othersOf has, for keywords that declare fields or items, the keyword for all others. Without the
// first, all fields or items are others.
var othersOf = map[string]string{"properties": "additionalProperties", "patternProperties": "additionalProperties", "prefixItems": "items"}

// removeKeyword removes a keyword, and with it the keywords that would become stricter.
func removeKeyword(v *jsontree.Value, name string) bool {
	remove(v, othersOf[name])
	return remove(v, name)
}

// remove removes a member of a schema. It moves a pattern to the description.
func remove(v *jsontree.Value, name string) bool {
	i := slices.IndexFunc(v.Members, func(m jsontree.Member) bool { return m.Name == name })
	if i < 0 {
		return false
	}
	value := v.Members[i].Value
	v.Members = slices.Delete(v.Members, i, i+1)
	expr := value.Text()
	if name == "pattern" && expr != "" && len(expr) <= maxPatternNote {
		note := "Must match the regular expression " + expr
		if before := v.Member("description"); before == nil {
			v.AddText("description", note)
		} else if before.Kind == jsontree.String {
			*before = *jsontree.NewString(strings.TrimSpace(before.Text() + " " + note))
		}
	}
	return true
}

// rename renames a member of a schema, unless the new name is taken.
func rename(v *jsontree.Value, from, to string) bool {
	if v.Member(to) != nil {
		return false
	}
	for i := range v.Members {
		if v.Members[i].Name == from {
			v.Members[i].Name, v.Members[i].Literal = to, strconv.Quote(to)
		}
	}
	return true
}

// Summary joins the first three messages, and says how many more there are.
func (f SchemaErrors) Summary() string {
	const shown = 3
	var b strings.Builder
	for i, e := range f {
		if i == shown {
			b.WriteString("; and " + strconv.Itoa(len(f)-shown) + " more")
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(e.Message)
	}
	return b.String()
}
