package jsonschema

import (
	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/wasmtool/wasmtool/internal/jsontype"
	"github.com/wasmtool/wasmtool/internal/plainjson"
)

// objectRules combines the rules of the schemas for objects.
func (p *planner) objectRules(set []*santhosh.Schema) objectRules {
	all, certain := p.applying(set, jsontype.Object)
	rules := objectRules{silent: certain, index: map[string]int{}}
	patterns := false
	required := map[string]bool{}
	for _, s := range all {
		rules.listed = rules.listed || s.Properties != nil
		patterns = patterns || len(s.PatternProperties) > 0
		rules.silent = rules.silent && s.AdditionalProperties == nil && s.UnevaluatedProperties == nil
		for _, name := range s.Required {
			required[name] = true
		}
	}
	for _, s := range all {
		for _, f := range p.declared(s) {
			if _, ok := rules.index[f.name]; ok || p.tooLarge() {
				continue
			}
			rules.index[f.name] = len(rules.fields)
			f.place = p.place(fieldSchemas(all, f.name))
			f.required = required[f.name]
			rules.fields = append(rules.fields, f)
		}
	}
	for _, s := range all {
		if source, _ := p.source(s); source != nil && !p.tooLarge() {
			if properties := source.Member("properties"); properties != nil {
				rules.addAliases(properties)
			}
		}
	}
	if patterns {
		// The fields that the patterns declare depend on the document.
		rules.silent = false
		return rules
	}
	var rest []*santhosh.Schema
	for _, s := range all {
		if additional, ok := s.AdditionalProperties.(*santhosh.Schema); ok {
			rest = append(rest, additional)
		}
	}
	rules.rest = p.place(rest)
	return rules
}

// declared returns the properties of one schema in the order of the document. If the schema is not
// part of the document, the properties are sorted by name.
func (p *planner) declared(s *santhosh.Schema) []field {
	if len(s.Properties) == 0 {
		return nil
	}
	var fields []field
	if source, _ := p.source(s); source != nil {
		for _, m := range source.Member("properties").Members {
			fields = append(fields, field{name: m.Name, literal: m.Literal})
		}
		return fields
	}
	for _, name := range sorted(s.Properties) {
		fields = append(fields, field{name: name, literal: string(plainjson.String(name))})
	}
	return fields
}

// fieldSchemas returns the schemas that apply to one field. If a schema does not declare the field,
// its additionalProperties applies.
func fieldSchemas(all []*santhosh.Schema, name string) []*santhosh.Schema {
	var found []*santhosh.Schema
	seen := map[*santhosh.Schema]bool{nil: true}
	for _, s := range all {
		rule := s.Properties[name]
		if rule == nil && len(s.PatternProperties) == 0 {
			rule, _ = s.AdditionalProperties.(*santhosh.Schema)
		}
		if !seen[rule] {
			seen[rule] = true
			found = append(found, rule)
		}
	}
	return found
}

// arrayRules combines the rules of the schemas for arrays.
func (p *planner) arrayRules(set []*santhosh.Schema) arrayRules {
	all, _ := p.applying(set, jsontype.Array)
	var rules arrayRules
	var rest []*santhosh.Schema
	longest := 0
	for _, s := range all {
		prefix, other := items(s)
		longest = max(longest, len(prefix))
		if other != nil {
			rest = append(rest, other)
		}
	}
	for i := 0; i < longest && !p.tooLarge(); i++ {
		var here []*santhosh.Schema
		for _, s := range all {
			prefix, other := items(s)
			if i < len(prefix) {
				here = append(here, prefix[i])
			} else if other != nil {
				here = append(here, other)
			}
		}
		rules.prefix = append(rules.prefix, p.place(here))
	}
	rules.rest = p.place(rest)
	return rules
}

// items returns the schemas of the first items and of all other items, in any draft.
func items(s *santhosh.Schema) (prefix []*santhosh.Schema, rest *santhosh.Schema) {
	if s.DraftVersion >= 2020 {
		return s.PrefixItems, s.Items2020
	}
	switch list := s.Items.(type) {
	case *santhosh.Schema:
		return nil, list
	case []*santhosh.Schema:
		rest, _ = s.AdditionalItems.(*santhosh.Schema)
		return list, rest
	}
	return nil, nil
}
