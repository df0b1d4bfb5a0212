package jsonschema

import (
	"encoding/json"
	"math"

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
	budget  *budget
	width   int           // see the function of that name
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
			g := &guard{budget: b, width: width(obj), format: schema.Format}
			if schema.Const != nil {
				g.allowed = append(g.allowed, newNotAllowed([]any{*schema.Const}))
				schema.Const = nil
			}
			if schema.Enum != nil {
				g.allowed = append(g.allowed, newNotAllowed(schema.Enum.Values))
				schema.Enum = nil
			}
			schema.Format = &santhosh.Format{Name: "guard", Validate: g.check}
			if schema.UniqueItems {
				schema.UniqueItems = false
				return uniqueItems{b}, nil
			}
			return nil, nil
		},
	}
}

// width counts the branches and names that one visit looks at, whatever the
// value is. Looking for a name takes little beside a branch.
func width(obj map[string]any) int {
	branches, names := 1, 0
	for keyword, v := range obj {
		switch v := v.(type) {
		case []any:
			switch keyword {
			case "allOf", "anyOf", "oneOf":
				branches += len(v)
			case "required":
				names += len(v)
			}
		case map[string]any:
			switch keyword {
			case "dependentSchemas", "dependencies", "dependentRequired":
				branches += len(v)
				for _, inner := range v {
					if list, ok := inner.([]any); ok {
						names += len(list)
					}
				}
			}
		}
	}
	return branches + names/8
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
	case string:
		work += len(v) / 1024
	case json.Number:
		work += len(v) / 16
	}
	g.budget.spend(work)
	for _, allowed := range g.allowed {
		if !allowed.lists(v, g.budget) {
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

// badFormat means that a string lacks the asserted format.
type badFormat struct {
	name   string
	reason error
}

func (e *badFormat) Error() string { return e.name + ": " + e.reason.Error() }
