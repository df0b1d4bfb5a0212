package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/tooldir"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/manifests"
)

// argument is a parameter of a tool.
type argument struct {
	name string
	// schema is the node of the document; nil allows any value.
	schema      *node
	description string
	required    bool
}

// schemas makes the schema of the parameters of one tool. Targets of references become members of
// "$defs", because the schema of a tool must be self-contained.
type schemas struct {
	document *document
	defs     map[*node]string // maps the target of each reference to its name in "$defs"
	order    []*node          // the targets in the order in which they were found
	taken    tooldir.Names
	depth    int
	bytes    int // the approximate size of the schema so far
}

// parametersSchema returns the schema of the arguments, in JSON Schema draft 2020-12.
func (d *document) parametersSchema(arguments []argument) ([]byte, *problem) {
	s := &schemas{document: d, defs: make(map[*node]string), taken: tooldir.NewNames()}
	properties, required, defs := jsontree.NewObject(), jsontree.NewArray(), jsontree.NewObject()
	for _, a := range arguments {
		value, prob := s.described(a.schema, a.description)
		if prob != nil {
			return nil, prob
		}
		properties.Add(a.name, value)
		if a.required {
			required.Items = append(required.Items, *jsontree.NewString(a.name))
		}
	}
	for i := 0; i < len(s.order); i++ { // making a schema may append to order
		value, prob := s.schema(s.order[i])
		if prob != nil {
			return nil, prob
		}
		defs.Add(s.defs[s.order[i]], value)
	}
	root := jsontree.NewObject().AddText("type", "object").Add("properties", properties)
	if len(required.Items) > 0 {
		root.Add("required", required)
	}
	if len(defs.Members) > 0 {
		root.Add("$defs", defs)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, root.JSON(), "", "  "); err != nil {
		return nil, problemAt(d.root, "its schemas are not valid JSON")
	}
	if indented.WriteByte('\n'); indented.Len() > manifests.MaxManifestBytes {
		return root.JSON(), nil // only the indentation may make the schema too large
	}
	return indented.Bytes(), nil
}

// maker makes the value of a node.
type maker func(*node) (*jsontree.Value, *problem)

// object returns an object with the results of value for the values of n.
func (s *schemas) object(n *node, value maker) (*jsontree.Value, *problem) {
	o := jsontree.NewObject()
	for _, name := range n.order {
		v, prob := value(n.members[name])
		if prob != nil {
			return nil, prob
		}
		s.add(o, name, v)
	}
	return o, nil
}

// add adds a member to an object.
func (s *schemas) add(o *jsontree.Value, name string, v *jsontree.Value) {
	s.bytes += len(name) + len(`"":,`)
	o.Add(name, v)
}

// list returns a list with the results of item for the items of n.
func (s *schemas) list(n *node, item maker) (*jsontree.Value, *problem) {
	list := jsontree.NewArray()
	for _, one := range n.items {
		v, prob := item(one)
		if prob != nil {
			return nil, prob
		}
		list.Items = append(list.Items, *v)
	}
	return list, nil
}

// Keywords of schemas, grouped by the form of their values.
var (
	oneSchema = []string{"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema"}
	manyByKey = []string{"properties", "patternProperties", "dependentSchemas"}
	manyList  = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	// bounds maps each boolean flag of OpenAPI 3.0, such as "exclusiveMinimum", to the keyword of
	// its bound, such as "minimum".
	bounds = map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
	// dropped lists keywords that are omitted, because they do not constrain values or because they
	// contain definitions. A definition is written only if a reference points to it.
	dropped = []string{"example", "discriminator", "xml", "externalDocs", "$comment", "$defs", "definitions"}
	// foreign lists keywords that are refused: they change what references mean, and the converter
	// rewrites all references.
	foreign = []string{"$id", "id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$vocabulary"}
)

// schema makes the schema n.
func (s *schemas) schema(n *node) (*jsontree.Value, *problem) { return s.described(n, "") }

// described makes the schema n, with the given description if n has none. A nil schema allows any
// value.
func (s *schemas) described(n *node, description string) (*jsontree.Value, *problem) {
	if prob := s.enter(n); prob != nil {
		return nil, prob
	}
	defer s.leave()
	switch {
	case n == nil:
		n = &node{kind: kindObject}
	case n.kind == kindBoolean:
		return jsontree.NewRaw([]byte(n.text)), nil
	case n.kind != kindObject:
		return nil, problemAt(n, "is not a schema: a schema is an object")
	}
	if n.get("description") != nil && n.get("$ref") == nil {
		description = ""
	}
	schema := jsontree.NewObject().AddText("description", description)
	keywords := schema
	orNull := s.document.old() && n.get("nullable").isTrue() && n.get("type") == nil && n.get("$ref") == nil
	if orNull {
		keywords = jsontree.NewObject()
	}
	for _, key := range n.order {
		if s.leavesOut(n, key) || key == "description" && description != "" {
			continue
		}
		value, prob := s.keyword(n, key)
		if prob != nil {
			return nil, prob
		}
		s.add(keywords, key, value)
	}
	if orNull {
		schema.Add("anyOf", jsontree.NewArray(keywords, jsontree.NewObject().AddText("type", "null")))
	}
	return schema, nil
}

// enter is called before each value is made. It checks the size and the depth of the schema. A
// small document can refer to one schema in many places, and schemas can refer to each other in a
// circle.
func (s *schemas) enter(n *node) *problem {
	s.bytes += len(n.value().text) + len("{},")
	switch s.depth++; {
	case s.depth > jsonschema.MaxSchemaDepth:
		return problemAt(n, fmt.Sprintf("the schemas of the parameters nest more than %d levels deep", jsonschema.MaxSchemaDepth))
	case s.bytes > manifests.MaxManifestBytes:
		return problemAt(n, "the schemas of the parameters are larger than "+stricttoml.FormatSize(manifests.MaxManifestBytes))
	}
	return nil
}

func (s *schemas) leave() { s.depth-- }

// leavesOut reports whether a keyword is omitted.
func (s *schemas) leavesOut(n *node, key string) bool {
	switch {
	case slices.Contains(dropped, key), strings.HasPrefix(key, "x-"):
		return true
	case key == "$schema":
		return strings.HasPrefix(n.get(key).content(), "https://json-schema.org/draft/2020-12/")
	case !s.document.old():
		return false
	case n.get("$ref") != nil: // OpenAPI 3.0 ignores keywords next to a reference
		return key != "$ref"
	case bounds[key] != "":
		return n.get(bounds[key]) == nil || !n.get(key).isTrue()
	case key == "minimum":
		return n.get("exclusiveMinimum").isTrue()
	case key == "maximum":
		return n.get("exclusiveMaximum").isTrue()
	}
	return key == "nullable"
}

// keyword makes the value of a keyword, converted to draft 2020-12.
func (s *schemas) keyword(n *node, key string) (*jsontree.Value, *problem) {
	value, old := n.get(key), s.document.old()
	nullable := old && n.get("nullable").isTrue()
	if old && bounds[key] != "" {
		value = n.get(bounds[key])
	}
	switch {
	case key == "$ref":
		return s.reference(value)
	case key == "$schema" || slices.Contains(foreign, key):
		return nil, problemAt(value, fmt.Sprintf("%s is not supported in a schema; write a schema of draft 2020-12 without it", key))
	case key == "type" && nullable && value.kindIs() == kindText:
		return jsontree.NewArray(jsontree.NewString(value.text), jsontree.NewString("null")), nil
	case key == "enum" && nullable && n.get("type") != nil:
		return s.enumOrNull(value)
	case slices.Contains(oneSchema, key) && value.kindIs() != kindList:
		return s.schema(value)
	case slices.Contains(manyByKey, key) && value.kindIs() == kindObject:
		return s.object(value, s.schema)
	case slices.Contains(manyList, key) && value.kindIs() == kindList:
		return s.list(value, s.schema)
	}
	return s.verbatim(value)
}

// reference makes a reference to a definition in "$defs", and adds the target to the definitions.
func (s *schemas) reference(ref *node) (*jsontree.Value, *problem) {
	target, prob := s.document.target(ref)
	if prob != nil {
		return nil, prob
	}
	name, known := s.defs[target]
	if !known {
		tokens, _ := tokensOf(ref.text[1:]) // valid, because the reference has a target
		name = s.taken.Take(argumentName(tokens[len(tokens)-1]))
		s.defs[target] = name
		s.order = append(s.order, target)
	}
	return jsontree.NewString("#/$defs/" + name), nil
}

// enumOrNull makes the values of an enumeration, and null.
func (s *schemas) enumOrNull(value *node) (*jsontree.Value, *problem) {
	if slices.ContainsFunc(value.elements(), func(n *node) bool { return n.kind == kindNull }) || value.kindIs() != kindList {
		return s.verbatim(value)
	}
	with := *value
	with.items = append(slices.Clip(value.items), &node{kind: kindNull})
	return s.verbatim(&with)
}

// verbatim returns a value unchanged, including every digit of its numbers.
func (s *schemas) verbatim(n *node) (*jsontree.Value, *problem) {
	if prob := s.enter(n); prob != nil {
		return nil, prob
	}
	defer s.leave()
	switch n.kindIs() {
	case kindText:
		return jsontree.NewString(n.text), nil
	case kindBoolean, kindNumber:
		return jsontree.NewRaw([]byte(n.text)), nil
	case kindList:
		return s.list(n, s.verbatim)
	case kindObject:
		return s.object(n, s.verbatim)
	}
	return new(jsontree.Value), nil // null
}
