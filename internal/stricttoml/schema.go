package stricttoml

// Schema returns the JSON Schema of the format with these keys, for editors. It has only keywords
// that mean the same in all drafts from 4 to 2020-12, because editors of TOML support different
// ones. The schema accepts every file that the format accepts. It refuses unknown and missing keys
// and values of the wrong type, and does not check what only a Reader checks.
//
// describe returns the description of a key, such as "mounts.NAME.path", or "".
func Schema(title string, keys []Key, describe func(path string) string) map[string]any {
	root := describer(describe).table("", keys)
	root["$schema"], root["title"] = "http://json-schema.org/draft-07/schema#", title
	return root
}

// describer returns the description of a key.
type describer func(path string) string

// table returns the schema of a table with these keys.
func (d describer) table(path string, keys []Key) map[string]any {
	properties, required := make(map[string]any), []string{}
	for _, k := range keys {
		at := Join(path, k.Name)
		own := d.value(at, k)
		if text := d(at); text != "" {
			own["description"] = text
		}
		properties[k.Name] = own
		if k.Required != "" {
			required = append(required, k.Name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 { // draft 4 refuses an empty list
		schema["required"] = required
	}
	return schema
}

// value returns the schema of the value of a key.
func (d describer) value(path string, k Key) map[string]any {
	if k.Or != nil {
		other := d.value(path, *k.Or)
		k.Or = nil
		return map[string]any{"anyOf": []any{d.value(path, k), other}}
	}
	switch k.Want {
	case WantString:
		if len(k.Choices) > 0 {
			return map[string]any{"type": "string", "enum": k.Choices}
		}
		return map[string]any{"type": "string"}
	case WantBool:
		return map[string]any{"type": "boolean"}
	case WantInteger:
		return map[string]any{"type": "integer"}
	case WantStrings:
		return map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
	case WantTable:
		return d.table(path, k.Members())
	case WantTables:
		return map[string]any{"type": "array", "items": d.table(path, k.Members())}
	case WantMap:
		return map[string]any{"type": "object", "additionalProperties": d.value(Join(path, AnyName), k.Entry(AnyName))}
	case WantJSON:
		return map[string]any{"type": "object"}
	}
	return map[string]any{} // any value
}

// Join appends a name to a dotted path.
func Join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
