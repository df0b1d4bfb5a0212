package check

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/standard"
)

// schemas are schemas with one keyword or more that the generator must know.
func schemas() []string {
	return []string{
		`{"type":"object","required":["a"],"properties":{"a":{"type":"string","minLength":3,"maxLength":5},"b":{"type":"integer","minimum":7,"maximum":9}}}`,
		`{"type":"object","properties":{"a":{"type":"number","exclusiveMinimum":1,"exclusiveMaximum":10,"multipleOf":0.5}},"required":["a"]}`,
		`{"type":"object","required":["a"],"properties":{"a":{"type":"array","minItems":2,"maxItems":3,"items":{"enum":["x","y"]}}}}`,
		`{"type":"object","required":["a"],"properties":{"a":{"type":"string","pattern":"^[a-z]{2,4}-(left|right)\\d+$"}}}`,
		`{"type":"object","required":["a","b"],"properties":{"a":{"type":"string","format":"date-time"},"b":{"type":"string","format":"uuid"}}}`,
		`{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/tree"}},"$defs":{"tree":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"below":{"type":"array","items":{"$ref":"#/$defs/tree"}}}}}}`,
		`{"type":"object","required":["a"],"properties":{"a":{"anyOf":[{"type":"string"},{"type":"object","required":["n"],"properties":{"n":{"type":["integer","null"]}}}]}}}`,
		`{"type":"object","allOf":[{"required":["a"]},{"properties":{"a":{"const":5}}}]}`,
		`{"type":"object","minProperties":1,"additionalProperties":{"type":"boolean"}}`,
		`{"type":"object","required":["a"],"properties":{"a":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}}}`,
	}
}

// Most of the generated values fit their schema, and equal seeds give equal values.
func TestGeneratedValuesFit(t *testing.T) {
	loaded, err := standard.Manifests(standard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := schemas()
	for _, m := range loaded {
		all = append(all, string(m.Parameters.JSON()))
	}
	for _, text := range all {
		schema, err := jsonschema.CompileParameters(json.RawMessage(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		fit, different := 0, make(map[string]bool)
		const tries = 200
		g := newGenerator(schema.Tree(), nil, rand.New(rand.NewPCG(1, 2)))
		same := newGenerator(schema.Tree(), nil, rand.New(rand.NewPCG(1, 2)))
		for range tries {
			raw, err := json.Marshal(g.document())
			if err != nil {
				t.Fatal(err)
			}
			if again, err := json.Marshal(same.document()); err != nil || string(again) != string(raw) {
				t.Fatalf("the same seed gives %s and %s", raw, again)
			}
			different[string(raw)] = true
			if prepared, err := schema.Prepare(t.Context(), raw); err == nil && len(prepared.Warnings) == 0 {
				fit++
			}
		}
		if fit < tries/2 {
			t.Errorf("only %d of %d values fit %s", fit, tries, text)
		}
		if len(schema.Parameters()) > 1 && len(different) < 3 {
			t.Errorf("only %d different values of %s", len(different), text)
		}
	}
}

// The limits of a schema are among the values.
func TestGeneratedValuesReachTheLimits(t *testing.T) {
	schema, err := jsonschema.CompileParameters(json.RawMessage(`{"type":"object","required":["n","s","l"],"properties":{"n":{"type":"integer","minimum":-5,"maximum":70},"s":{"type":"string","minLength":2,"maxLength":300},"l":{"type":"array","maxItems":4,"items":{"type":"boolean"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	g := newGenerator(schema.Tree(), nil, rand.New(rand.NewPCG(1, 2)))
	seen := make(map[string]bool)
	for range 1000 {
		v := g.document().(map[string]any)
		seen[fmt.Sprint("n", v["n"])], seen[fmt.Sprint("s", utf8.RuneCountInString(v["s"].(string)))], seen[fmt.Sprint("l", len(v["l"].([]any)))] = true, true, true
	}
	for _, want := range []string{"n-5", "n0", "n70", "s2", "s300", "l0", "l4"} {
		if !seen[want] {
			t.Errorf("there is no value with %s", want)
		}
	}
}

// No schema that compiles makes the generator fail, or make a huge value.
func FuzzGenerate(f *testing.F) {
	for _, text := range slices.Concat(schemas(), []string{
		`{"type":"object","required":["a","b"],"properties":{"a":{"$ref":"#"},"b":{"$ref":"#"}}}`,
		`{"type":"object","allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"}]},"b":{"type":"object"}}}`,
		`{"type":"object","required":["a"],"properties":{"a":{"type":"string","minLength":1e12},"b":{"type":"array","minItems":1e12}}}`,
	}) {
		f.Add(text, uint64(1))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		schema, err := jsonschema.CompileParameters(json.RawMessage(text))
		if err != nil {
			t.Skip("not a schema of parameters")
		}
		raw, err := json.Marshal(newGenerator(schema.Tree(), []string{"a.txt"}, rand.New(rand.NewPCG(seed, 0))).document())
		if err != nil {
			t.Fatal(err)
		}
		if len(raw) > 64*longest*4 {
			t.Errorf("the value has %d bytes", len(raw))
		}
	})
}
