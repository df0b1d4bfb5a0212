package jsonschema

import (
	"encoding/json"
	"math"
	"math/big"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
)

// budget is the work that one validation may still do. The library offers no
// way to stop it, so spending the last of it panics with outOfWork, which
// validator.run recovers. A budget belongs to one compiled copy of a schema
// and to one validation at a time.
type budget struct{ left int }

// outOfWork is the panic value that means that a budget was spent.
type outOfWork struct{}

func (b *budget) spend(work int) {
	b.left -= work
	if b.left < 0 {
		panic(outOfWork{})
	}
}

// unlimited is for the time of compiling.
func (b *budget) unlimited() { b.left = math.MaxInt }

// guard stands in for the "format" check of one subschema. The library calls
// that check on every visit, before it follows references and conditions; no
// other hook comes that early or also in branches that are only tried. What the
// library would check even earlier and at a cost that the schema decides, const
// and enum, moves into the guard too.
type guard struct {
	budget *budget
	// width is how many subschemas and names one visit may look at itself.
	width   int
	unique  bool
	allowed []*notAllowed // of const and of enum
	format  *santhosh.Format
}

// guardVocabulary makes the compiler put a guard into each subschema.
func guardVocabulary(b *budget) *santhosh.Vocabulary {
	return &santhosh.Vocabulary{
		URL: "urn:wasmtool:guard",
		Compile: func(ctx *santhosh.CompilerContext, obj map[string]any) (santhosh.SchemaExt, error) {
			// The empty path is the schema being compiled.
			schema := ctx.Enqueue(nil)
			g := &guard{budget: b, width: width(obj), unique: schema.UniqueItems, format: schema.Format}
			if schema.Const != nil {
				g.allow([]any{*schema.Const})
				schema.Const = nil
			}
			if schema.Enum != nil {
				g.allow(schema.Enum.Values)
				schema.Enum = nil
			}
			schema.Format = &santhosh.Format{Name: "guard", Validate: g.check}
			return nil, nil
		},
	}
}

func (g *guard) allow(values []any) {
	list := &notAllowed{values: values, weight: countTree(values), texts: map[string]bool{}}
	for _, v := range values {
		if text, ok := v.(string); ok {
			list.texts[text] = true
		}
	}
	g.allowed = append(g.allowed, list)
}

// width counts what the keywords of a schema list: branches, properties,
// required names. It counts more than needed (annotations too), which is safe.
func width(obj map[string]any) int {
	n := 1
	for keyword, v := range obj {
		switch v := v.(type) {
		case []any:
			if keyword != "enum" {
				n += len(v)
			}
		case map[string]any:
			if keyword == "$defs" || keyword == "definitions" {
				continue
			}
			n += len(v)
			for _, inner := range v {
				if list, ok := inner.([]any); ok {
					n += len(list)
				}
			}
		}
	}
	return n
}

// check is called by the library with each value that the subschema is applied
// to. Its error is a *notAllowed or a *badFormat.
func (g *guard) check(v any) error {
	work := g.width
	switch v := v.(type) {
	case map[string]any:
		work += len(v)
	case []any:
		work += len(v)
		if g.unique {
			// Short lists are compared pair by pair, long ones by hash.
			work += countTree(v) * min(len(v), 20)
		}
	case string:
		work += len(v) / 1024
	case json.Number:
		work += len(v) / 16
	}
	g.budget.spend(work)
	for _, allowed := range g.allowed {
		if text, ok := v.(string); ok {
			if !allowed.texts[text] {
				return allowed
			}
			continue
		}
		g.budget.spend(allowed.weight)
		if !containsTree(allowed.values, v) {
			return allowed
		}
	}
	if g.format != nil {
		if err := g.format.Validate(v); err != nil {
			return &badFormat{name: g.format.Name, reason: err}
		}
	}
	return nil
}

// notAllowed means that a value is none of those that enum or const lists.
type notAllowed struct {
	values []any
	weight int             // number of JSON values in values
	texts  map[string]bool // the strings among values
}

func (e *notAllowed) Error() string { return "not an allowed value" }

// badFormat means that a string lacks the asserted format.
type badFormat struct {
	name   string
	reason error
}

func (e *badFormat) Error() string { return e.name + ": " + e.reason.Error() }

func countTree(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, child := range v {
			n += countTree(child)
		}
	case []any:
		for _, child := range v {
			n += countTree(child)
		}
	}
	return n
}

func containsTree(list []any, v any) bool {
	for _, one := range list {
		if equalTree(one, v) {
			return true
		}
	}
	return false
}

// equalTree is the equality of JSON Schema: numbers by value, objects without
// regard to order.
func equalTree(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, one := range a {
			if other, ok := b[name]; !ok || !equalTree(one, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equalTree(a[i], b[i]) {
				return false
			}
		}
		return true
	case json.Number:
		b, ok := b.(json.Number)
		if !ok || a == b {
			return ok
		}
		x, okX := new(big.Rat).SetString(a.String())
		y, okY := new(big.Rat).SetString(b.String())
		return okX && okY && x.Cmp(y) == 0
	default:
		return a == b
	}
}
