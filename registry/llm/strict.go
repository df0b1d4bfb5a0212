package llm

import (
	"fmt"
	"slices"
)

// measure is what the bounds of strict modes count.
type measure struct {
	depth, properties, nameBytes, enumValues int
	longEnum                                 string // why an enum is too long; empty when none is
	optional, unions                         int
}

// exceeded says which bound for one tool a schema is over; empty when none.
func (s *strictRules) exceeded(schema *object) (measure, string) {
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

func (m *measure) count(schema *object, s *strictRules, depth int) {
	m.depth = max(m.depth, depth)
	if values, ok := schema.get("enum").([]any); ok {
		bytes := 0
		for _, v := range values {
			bytes += len(textOf(v))
		}
		m.enumValues += len(values)
		m.nameBytes += bytes
		if s.longEnum > 0 && len(values) > s.longEnum && bytes > s.longEnumBytes {
			m.longEnum = fmt.Sprintf("an enum has more than %d values with more than %d bytes in all", s.longEnum, s.longEnumBytes)
		}
	}
	if _, ok := schema.get("type").([]any); ok {
		m.unions++
	}
	if forms, ok := schema.get("anyOf").([]any); ok {
		m.unions++
		for _, form := range forms {
			m.into(form, s, depth)
		}
	}
	if items := schema.get("items"); items != nil {
		m.into(items, s, depth+1)
	}
	properties, ok := schema.get("properties").(*object)
	if !ok {
		return
	}
	required, _ := schema.get("required").([]any)
	for _, p := range properties.members {
		m.properties++
		m.nameBytes += len(p.name)
		if !slices.ContainsFunc(required, func(v any) bool { return textOf(v) == p.name }) {
			m.optional++
		}
		m.into(p.value, s, depth+1)
	}
}

func (m *measure) into(v any, s *strictRules, depth int) {
	if schema, ok := v.(*object); ok {
		m.count(schema, s, depth)
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
