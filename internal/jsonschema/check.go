package jsonschema

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// shape is the form in which the value of a keyword contains schemas.
type shape uint8

const (
	shapeSchema shape = iota + 1 // a schema
	shapeList                    // a list of schemas
	shapeEither                  // a schema, or a list of schemas
	shapeByName                  // an object of schemas by name
)

// keywords lists the keywords that contain schemas, with the draft that introduced them. In a
// schema of an older draft, such a keyword has no meaning.
var keywords = map[string]struct {
	shape shape
	since int
}{
	"not": {shapeSchema, 4}, "allOf": {shapeList, 4}, "anyOf": {shapeList, 4}, "oneOf": {shapeList, 4},
	"items": {shapeEither, 4}, "additionalItems": {shapeSchema, 4},
	"properties": {shapeByName, 4}, "patternProperties": {shapeByName, 4}, "additionalProperties": {shapeSchema, 4},
	"definitions": {shapeByName, 4}, "dependencies": {shapeByName, 4},
	"contains": {shapeSchema, 6}, "propertyNames": {shapeSchema, 6},
	"if": {shapeSchema, 7}, "then": {shapeSchema, 7}, "else": {shapeSchema, 7},
	"$defs": {shapeByName, 2019}, "dependentSchemas": {shapeByName, 2019}, "contentSchema": {shapeSchema, 2019},
	"unevaluatedItems": {shapeSchema, 2019}, "unevaluatedProperties": {shapeSchema, 2019},
	"prefixItems": {shapeList, 2020},
}

// drafts maps the values of "$schema" that the library supports, without scheme and empty fragment,
// to the number of the draft.
var drafts = map[string]int{
	"json-schema.org/schema":               2020,
	"json-schema.org/draft/2020-12/schema": 2020,
	"json-schema.org/draft/2019-09/schema": 2019,
	"json-schema.org/draft-07/schema":      7,
	"json-schema.org/draft-06/schema":      6,
	"json-schema.org/draft-04/schema":      4,
}

// typeMistakes maps type names of other languages to the intended type.
var typeMistakes = map[string]string{
	"dict": "object", "map": "object", "struct": "object", "record": "object", "hashmap": "object",
	"list": "array", "tuple": "array", "set": "array", "vector": "array", "slice": "array",
	"float": "number", "double": "number", "decimal": "number", "real": "number", "num": "number",
	"int": "integer", "int32": "integer", "int64": "integer", "long": "integer", "uint": "integer",
	"str": "string", "text": "string", "char": "string", "varchar": "string", "date": "string",
	"bool": "boolean", "none": "null", "nil": "null", "undefined": "null",
}

// checker finds errors in a schema that the library reports only one at a time, or with messages
// for developers, or not at all. It also records where the subschemas are in the document.
type checker struct {
	errs     SchemaErrors
	schemas  map[string]*jsontree.Value // each schema, by JSON pointer
	order    []string                   // the pointers, in the order of the document
	refs     []reference
	anchors  map[string]bool
	ids      map[string]bool
	patterns map[string]*pattern
	cost     int  // of all patterns
	stopped  bool // a limit was exceeded, so further checks are pointless
}

// scope holds the settings that a subschema inherits from the schemas around it.
type scope struct {
	draft  int
	inside bool // an outer schema, other than the root, has an identifier
}

// check checks a whole document.
func check(root *jsontree.Value) *checker {
	c := &checker{
		schemas: map[string]*jsontree.Value{}, anchors: map[string]bool{}, ids: map[string]bool{},
		patterns: map[string]*pattern{},
	}
	c.schema(root, "", scope{draft: 2020})
	c.references(root)
	return c
}

func (c *checker) report(pointer, format string, args ...any) {
	c.errs = append(c.errs, SchemaError{
		Pointer: pointer,
		Message: schemaSubject(pointer) + fmt.Sprintf(format, args...),
	})
}

// stop reports that a limit was exceeded, unless one was reported before.
func (c *checker) stop(pointer, format string, args ...any) {
	if !c.stopped {
		c.stopped = true
		c.report(pointer, format, args...)
	}
}

// schema checks one schema and the schemas inside it.
func (c *checker) schema(v *jsontree.Value, pointer string, s scope) {
	if c.stopped || c.schemas[pointer] != nil {
		return
	}
	if v.Kind != jsontree.Object && v.Kind != jsontree.Boolean {
		c.report(pointer, "a schema must be an object, true or false, got %s", v.Describe())
		return
	}
	c.schemas[pointer] = v
	c.order = append(c.order, pointer)
	if len(c.order) > MaxSubschemas {
		c.stop("", "the schema contains more than %d schemas", MaxSubschemas)
		return
	}
	s = c.identity(v, pointer, s)
	for i := range v.Members {
		m := &v.Members[i]
		at := pointer + "/" + jsontree.EscapeToken(m.Name)
		c.keyword(m.Name, &m.Value, at, s)
		c.inner(m.Name, &m.Value, at, s)
	}
}

// identity reads the keywords that change the meaning of the schemas inside v.
func (c *checker) identity(v *jsontree.Value, pointer string, s scope) scope {
	if dialect := v.Member("$schema"); dialect != nil && dialect.Kind == jsontree.String {
		name := dialect.Text()
		bare := strings.TrimPrefix(strings.TrimPrefix(name, "http://"), "https://")
		draft := drafts[strings.TrimSuffix(bare, "#")]
		switch {
		case draft == 0:
			c.report(pointer+"/$schema", "%s is not a supported draft; remote schemas are not read; "+
				`use "https://json-schema.org/draft/2020-12/schema" or leave "$schema" out`, jsontree.QuoteName(name))
		case pointer == "" || v.Member(identifier(draft)) != nil:
			s.draft = draft
		}
	}
	keyword := identifier(s.draft)
	if id := v.Member(keyword); id != nil && id.Kind == jsontree.String {
		address, anchor, _ := strings.Cut(id.Text(), "#")
		c.anchors[anchor] = anchor != ""
		if c.ids[address] = true; len(c.ids) > maxIdentifiers {
			c.stop(pointer+"/"+keyword, "more than %d identifiers", maxIdentifiers)
		}
		s.inside = s.inside || pointer != "" && address != ""
	}
	for _, keyword := range [...]string{"$anchor", "$dynamicAnchor"} {
		if anchor := v.Member(keyword); anchor != nil && anchor.Kind == jsontree.String {
			c.anchors[anchor.Text()] = true
		}
	}
	return s
}

// identifier returns the keyword that gives a schema an address of its own.
func identifier(draft int) string {
	if draft == 4 {
		return "id"
	}
	return "$id"
}

// inner checks the schemas that a keyword holds. It ignores a value of the wrong shape, which the
// meta-schema reports.
func (c *checker) inner(keyword string, v *jsontree.Value, at string, s scope) {
	known := keywords[keyword]
	shape := known.shape
	switch {
	case shape == 0 || s.draft < known.since:
	case v.Kind == jsontree.Array && (shape == shapeList || shape == shapeEither):
		for i := range v.Items {
			c.schema(&v.Items[i], at+"/"+strconv.Itoa(i), s)
		}
	case v.Kind == jsontree.Object && shape == shapeByName:
		for i := range v.Members {
			m := &v.Members[i]
			if keyword == "dependencies" && m.Value.Kind == jsontree.Array {
				continue // a list of names
			}
			c.schema(&m.Value, at+"/"+jsontree.EscapeToken(m.Name), s)
		}
	case shape == shapeSchema || shape == shapeEither && v.Kind != jsontree.Array:
		c.schema(v, at, s)
	}
}

// keyword checks one keyword for common mistakes.
func (c *checker) keyword(keyword string, v *jsontree.Value, at string, s scope) {
	switch keyword {
	case "type":
		c.typeNames(v, at)
	case "$ref", "$dynamicRef", "$recursiveRef":
		if v.Kind == jsontree.String {
			c.refs = append(c.refs, reference{pointer: at, target: v.Text(), scope: s})
		}
	case "properties":
		c.aliases(v, at)
	case aliasKeyword:
		c.aliasPlace(at)
	case pathKeyword:
		c.pathPlace(v, at)
	case "pattern":
		if v.Kind == jsontree.String {
			c.pattern(v.Text(), at, "pattern")
		}
	case "patternProperties":
		for i := range v.Members {
			name := v.Members[i].Name
			c.pattern(name, at+"/"+jsontree.EscapeToken(name), "patternProperties")
		}
	case "exclusiveMinimum", "exclusiveMaximum":
		if v.Kind == jsontree.Boolean && s.draft > 4 {
			bound := strings.ToLower(strings.TrimPrefix(keyword, "exclusive"))
			c.report(at, `must be a number; true and false are draft-4 style: write the number here instead of under %q`, bound)
		}
	case "items":
		if v.Kind == jsontree.Array && s.draft >= 2020 {
			c.report(at, `must be one schema; a list of schemas is called "prefixItems" since draft 2020-12`)
		}
	case "required":
		if v.Kind == jsontree.Boolean {
			c.report(at, `must be a list of names on the object that holds the properties, got %s`, v.Describe())
		}
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		c.count(v, at)
	}
}

// typeNames checks the value of "type".
func (c *checker) typeNames(v *jsontree.Value, at string) {
	for i := range v.Items {
		c.typeName(&v.Items[i], at+"/"+strconv.Itoa(i))
	}
	c.typeName(v, at)
}

func (c *checker) typeName(v *jsontree.Value, at string) {
	if v.Kind != jsontree.String || jsontype.Named(v.Text()) != 0 {
		return
	}
	name := v.Text()
	plain := strings.ToLower(strings.TrimSpace(name))
	hint := ""
	if meant, ok := typeMistakes[plain]; ok {
		hint = fmt.Sprintf("; did you mean %q?", meant)
	} else if plain == "any" || plain == "all" || plain == "unknown" {
		hint = `; leave "type" out to admit any value`
	} else {
		hint = didYouMean(name, jsontype.Names(), "the types are")
	}
	c.report(at, "unknown type %s%s", jsontree.QuoteName(name), hint)
}

// count checks a keyword whose value is a count, such as maxLength. The library would misread a
// number that does not fit into an int.
func (c *checker) count(v *jsontree.Value, at string) {
	if v.Kind != jsontree.Number || !jsontree.IsInteger(v.Literal) {
		return // the meta-schema reports it
	}
	if r, ok := new(big.Rat).SetString(v.Literal); ok && (!r.Num().IsInt64() || r.Num().Int64() > math.MaxInt) {
		c.report(at, "%s is too large", v.Excerpt())
	}
}

// pattern compiles one regular expression of the schema.
func (c *checker) pattern(expr, at, keyword string) {
	if c.patterns[expr] != nil {
		return
	}
	p, err := compilePattern(expr)
	if err != nil {
		c.errs = append(c.errs, SchemaError{
			Pointer: at,
			Message: propertySubject(at) + keyword + " " + err.Error(),
		})
		return
	}
	if c.cost += p.cost; c.cost > maxPatternsCost {
		c.stop(at, "the compiled patterns of the schema are too large together")
	}
	c.patterns[expr] = p
}

// sorted returns the sorted keys of a map.
func sorted[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
