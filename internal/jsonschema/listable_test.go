package jsonschema

import (
	"strings"
	"testing"
)

func TestListable(t *testing.T) {
	const draft7 = `"$schema":"http://json-schema.org/draft-07/schema#",`
	for name, tc := range map[string]struct{ schema, want, wider string }{
		"unchanged":          {`{"type": "object", "properties": {"a": {"type": "array", "items": {}}}}`, `{"type": "object", "properties": {"a": {"type": "array", "items": {}}}}`, ""},
		"array":              {object(`"a":{"type":"array"}`), object(`"a":{"type":"array","items":{}}`), ""},
		"array or null":      {object(`"a":{"type":["null","array"]}`), object(`"a":{"type":["null","array"],"items":{}}`), ""},
		"nested":             {object(`"a":{"anyOf":[{"type":"array","items":{"type":"array"}}]}`), object(`"a":{"anyOf":[{"type":"array","items":{"type":"array","items":{}}}]}`), ""},
		"tuple":              {object(`"a":{"type":"array","prefixItems":[{"type":"string"}]}`), object(`"a":{"type":"array","prefixItems":[{"type":"string"}],"items":{}}`), ""},
		"closed tuple":       {object(`"a":{"type":"array","prefixItems":[{}],"items":false}`), object(`"a":{"type":"array","prefixItems":[{}],"items":false}`), ""},
		"tuple of draft 7":   {`{` + draft7 + `"type":"array","items":[{"type":"string"},{"type":"array"}]}`, `{` + draft7 + `"type":"array","items":{"anyOf":[{"type":"string"},{"type":"array","items":{}},{}]}}`, "/"},
		"closed, of draft 7": {`{` + draft7 + `"items":[{"type":"string"}],"additionalItems":false}`, `{` + draft7 + `"items":{"anyOf":[{"type":"string"}]}}`, "/"},
		"typed, of draft 7":  {`{` + draft7 + `"items":[true],"additionalItems":{"type":"null"}}`, `{` + draft7 + `"items":{"anyOf":[true,{"type":"null"}]}}`, "/"},
		"data":               {object(`"a":{"default":{"type":"array"},"const":{"type":"array"}}`), object(`"a":{"default":{"type":"array"},"const":{"type":"array"}}`), ""},
		"not JSON":           {`{`, `{`, ""},
	} {
		got, wider := Listable([]byte(tc.schema))
		if string(got) != tc.want || (tc.wider != "") != (len(wider) > 0) {
			t.Errorf("%s: got %s, wider %q; want %s", name, got, strings.Join(wider, " "), tc.want)
		}
		if _, err := Compile([]byte(tc.schema)); err == nil {
			if _, err := Compile(got); err != nil {
				t.Errorf("%s: got %s: %v", name, got, err)
			}
		}
	}
}
