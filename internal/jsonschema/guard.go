package jsonschema

import (
	"encoding/json"
	"math/big"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	keyword "github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// guard replaces the "format" check of a subschema and charges each visit of the subschema to the
// budget. The library calls that check on every visit, before it follows references and conditions.
// No other hook is called that early, or in branches that are only tried.
//
// The library checks type, const and enum even earlier, at a cost that depends on the schema and
// the document. The guard therefore replaces these checks too.
type guard struct {
	budget  *budget
	width   int           // see the function width
	types   jsontype.Set  // the types that the schema admits; 0 means any
	allowed []*notAllowed // the values of const and of enum
	numbers numberCost
	format  *santhosh.Format
}

// guardVocabulary returns a vocabulary that makes the compiler add a guard to each subschema.
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

// width returns the work of one visit that does not depend on the value: the number of branches and
// names to check. Checking a name takes much less time than checking a branch.
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

// check is the function that the library calls for each value to which the subschema is applied.
// Its error is a wrongTypes, a *notAllowed or a *badFormat.
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
	g.budget.Spend(work)
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

// badFormat means that a string does not have the required format.
type badFormat struct {
	name   string
	reason error
}

func (e *badFormat) Error() string { return e.name + ": " + e.reason.Error() }

// notAllowed means that a value is not one of the values that enum or const lists.
type notAllowed struct {
	values []any
	types  jsontype.Set    // the types of the values
	keys   map[string]bool // the results of jsontree.AppendKey for the values
}

func newNotAllowed(values []any) *notAllowed {
	e := &notAllowed{values: values, types: unionOf(values, typesOfTree), keys: map[string]bool{}}
	for _, v := range values {
		e.keys[string(jsontree.AppendKey(nil, v))] = true
	}
	return e
}

// lists reports whether v is one of the values.
func (e *notAllowed) lists(v any, b *budget) bool {
	if e.types&typesOfTree(v) == 0 {
		return false
	}
	return e.keys[string(spendKey(v, b))]
}

func (e *notAllowed) Error() string { return "not an allowed value" }

// spendKey returns the key of v and charges it to the budget.
func spendKey(v any, b *budget) []byte {
	key := jsontree.AppendKey(nil, v)
	b.Spend(len(key) / 32)
	return key
}

// uniqueItems replaces the library's check of "uniqueItems". The library uses a hash for which a
// caller can choose many different items that collide.
type uniqueItems struct{ budget *budget }

// Validate implements the library's SchemaExt.
func (u uniqueItems) Validate(ctx *santhosh.ValidatorContext, v any) {
	list, _ := v.([]any)
	first := make(map[string]int, len(list))
	for i, item := range list {
		key := string(spendKey(item, u.budget))
		if j, ok := first[key]; ok {
			ctx.AddError(&keyword.UniqueItems{Duplicates: [2]int{j, i}})
			return
		}
		first[key] = i
	}
}

// numberCost describes the work of a schema's numeric keywords for one number. The library converts
// the number to a [big.Rat] and calculates with that.
type numberCost struct {
	compares, divides int // the number of keywords that compare and divide
	size              int // the total number of digits in the values of these keywords
}

func numberCostOf(s *santhosh.Schema) numberCost {
	var c numberCost
	for _, bound := range [...]*big.Rat{s.Minimum, s.Maximum, s.ExclusiveMinimum, s.ExclusiveMaximum} {
		if bound != nil {
			c.compares++
			c.size += ratSize(bound)
		}
	}
	if s.MultipleOf != nil {
		c.divides++
		c.size += ratSize(s.MultipleOf)
	}
	return c
}

// ratSize returns the approximate number of decimal digits of a number.
func ratSize(r *big.Rat) int { return (r.Num().BitLen() + r.Denom().BitLen()) * 3 / 10 }

// of returns the work for a number literal. For a thousand digits, reading and dividing take about
// ten microseconds each, and comparing takes two.
func (c numberCost) of(literal string) int {
	work := len(literal) / 16
	if c.compares+c.divides == 0 {
		return work
	}
	n := jsontree.NumberDigits(literal)
	return work + n/100 + c.compares*(n+c.size)/500 + c.divides*(n+c.size)/100
}

// typesOfTree returns the type of a value in the form that the library uses.
func typesOfTree(v any) jsontype.Set {
	switch v := v.(type) {
	case nil:
		return jsontype.Null
	case bool:
		return jsontype.Boolean
	case json.Number:
		return jsontree.NumberType(v.String())
	case string:
		return jsontype.String
	case []any:
		return jsontype.Array
	default:
		return jsontype.Object
	}
}

// typesNamed returns the types that several type names stand for.
func typesNamed(names []string) jsontype.Set {
	return unionOf(names, jsontype.Named)
}

// declaredTypes returns the types that the "type" keyword of a compiled schema admits.
func declaredTypes(s *santhosh.Schema) jsontype.Set {
	if s.Types == nil || s.Types.IsEmpty() {
		return jsontype.Any
	}
	return typesNamed(s.Types.ToStrings())
}
