package jsonschema

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// A repaired schema is never stricter. Each round makes a valid schema, puts an invalid value in
// place of one of its parts, and repairs the result. Whatever the valid schema admits, the repaired
// one admits too, since its author may have meant any valid part.
func TestRepairIsNeverStricter(t *testing.T) {
	t.Parallel()
	const seed = 20261129
	random := rand.New(rand.NewPCG(seed, 0))
	repaired, admitted := 0, 0
	for range testlevel.Size(400, 4_000) {
		g := schemaMaker{random, nil}
		schema := g.schema(3)
		valid := encode(t, schema)
		part := g.parts[random.IntN(len(g.parts))]
		part.schema[part.keyword] = part.invalid
		invalid := encode(t, schema)
		meant, err := Compile(valid)
		if err != nil {
			t.Fatalf("the generator made %s: %v", valid, err)
		}
		got, removed, err := Repair(invalid)
		if err != nil {
			t.Fatalf("%s: %v", invalid, err)
		}
		if len(removed) == 0 {
			continue
		}
		repaired++
		loose, err := Compile(got)
		if err != nil {
			t.Fatalf("%s became %s: %v", invalid, got, err)
		}
		for range 20 {
			doc := encode(t, g.value(3))
			if meant.Validate(t.Context(), doc) != nil {
				continue
			}
			admitted++
			if err := loose.Validate(t.Context(), doc); err != nil {
				t.Fatalf("%s\nadmits %s, but\n%s\nbecame\n%s\n%v", valid, doc, invalid, got, err)
			}
		}
	}
	if repaired < 200 || admitted < 800 {
		t.Errorf("%d schemas were repaired, and %d documents admitted", repaired, admitted)
	}
}

func encode(t *testing.T, v any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// schemaMaker makes random schemas. parts are the keywords of the schema, with an invalid value for
// each.
type schemaMaker struct {
	*rand.Rand
	parts []schemaPart
}

type schemaPart struct {
	schema  map[string]any
	keyword string
	invalid any
}

func (g *schemaMaker) pick(values ...any) any { return values[g.IntN(len(values))] }

// schema returns a schema with a few keywords.
func (g *schemaMaker) schema(depth int) map[string]any {
	s := map[string]any{}
	add := func(keyword string, value, invalid any) {
		if _, twice := s[keyword]; !twice {
			s[keyword] = value
			g.parts = append(g.parts, schemaPart{s, keyword, invalid})
		}
	}
	for range 1 + g.IntN(3) {
		g.keyword(depth, add)
	}
	return s
}

// keyword adds one keyword, or keywords that depend on one another.
func (g *schemaMaker) keyword(depth int, add func(keyword string, value, invalid any)) {
	count := g.IntN(3)
	choice := g.IntN(23)
	if depth == 0 {
		choice = g.IntN(7)
	}
	sub := func() any { return g.schema(depth - 1) }
	badSub := g.pick(5, "x", []any{}, map[string]any{"type": "strin"})
	switch choice {
	case 0:
		add("type", g.pick("string", "integer", "object", "array", []any{"null", "number"}), g.pick("strin", 5, []any{"object", nil}))
	case 1:
		add("pattern", g.pick("a", "^b", "."), g.pick("(?=a)", "(", 7))
	case 2:
		add(g.pick("minLength", "minItems", "minProperties").(string), count, g.pick(-1, "1", 1.5))
	case 3:
		add(g.pick("maxLength", "maxItems", "maxProperties").(string), count, g.pick(-1, "1", 1.5))
	case 4:
		add("enum", []any{g.value(1), g.value(1), g.value(1)}, g.pick("a", 5))
	case 5:
		add("required", []any{g.pick("a", "b")}, g.pick("a", []any{1}))
	case 6:
		add(g.pick("minimum", "exclusiveMaximum").(string), count, g.pick("1", true))
	case 7, 8:
		a, b := sub(), sub()
		add("properties", map[string]any{"a": a, "b": b}, g.pick(5, map[string]any{"a": badSub, "b": b}))
	case 9:
		add("additionalProperties", g.pick(false, sub()), badSub)
	case 10:
		a := sub()
		add("patternProperties", map[string]any{"^b": a}, g.pick(map[string]any{"^b": badSub}, map[string]any{"(?=b)": a}))
	case 11:
		add("items", sub(), badSub)
	case 12:
		a, b := sub(), sub()
		add("prefixItems", []any{a, b}, []any{badSub, b})
	case 13:
		add("contains", sub(), badSub)
		add("maxContains", count, g.pick(-1, "1"))
		if g.IntN(2) == 0 {
			add("minContains", count, g.pick(-1, "1"))
		}
	case 14:
		add("not", sub(), badSub)
	case 15:
		add("if", sub(), badSub)
		add("then", sub(), badSub)
		add("else", sub(), badSub)
	case 16:
		a, b := sub(), sub()
		add("oneOf", []any{a, b}, []any{badSub, b})
	case 17:
		a, b := sub(), sub()
		add("anyOf", []any{a, b}, []any{badSub, b})
	case 18:
		a, b := sub(), sub()
		add("allOf", []any{a, b}, []any{a, badSub})
	case 19:
		add("dependentSchemas", map[string]any{"a": sub()}, map[string]any{"a": badSub})
	case 20:
		add("dependentRequired", map[string]any{"a": []any{"b"}}, map[string]any{"a": "b"})
	case 21:
		add("propertyNames", sub(), badSub)
	case 22:
		add(g.pick("unevaluatedProperties", "unevaluatedItems").(string), g.pick(false, sub()), badSub)
	}
}

// value returns a small JSON value.
func (g *schemaMaker) value(depth int) any {
	choice := g.IntN(7)
	if depth == 0 {
		choice = g.IntN(4)
	}
	switch choice {
	case 0:
		return g.pick("", "a", "ab", "b", "x")
	case 1:
		return g.pick(0, 1, 2, 1.5)
	case 2:
		return nil
	case 3:
		return g.pick(true, false)
	case 4, 5:
		list := []any{}
		for range g.IntN(3) {
			list = append(list, g.value(max(depth-1, 0)))
		}
		return list
	}
	o := map[string]any{}
	for range g.IntN(3) {
		o[g.pick("a", "b", "ab", "c").(string)] = g.value(depth - 1)
	}
	return o
}
