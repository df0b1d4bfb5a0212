package jsonschema

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// aliasKeyword lists further names of a property. It is a keyword of this package, which other
// readers of a schema ignore.
const aliasKeyword = "x-aliases"

// pathKeyword says that a parameter is the path of a file or directory, which the tool reads or
// writes. Other readers of a schema ignore it as well.
const pathKeyword = "x-path"

// WithoutAliases returns a valid schema without the further names of its properties, for readers
// that should use only one name, such as models. It also removes x-path. A schema without both is
// returned unchanged.
func WithoutAliases(schema json.RawMessage) json.RawMessage {
	if !bytes.Contains(schema, []byte(aliasKeyword)) && !bytes.Contains(schema, []byte(pathKeyword)) {
		return schema
	}
	root, err := jsontree.Parse(schema, schemaBounds())
	if err != nil {
		return schema
	}
	removeAliases(&root, "")
	return root.JSON()
}

func removeAliases(v *jsontree.Value, at string) {
	remove(v, aliasKeyword)
	remove(v, pathKeyword)
	subschemas(v, at, removeAliases)
}

// aliases checks the further names of the properties in the value of one "properties".
func (c *checker) aliases(properties *jsontree.Value, at string) {
	if properties.Kind != jsontree.Object {
		return // the meta-schema reports it
	}
	owners := map[string]string{}
	for i := range properties.Members {
		owners[properties.Members[i].Name] = properties.Members[i].Name
	}
	for i := range properties.Members {
		m := &properties.Members[i]
		list := m.Value.Member(aliasKeyword)
		if list == nil {
			continue
		}
		at := at + "/" + jsontree.EscapeToken(m.Name) + "/" + aliasKeyword
		if list.Kind != jsontree.Array {
			c.report(at, `must be a list of names, got %s; write ["name"]`, list.Describe())
			continue
		}
		for j := range list.Items {
			name := &list.Items[j]
			owner, taken := owners[name.Text()]
			switch {
			case name.Kind != jsontree.String || name.Text() == "":
				c.report(at, "must be a list of names, got the item %s", name.Describe())
			case taken:
				c.report(at, "the name %s belongs to the property %s already; leave it out",
					jsontree.QuoteName(name.Text()), jsontree.QuoteName(owner))
			default:
				owners[name.Text()] = m.Name
			}
		}
	}
}

// aliasPlace reports further names that are not directly in a property, where they have no effect.
func (c *checker) aliasPlace(at string) {
	steps := strings.Split(at, "/")
	if len(steps) < 4 || steps[len(steps)-3] != "properties" {
		c.report(at, "has no effect here; write it in the property that it gives more names")
	}
}

// pathPlace checks the value of an x-path, and that it is directly in a parameter.
func (c *checker) pathPlace(v *jsontree.Value, at string) {
	steps := strings.Split(at, "/")
	switch {
	case len(steps) != 4 || steps[1] != "properties":
		c.report(at, "has no effect here; write it directly in a property of the arguments")
	case v.Kind != jsontree.String || v.Text() != "read" && v.Text() != "write":
		c.report(at, `must be "read" or "write", got %s`, v.Describe())
	}
}

// addAliases adds the further names of the fields that a list of properties declares. A declared
// field keeps its name even if another schema gives that name to another field.
func (r *objectRules) addAliases(properties *jsontree.Value) {
	for i := range properties.Members {
		m := &properties.Members[i]
		list := m.Value.Member(aliasKeyword)
		if list == nil {
			continue
		}
		for j := range list.Items {
			name := list.Items[j].Text()
			if _, taken := r.aliases[name]; taken {
				continue
			}
			if r.aliases == nil {
				r.aliases = map[string]int{}
			}
			r.aliases[name] = r.index[m.Name]
		}
	}
}

// duplicate is a field that was sent under two of its names.
type duplicate struct {
	path               []string // the path of the object
	name, other, field string
}

// rename gives the fields of an object their declared names. It records a field that was sent under
// two names, and leaves it as it is.
func (w *walker) rename(v *jsontree.Value, rules *objectRules) {
	sent := map[int]string{}
	for i := range v.Members {
		if f, ok := rules.index[v.Members[i].Name]; ok {
			sent[f] = v.Members[i].Name
		}
	}
	for i := range v.Members {
		m := &v.Members[i]
		f, ok := rules.aliases[m.Name]
		if _, declared := rules.index[m.Name]; !ok || declared {
			continue
		}
		field := &rules.fields[f]
		if other, twice := sent[f]; twice {
			if len(w.duplicates) < maxViolations {
				w.duplicates = append(w.duplicates, duplicate{path: w.path(), name: m.Name, other: other, field: field.name})
			}
			continue
		}
		sent[f] = m.Name
		m.Name, m.Literal = field.name, field.literal
	}
}

// Rename gives the fields of arguments their declared names, and changes nothing else: the result
// may still be invalid. Arguments that are not JSON are returned unchanged.
func (s *Schema) Rename(args []byte) []byte {
	v, _, err := parseArguments(context.Background(), args)
	if err != nil {
		return args
	}
	new(walker).renameAll(&v, s.root)
	return v.JSON()
}

// Declared returns the declared name of a top-level field that may be sent under one of its further
// names. A name that the schema does not declare is returned unchanged.
func (s *Schema) Declared(name string) string {
	rules := &s.root.object
	if _, declared := rules.index[name]; !declared {
		if f, ok := rules.aliases[name]; ok {
			return rules.fields[f].name
		}
	}
	return name
}

// Unknown reports whether no call can have a top-level field of that name, and suggests a similar
// name: "; did you mean ...?".
func (s *Schema) Unknown(name string) (hint string, unknown bool) {
	rules := &s.root.object
	open := !rules.drops(true) && (s.text.Member("additionalProperties") == nil || s.text.Member("additionalProperties").Literal != "false")
	if _, declared := rules.index[s.Declared(name)]; declared || open || s.text.Member("patternProperties") != nil {
		return "", false
	}
	return didYouMean(name, each.Of(rules.fields, func(f field) string { return f.name }), "declared are"), true
}

// renameAll renames the fields of a value and of all values inside it. It records duplicates
// without their paths.
func (w *walker) renameAll(v *jsontree.Value, p *place) {
	if p == nil {
		return
	}
	if v.Kind == jsontree.Object && p.object.aliases != nil {
		w.rename(v, &p.object)
	}
	for i := range v.Members {
		m := &v.Members[i]
		inner := p.object.rest
		if f, ok := p.object.index[m.Name]; ok {
			inner = p.object.fields[f].place
		}
		w.renameAll(&m.Value, inner)
	}
	for i := range v.Items {
		w.renameAll(&v.Items[i], p.array.at(i))
	}
}

// duplicateFields returns a violation for each field that was sent under two names.
func (w *walker) duplicateFields(doc *jsontree.Value) Violations {
	var list Violations
	for _, d := range w.duplicates {
		path := append(d.path[:len(d.path):len(d.path)], d.name)
		list = append(list, Violation{
			Pointer: jsontree.FormatPointer(path), Kind: KindConstraint,
			Message: argumentNamer.subject(doc, path) + fmt.Sprintf("is another name of %s, which was sent as %s too; send only %[1]s",
				jsontree.QuoteName(d.field), jsontree.QuoteName(d.other)),
		})
	}
	return list
}
