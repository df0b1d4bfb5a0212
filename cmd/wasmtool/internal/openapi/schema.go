package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/tooldir"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/plainjson"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/manifests"
)

// argument is a parameter of a tool.
type argument struct {
	name string
	// schema is as the document has it; nil takes any value.
	schema      *node
	description string
	required    bool
}

// schemas writes the schema of the parameters of one tool. What references lead to goes
// into "$defs", since a schema of ours leads nowhere else.
type schemas struct {
	document *document
	b        bytes.Buffer
	// defs are the names of what references led to, and order is that of finding.
	defs  map[*node]string
	order []*node
	taken tooldir.Names
	depth int
}

// parametersSchema returns the JSON Schema, of draft 2020-12, of arguments.
func (d *document) parametersSchema(arguments []argument) ([]byte, *problem) {
	s := &schemas{document: d, defs: make(map[*node]string), taken: tooldir.NewNames()}
	s.b.WriteString(`{"type":"object","properties":{`)
	required := []string{}
	for i, a := range arguments {
		s.key(i, a.name)
		if fault := s.described(a.schema, a.description); fault != nil {
			return nil, fault
		}
		if a.required {
			required = append(required, a.name)
		}
	}
	s.b.WriteByte('}')
	if len(required) > 0 {
		s.b.WriteString(`,"required":`)
		list, _ := json.Marshal(required) // of texts, it cannot fail
		s.b.Write(list)
	}
	for i := 0; i < len(s.order); i++ { // grows as it goes
		if i == 0 {
			s.b.WriteString(`,"$defs":{`)
		}
		s.key(i, s.defs[s.order[i]])
		if fault := s.schema(s.order[i]); fault != nil {
			return nil, fault
		}
	}
	if len(s.order) > 0 {
		s.b.WriteByte('}')
	}
	s.b.WriteByte('}')
	var indented bytes.Buffer
	if err := json.Indent(&indented, s.b.Bytes(), "", "  "); err != nil {
		return nil, problemAt(d.root, "its schemas make no JSON")
	}
	if indented.WriteByte('\n'); indented.Len() > manifests.MaxManifestBytes {
		return s.b.Bytes(), nil // without space it may still be small enough
	}
	return indented.Bytes(), nil
}

// key writes the name of the i-th member of an object.
func (s *schemas) key(i int, name string) {
	if i > 0 {
		s.b.WriteByte(',')
	}
	s.text(name)
	s.b.WriteByte(':')
}

// object writes an object, each of its values with write.
func (s *schemas) object(n *node, write func(*node) *problem) *problem {
	s.b.WriteByte('{')
	for i, name := range n.order {
		s.key(i, name)
		if fault := write(n.members[name]); fault != nil {
			return fault
		}
	}
	s.b.WriteByte('}')
	return nil
}

// list writes a list, each of its items with write.
func (s *schemas) list(n *node, write func(*node) *problem) *problem {
	s.b.WriteByte('[')
	for i, item := range n.items {
		if i > 0 {
			s.b.WriteByte(',')
		}
		if fault := write(item); fault != nil {
			return fault
		}
	}
	s.b.WriteByte(']')
	return nil
}

func (s *schemas) text(text string) { s.b.Write(plainjson.String(text)) }

// Keywords of schemas, by what their value is made of.
var (
	oneSchema = []string{"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema"}
	manyByKey = []string{"properties", "patternProperties", "dependentSchemas"}
	manyList  = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	// bounds are those that a flag beside them makes exclusive in OpenAPI 3.0.
	bounds = map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
	// dropped say nothing about which values are right, or are found by references.
	dropped = []string{"example", "discriminator", "xml", "externalDocs", "$comment", "$defs", "definitions"}
	// foreign change what references mean, which have been rewritten.
	foreign = []string{"$id", "id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$vocabulary"}
)

// schema writes a schema.
func (s *schemas) schema(n *node) *problem { return s.described(n, "") }

// described writes a schema, nil for one that takes any value, with a description where it
// has none of its own.
func (s *schemas) described(n *node, description string) *problem {
	if fault := s.enter(n); fault != nil {
		return fault
	}
	defer s.leave()
	switch {
	case n == nil:
		n = &node{kind: kindObject}
	case n.kind == kindBoolean:
		s.b.WriteString(n.text)
		return nil
	case n.kind != kindObject:
		return problemAt(n, "is no schema, which is an object")
	}
	if n.get("description") != nil && n.get("$ref") == nil {
		description = ""
	}
	orNull := s.document.old() && n.get("nullable").isTrue() && n.get("type") == nil && n.get("$ref") == nil
	s.b.WriteByte('{')
	written := 0
	if description != "" {
		s.key(written, "description")
		s.text(description)
		written++
	}
	if orNull {
		s.key(written, "anyOf")
		s.b.WriteString("[{")
		written = 0
	}
	for _, key := range n.order {
		if s.leavesOut(n, key) || key == "description" && description != "" {
			continue
		}
		s.key(written, key)
		written++
		if fault := s.keyword(n, key); fault != nil {
			return fault
		}
	}
	s.b.WriteByte('}')
	if orNull {
		s.b.WriteString(`,{"type":"null"}]}`)
	}
	return nil
}

// enter begins a value, unless the schemas are too large or nest too deep: a document can
// name one thing in many places, and in itself through others.
func (s *schemas) enter(n *node) *problem {
	switch s.depth++; {
	case s.depth > jsonschema.MaxSchemaDepth:
		return problemAt(n, fmt.Sprintf("the schemas of the parameters nest more than %d levels deep", jsonschema.MaxSchemaDepth))
	case s.b.Len() > manifests.MaxManifestBytes:
		return problemAt(n, "the schemas of the parameters are larger than "+stricttoml.FormatSize(manifests.MaxManifestBytes))
	}
	return nil
}

func (s *schemas) leave() { s.depth-- }

// leavesOut reports whether a keyword is not written.
func (s *schemas) leavesOut(n *node, key string) bool {
	switch {
	case slices.Contains(dropped, key), strings.HasPrefix(key, "x-"):
		return true
	case key == "$schema":
		return strings.HasPrefix(n.get(key).content(), "https://json-schema.org/draft/2020-12/")
	case !s.document.old():
		return false
	case n.get("$ref") != nil: // what stands beside a reference means nothing in 3.0
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

// keyword writes the value of a keyword, as draft 2020-12 has it.
func (s *schemas) keyword(n *node, key string) *problem {
	value, old := n.get(key), s.document.old()
	nullable := old && n.get("nullable").isTrue()
	if old && bounds[key] != "" {
		value = n.get(bounds[key])
	}
	switch {
	case key == "$ref":
		return s.reference(value)
	case key == "$schema" || slices.Contains(foreign, key):
		return problemAt(value, fmt.Sprintf("%s is not understood in a schema here; write a schema of draft 2020-12 without it", key))
	case key == "type" && nullable && value.kindIs() == kindText:
		s.b.WriteByte('[')
		s.text(value.text)
		s.b.WriteString(`,"null"]`)
		return nil
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

// reference writes what a reference leads to as one of "$defs".
func (s *schemas) reference(ref *node) *problem {
	target, fault := s.document.target(ref)
	if fault != nil {
		return fault
	}
	name, known := s.defs[target]
	if !known {
		tokens, _ := tokensOf(ref.text[1:]) // it led somewhere
		name = s.taken.Take(argumentName(tokens[len(tokens)-1]))
		s.defs[target] = name
		s.order = append(s.order, target)
	}
	s.text("#/$defs/" + name)
	return nil
}

// enumOrNull writes the values of an enumeration that takes null as well.
func (s *schemas) enumOrNull(value *node) *problem {
	if slices.ContainsFunc(value.elements(), func(n *node) bool { return n.kind == kindNull }) || value.kindIs() != kindList {
		return s.verbatim(value)
	}
	with := *value
	with.items = append(slices.Clip(value.items), &node{kind: kindNull})
	return s.verbatim(&with)
}

// verbatim writes a value as it is, its numbers with every digit.
func (s *schemas) verbatim(n *node) *problem {
	if fault := s.enter(n); fault != nil {
		return fault
	}
	defer s.leave()
	switch n.kindIs() {
	case kindText:
		s.text(n.text)
	case kindBoolean, kindNumber:
		s.b.WriteString(n.text)
	case kindList:
		return s.list(n, s.verbatim)
	case kindObject:
		return s.object(n, s.verbatim)
	default:
		s.b.WriteString("null")
	}
	return nil
}
