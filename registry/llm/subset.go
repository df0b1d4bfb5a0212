package llm

import (
	"fmt"
	"slices"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// subset is the part of JSON Schema that a provider supports.
type subset struct {
	// provider is the provider's name in messages.
	provider string
	names    nameRule
	// tools is the number of tools in a request that all models accept. description is the number
	// of characters in a tool's description that all models accept. 0 means no limit.
	tools, description int
	// fields is the rule for names of properties; the zero value allows all.
	fields nameRule
	// limits are the supported keywords of limitTypes other than format; nil means all of them.
	// formats are the supported values of format; nil means all of them.
	limits, formats []string
	// shortMinItems restricts minItems to 0 and 1.
	shortMinItems bool
	// others is set if the provider supports the keywords in the variable others.
	others bool
	// notes is set if the provider supports default and examples.
	notes bool
	// typeLists is set if "type" may list several types. One type and null are always allowed.
	typeLists bool
	// typed is set if every schema must have a type.
	typed bool
	// items is set if every array must have a schema for its items.
	items bool
	// enums are the types of the values that an enum may list.
	enums jsontype.Set
	// tuples is set if the provider supports prefixItems.
	tuples bool
	// strict has the further rules of strict mode; nil means that the mode is off.
	strict *strictRules
}

// strictRules are the rules of strict mode, in which the provider makes the model follow the
// schema.
type strictRules struct {
	// allRequired requires every property to be listed as required. A property that was optional
	// also accepts null.
	allRequired bool
	// depth, properties, nameBytes and enumValues limit the schema of one tool; 0 means no limit.
	depth, properties, nameBytes, enumValues int
	// longEnumBytes limits the total bytes of the strings in an enum with more than longEnum
	// values; 0 for longEnum means no limit.
	longEnum, longEnumBytes int
	// tools, optional and unions limit all strict tools of a request together; 0 means no limit.
	// optional and unions also limit each tool.
	tools, optional, unions int
}

// knows reports whether the provider supports a limit with this value.
func (s *subset) knows(name string, value *jsontree.Value) bool {
	known := func(names []string, name string) bool { return names == nil || slices.Contains(names, name) }
	switch {
	case name == "format":
		return known(s.formats, value.Text())
	case name == "minItems" && s.shortMinItems:
		return number(value) == 0 || number(value) == 1
	}
	return known(s.limits, name)
}

// measure holds the sizes of a schema that strict mode limits.
type measure struct {
	depth, properties, nameBytes, enumValues int
	longEnum                                 string // error about an enum that is too long, or ""
	optional, unions                         int
}

// exceeded measures a schema. It returns an error message for the first limit on one tool that
// the schema exceeds, or "".
func (s *strictRules) exceeded(schema *jsontree.Value) (measure, string) {
	var m measure
	m.count(schema, s, 1)
	over := func(what string, have, limit int) string {
		if limit == 0 || have <= limit {
			return ""
		}
		return fmt.Sprintf("the schema has %d %s, but strict mode accepts at most %d", have, what, limit)
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
	if values := schema.Member("enum").List(); values != nil {
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
	if schema.Member("type").List() != nil {
		m.unions++
	}
	if forms := schema.Member("anyOf").List(); forms != nil {
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
	required := schema.Member("required").List()
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

// tally counts what strict mode limits for all tools of a request together.
type tally struct{ tools, optional, unions int }

// admit counts one more strict tool. It returns an error message if the tool would exceed a
// limit, or "".
func (t *tally) admit(s *strictRules, m measure) string {
	over := func(have, limit int) bool { return limit > 0 && have > limit }
	switch {
	case over(t.tools+1, s.tools):
		return fmt.Sprintf("a request may have at most %d strict tools", s.tools)
	case over(t.optional+m.optional, s.optional):
		return fmt.Sprintf("the strict tools of a request may have at most %d optional properties in all", s.optional)
	case over(t.unions+m.unions, s.unions):
		return fmt.Sprintf("the strict tools of a request may have at most %d unions in all", s.unions)
	}
	t.tools++
	t.optional += m.optional
	t.unions += m.unions
	return ""
}
