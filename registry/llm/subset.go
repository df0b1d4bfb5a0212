package llm

import (
	"fmt"
	"slices"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// subset is what a provider's schemas may hold. A converter keeps what is in it.
type subset struct {
	// provider is its name in texts.
	provider string
	names    nameRule
	// tools and description are how many tools, and how many characters of a description,
	// all models take; 0 means any.
	tools, description int
	// fields is the rule for names of properties; the zero value allows all.
	fields nameRule
	// limits are the limits that the provider knows, without format, and formats the formats;
	// nil knows all.
	limits, formats []string
	// shortest says that of minItems the provider knows 0 and 1 alone.
	shortest bool
	// others tells that it knows not, if, patternProperties and the like.
	others bool
	// notes tells that it knows default and examples.
	notes bool
	// typeLists tells that "type" may list several types; null beside one may always stand.
	typeLists bool
	// typed tells that a type must be said wherever one can be.
	typed bool
	// items tells that an array must say something of its items.
	items bool
	// enums are the types of the values that an enum may list.
	enums jsontype.Set
	// tuples tells that it knows prefixItems.
	tuples bool
	// strict has further rules; nil means that the model is not held to the schema.
	strict *strictRules
}

// strictRules are the rules of a mode that holds the model to the schema.
type strictRules struct {
	// allRequired asks for all properties to be required: one that may be left out takes
	// null instead.
	allRequired bool
	// The bounds for one tool; 0 means none.
	depth, properties, nameBytes, enumValues int
	// longEnum is the number of values from which the texts of an enum may have at most
	// longEnumBytes.
	longEnum, longEnumBytes int
	// The bounds for all tools of a request; 0 means none.
	tools, optional, unions int
}

// knows reports whether the provider knows a limit with this value.
func (s *subset) knows(name string, value *jsontree.Value) bool {
	known := func(names []string, name string) bool { return names == nil || slices.Contains(names, name) }
	switch {
	case name == "format":
		return known(s.formats, value.Text())
	case name == "minItems" && s.shortest:
		return number(value) == 0 || number(value) == 1
	}
	return known(s.limits, name)
}

// measure is what the bounds of strict modes count.
type measure struct {
	depth, properties, nameBytes, enumValues int
	longEnum                                 string // why an enum is too long; empty when none is
	optional, unions                         int
}

// exceeded says which bound for one tool a schema is over; empty when none.
func (s *strictRules) exceeded(schema *jsontree.Value) (measure, string) {
	var m measure
	m.count(schema, s, 1)
	over := func(what string, have, most int) string {
		if most == 0 || have <= most {
			return ""
		}
		return fmt.Sprintf("the schema has %d %s, and strict mode takes %d", have, what, most)
	}
	for _, why := range []string{
		over("levels of nesting", m.depth, s.depth), over("properties", m.properties, s.properties),
		over("bytes of names and values", m.nameBytes, s.nameBytes), over("values in enums", m.enumValues, s.enumValues),
		m.longEnum, over("optional properties", m.optional, s.optional), over("unions", m.unions, s.unions),
	} {
		if why != "" {
			return m, why
		}
	}
	return m, ""
}

func (m *measure) count(schema *jsontree.Value, s *strictRules, depth int) {
	if schema.Kind != jsontree.Object {
		return
	}
	m.depth = max(m.depth, depth)
	if values := itemsOf(schema.Member("enum")); values != nil {
		bytes := 0
		for _, v := range values {
			bytes += len(v.Text())
		}
		m.enumValues += len(values)
		m.nameBytes += bytes
		if s.longEnum > 0 && len(values) > s.longEnum && bytes > s.longEnumBytes {
			m.longEnum = fmt.Sprintf("an enum has more than %d values with more than %d bytes in all", s.longEnum, s.longEnumBytes)
		}
	}
	if itemsOf(schema.Member("type")) != nil {
		m.unions++
	}
	if forms := itemsOf(schema.Member("anyOf")); forms != nil {
		m.unions++
		for i := range forms {
			m.count(&forms[i], s, depth)
		}
	}
	if items := schema.Member("items"); items != nil {
		m.count(items, s, depth+1)
	}
	properties := schema.Member("properties")
	if properties == nil {
		return
	}
	required := itemsOf(schema.Member("required"))
	for i := range properties.Members {
		p := &properties.Members[i]
		m.properties++
		m.nameBytes += len(p.Name)
		if !slices.ContainsFunc(required, func(v jsontree.Value) bool { return v.Text() == p.Name }) {
			m.optional++
		}
		m.count(&p.Value, s, depth+1)
	}
}

// tally adds up what the bounds for all tools of a request count.
type tally struct{ tools, optional, unions int }

// admit counts one more strict tool, or says why there may not be one.
func (t *tally) admit(s *strictRules, m measure) string {
	over := func(have, most int) bool { return most > 0 && have > most }
	switch {
	case over(t.tools+1, s.tools):
		return fmt.Sprintf("a request takes %d strict tools", s.tools)
	case over(t.optional+m.optional, s.optional):
		return fmt.Sprintf("the strict tools of a request take %d optional properties in all", s.optional)
	case over(t.unions+m.unions, s.unions):
		return fmt.Sprintf("the strict tools of a request take %d unions in all", s.unions)
	}
	t.tools++
	t.optional += m.optional
	t.unions += m.unions
	return ""
}
