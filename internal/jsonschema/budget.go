package jsonschema

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// budget is the work that one validation may still do, in visits of a subschema. The
// library offers no way to stop it, so spending the last of it panics, as does the end of
// the context; limited recovers that. A budget belongs to one compiled copy of a schema and
// to one validation at a time. A nil one is without bounds.
type budget struct {
	left   int
	ctx    context.Context // nil has no end
	unseen int             // work since the context was looked at
}

// workPerLook is how much work may be done between two looks at the context: about a
// millisecond's.
const workPerLook = 1000

// outOfWork is the panic value that means that a budget was spent.
type outOfWork struct{}

// stopped is the panic value that means that the context is done.
type stopped struct{ err error }

func (b *budget) spend(work int) {
	if b == nil {
		return
	}
	b.left -= work
	if b.left < 0 {
		panic(outOfWork{})
	}
	if b.unseen += work; b.unseen >= workPerLook {
		b.look()
	}
}

// look ends the work when the context is done.
func (b *budget) look() {
	if b == nil || b.ctx == nil {
		return
	}
	b.unseen = 0
	if b.ctx.Err() != nil {
		panic(stopped{context.Cause(b.ctx)})
	}
}

// start allows so much work until the context is done.
func (b *budget) start(ctx context.Context, work int) {
	*b = budget{left: work, ctx: ctx}
	b.look()
}

// untilDone is a budget that only the end of a context bounds.
func untilDone(ctx context.Context) *budget { return &budget{left: math.MaxInt, ctx: ctx} }

// unlimited is for the time of compiling.
func (b *budget) unlimited() { *b = budget{left: math.MaxInt} }

// limited does what may panic for want of work, at the end of a context or in the library.
// what names the document. The error is [Faults], or why the context is done.
func limited(what string, do func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case outOfWork:
			err = Faults{{Kind: KindLimit, Message: fmt.Sprintf(
				"checking %s against the schema takes too much work; send less, or simplify the schema", what)}}
		case stopped:
			err = r.err
		default:
			// The text of the panic is for developers of the library.
			err = unchecked(what)
		}
	}()
	do()
	return nil
}

// unchecked is the fault of a document that the library cannot cope with.
func unchecked(what string) Faults {
	return Faults{{Kind: KindLimit, Message: what + " can't be checked against the schema; send simpler values"}}
}

// guard stands in for the "format" check of one subschema. The library calls
// that check on every visit, before it follows references and conditions; no
// other hook comes that early or also in branches that are only tried. What the
// library would check even earlier and at a cost that the schema or the document
// decides, type, const and enum, moves into the guard too.
type guard struct {
	budget  *budget
	width   int           // see the function of that name
	types   jsontype.Set  // that the schema admits; 0 is any
	allowed []*notAllowed // of const and of enum
	numbers numberCost
	format  *santhosh.Format
}

// guardVocabulary makes the compiler put a guard into each subschema.
func guardVocabulary(b *budget) *santhosh.Vocabulary {
	return &santhosh.Vocabulary{
		URL: "urn:wasmtool:guard",
		Compile: func(ctx *santhosh.CompilerContext, obj map[string]any) (santhosh.SchemaExt, error) {
			// The empty path is the schema being compiled.
			schema := ctx.Enqueue(nil)
			g := &guard{budget: b, width: width(obj), numbers: numberCostOf(schema), format: schema.Format}
			if schema.Types != nil && !schema.Types.IsEmpty() {
				g.types = declaredTypes(schema)
				schema.Types = nil
			}
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
// to. Its error is a wrongTypes, a *notAllowed or a *badFormat.
func (g *guard) check(v any) error {
	work := g.width
	switch v := v.(type) {
	case map[string]any:
		work += len(v)
	case []any:
		work += len(v)
	case string:
		work += len(v) / 1024
		if g.format != nil {
			work += len(v) / 64
		}
	case json.Number:
		work += g.numbers.of(v.String())
	}
	g.budget.spend(work)
	if g.types != 0 && g.types&typesOfTree(v) == 0 {
		return wrongTypes{want: g.types}
	}
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
