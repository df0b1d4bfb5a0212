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
	// schema is the node of the document; nil allows any value.
	schema      *node
	description string
	required    bool
}

// schemas writes the schema of the parameters of one tool. Targets of references are written to
// "$defs", because the schema of a tool must be self-contained.
type schemas struct {
	document *document
	b        bytes.Buffer
	defs     map[*node]string // maps the target of each reference to its name in "$defs"
	order    []*node          // the targets in the order in which they were found
	taken    tooldir.Names
	depth    int
}

// parametersSchema returns the schema of the arguments, in JSON Schema draft 2020-12.
func (d *document) parametersSchema(arguments []argument) ([]byte, *problem) {
	s := &schemas{document: d, defs: make(map[*node]string), taken: tooldir.NewNames()}
	s.b.WriteString(`{"type":"object","properties":{`)
	required := []string{}
	for i, a := range arguments {
		s.key(i, a.name)
		if prob := s.described(a.schema, a.description); prob != nil {
			return nil, prob
		}
		if a.required {
			required = append(required, a.name)
		}
	}
	s.b.WriteByte('}')
	if len(required) > 0 {
		s.b.WriteString(`,"required":`)
		list, _ := json.Marshal(required) // encoding strings cannot fail
		s.b.Write(list)
	}
	for i := 0; i < len(s.order); i++ { // writing a schema may append to order
		if i == 0 {
			s.b.WriteString(`,"$defs":{`)
		}
		s.key(i, s.defs[s.order[i]])
		if prob := s.schema(s.order[i]); prob != nil {
			return nil, prob
		}
	}
	if len(s.order) > 0 {
		s.b.WriteByte('}')
	}
	s.b.WriteByte('}')
	var indented bytes.Buffer
	if err := json.Indent(&indented, s.b.Bytes(), "", "  "); err != nil {
		return nil, problemAt(d.root, "its schemas are not valid JSON")
	}
	if indented.WriteByte('\n'); indented.Len() > manifests.MaxManifestBytes {
		return s.b.Bytes(), nil // only the indentation may make the schema too large
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

// object writes an object and calls write for each value.
func (s *schemas) object(n *node, write func(*node) *problem) *problem {
	s.b.WriteByte('{')
	for i, name := range n.order {
		s.key(i, name)
		if prob := write(n.members[name]); prob != nil {
			return prob
		}
	}
	s.b.WriteByte('}')
	return nil
}

// list writes a list and calls write for each item.
func (s *schemas) list(n *node, write func(*node) *problem) *problem {
	s.b.WriteByte('[')
	for i, item := range n.items {
		if i > 0 {
			s.b.WriteByte(',')
		}
		if prob := write(item); prob != nil {
			return prob
		}
	}
	s.b.WriteByte(']')
	return nil
}

func (s *schemas) text(text string) { s.b.Write(plainjson.String(text)) }

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

// schema writes the schema n.
func (s *schemas) schema(n *node) *problem { return s.described(n, "") }

// described writes the schema n, with the given description if n has none. A nil schema allows any
// value.
func (s *schemas) described(n *node, description string) *problem {
	if prob := s.enter(n); prob != nil {
		return prob
	}
	defer s.leave()
	switch {
	case n == nil:
		n = &node{kind: kindObject}
	case n.kind == kindBoolean:
		s.b.WriteString(n.text)
		return nil
	case n.kind != kindObject:
		return problemAt(n, "is not a schema: a schema is an object")
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
		if prob := s.keyword(n, key); prob != nil {
			return prob
		}
	}
	s.b.WriteByte('}')
	if orNull {
		s.b.WriteString(`,{"type":"null"}]}`)
	}
	return nil
}

// enter is called before each value is written. It checks the size and the depth of the schema. A
// small document can refer to one schema in many places, and schemas can refer to each other in a
// circle.
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

// keyword writes the value of a keyword, converted to draft 2020-12.
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
		return problemAt(value, fmt.Sprintf("%s is not supported in a schema; write a schema of draft 2020-12 without it", key))
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

// reference writes a reference to a definition in "$defs", and adds the target to the definitions.
func (s *schemas) reference(ref *node) *problem {
	target, prob := s.document.target(ref)
	if prob != nil {
		return prob
	}
	name, known := s.defs[target]
	if !known {
		tokens, _ := tokensOf(ref.text[1:]) // valid, because the reference has a target
		name = s.taken.Take(argumentName(tokens[len(tokens)-1]))
		s.defs[target] = name
		s.order = append(s.order, target)
	}
	s.text("#/$defs/" + name)
	return nil
}

// enumOrNull writes the values of an enumeration, and null.
func (s *schemas) enumOrNull(value *node) *problem {
	if slices.ContainsFunc(value.elements(), func(n *node) bool { return n.kind == kindNull }) || value.kindIs() != kindList {
		return s.verbatim(value)
	}
	with := *value
	with.items = append(slices.Clip(value.items), &node{kind: kindNull})
	return s.verbatim(&with)
}

// verbatim writes a value unchanged, including every digit of its numbers.
func (s *schemas) verbatim(n *node) *problem {
	if prob := s.enter(n); prob != nil {
		return prob
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
