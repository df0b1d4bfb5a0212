package typeschema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// compare returns a schema of a manifest that is in step with the types, and says what was not. The
// types decide about properties, types and required ones; everything else stays, such as limits and
// defaults. A comment in the source replaces the description.
func compare(at string, old, derived map[string]any) (merged map[string]any, differences []string) {
	merged = maps.Clone(old)
	if merged == nil {
		merged = make(map[string]any)
	}
	note := func(format string, args ...any) {
		differences = append(differences, at+": "+fmt.Sprintf(format, args...))
	}
	if want, ok := derived["type"].(string); ok && !allows(old["type"], want) {
		if old["type"] == nil {
			note("has no type, and the type %s in the source", want)
		} else {
			note("has the type %s, and the type %s in the source", words(old["type"]), want)
		}
		merged["type"] = want
	}
	for _, key := range []string{"description", "enum", "format", "contentEncoding"} {
		if value, ok := derived[key]; ok && (key == "description" || old[key] == nil) {
			merged[key] = value
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if inner, ok := derived[key].(Schema); ok {
			before, _ := old[key].(map[string]any)
			value, more := compare(at+"."+key, before, inner)
			merged[key], differences = value, append(differences, more...)
		}
	}
	properties, ok := derived["properties"].(Schema)
	if !ok {
		return merged, differences
	}
	before, _ := old["properties"].(map[string]any)
	all := make(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property, _ := before[name].(map[string]any)
		if before[name] == nil {
			note("has no %q, which the source has", name)
		}
		value, more := compare(at+"."+name, property, properties[name].(Schema))
		if all[name] = value; before[name] != nil {
			differences = append(differences, more...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if properties[name] == nil {
			note("has %q, which the source does not have", name)
		}
	}
	merged["properties"] = all
	want := slices.DeleteFunc(texts(derived["required"]), func(name string) bool {
		property, _ := all[name].(map[string]any)
		return property["default"] != nil
	})
	slices.Sort(want)
	has := slices.Sorted(slices.Values(texts(old["required"])))
	// A manifest may require more than the source.
	if missing := slices.DeleteFunc(slices.Clone(want), func(name string) bool { return slices.Contains(has, name) || before[name] == nil }); len(missing) > 0 {
		note("does not require %s; the source has no omitempty there", strings.Join(missing, ", "))
	}
	required := slices.DeleteFunc(append(want, has...), func(name string) bool { return all[name] == nil })
	slices.Sort(required)
	if delete(merged, "required"); len(required) > 0 {
		merged["required"] = slices.Compact(required)
	}
	return merged, differences
}

// allows reports whether the type in a manifest is for values of a type in the source. A manifest
// may allow only integers where the source has a number.
func allows(have any, want string) bool {
	for _, name := range texts(have) {
		if name == want || name == "integer" && want == "number" {
			return true
		}
	}
	return false
}

// texts returns a string, or the strings of a list.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []string:
		return slices.Clone(v)
	case []any:
		var all []string
		for _, element := range v {
			if s, ok := element.(string); ok {
				all = append(all, s)
			}
		}
		return all
	}
	return nil
}

// words returns the types of a manifest for a message.
func words(v any) string { return strings.Join(texts(v), " or ") }
