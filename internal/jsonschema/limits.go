package jsonschema

import (
	"context"
	"fmt"
	"math"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// Limits for schemas.
const (
	// MaxSchemaBytes limits the size of a schema in bytes.
	MaxSchemaBytes = 256 << 10
	// MaxSchemaDepth limits the nesting of the JSON of a schema.
	MaxSchemaDepth = 128
	// MaxSchemaValues limits the number of JSON values in a schema.
	MaxSchemaValues = 1 << 16
	// MaxSubschemas limits the number of schemas inside a schema. The time to compile a schema
	// grows with the square of this number.
	MaxSubschemas = 2048
	// MaxPatternBytes limits the bytes of a regular expression.
	MaxPatternBytes = 4096
)

const (
	// maxLooseReferences limits the references to values that are schemas only because a reference
	// leads to them. The library copies its whole index for each such reference.
	maxLooseReferences = 256
	// maxPatternCost limits the approximate number of instructions of one compiled regular
	// expression, and maxPatternsCost the number for all expressions of a schema.
	maxPatternCost  = 20_000
	maxPatternsCost = 100_000
	// maxPlanSize limits the total number of schemas that are visited to compute all places. This
	// number can grow exponentially if allOf and recursion are combined.
	maxPlanSize = 200_000
	// maxDefaultValues limits the number of values in one default, including the defaults inside
	// it.
	maxDefaultValues = 10_000
	// maxIdentifiers limits the number of "$id" keywords, because the library compares each with
	// all others.
	maxIdentifiers = 256
	// The budget of one validation, in visits of a subschema, which take about a microsecond each:
	// baseWork, workPerValue for each value, and one for each bytesPerWork bytes of the document.
	baseWork     = 100_000
	workPerValue = 8
	bytesPerWork = 8
)

const (
	// maxViolations and maxWarnings limit the violations and the warnings of one call.
	maxViolations = 20
	maxWarnings   = 20
	// maxWorded limits the findings that get a message; the violations to report are chosen from
	// them. maxNames limits the findings about names of fields, and maxMerged the allowed values of
	// several forms together.
	maxWorded = 200
	maxNames  = 100
	maxMerged = 200
	// maxListed limits the names or allowed values that a message lists.
	maxListed = 20
)

func schemaBounds() jsontree.Bounds {
	return jsontree.Bounds{What: "the schema", Bytes: MaxSchemaBytes, Depth: MaxSchemaDepth, Values: MaxSchemaValues}
}

// allowance returns the budget for a document with that many values and bytes.
func allowance(values, bytes int) int {
	return baseWork + workPerValue*values + bytes/bytesPerWork
}

// budget is the work that one validation may still do, in visits of a subschema. The library cannot
// stop a validation. Spend therefore panics when the budget is spent or the context is done, and
// limited recovers the panic. A budget belongs to one compiled copy of a schema and to one
// validation at a time. A nil budget has no limit.
type budget struct {
	left    int
	ctx     context.Context // nil is never done
	pending int             // work since the context was last checked
}

// workPerCheck is the amount of work, about a millisecond, between two checks of the context.
const workPerCheck = 1000

// outOfWork is the value of the panic when the budget is spent.
type outOfWork struct{}

// stopped is the value of the panic when the context is done.
type stopped struct{ err error }

// Spend reduces the budget by the given work. It implements [jsontree.Meter].
func (b *budget) Spend(work int) {
	if b == nil {
		return
	}
	b.left -= work
	if b.left < 0 {
		panic(outOfWork{})
	}
	if b.pending += work; b.pending >= workPerCheck {
		b.checkContext()
	}
}

// checkContext panics if the context is done.
func (b *budget) checkContext() {
	if b == nil || b.ctx == nil {
		return
	}
	b.pending = 0
	if b.ctx.Err() != nil {
		panic(stopped{context.Cause(b.ctx)})
	}
}

// start resets the budget to the given work and context.
func (b *budget) start(ctx context.Context, work int) {
	*b = budget{left: work, ctx: ctx}
	b.checkContext()
}

// unlimited returns a budget without a limit, which is used while a schema is compiled.
func unlimited() *budget { return &budget{left: math.MaxInt} }

// limited calls the function do and recovers its panics: a spent budget, a context that is done, or
// a panic of the library. what names the document in errors. The error is [Violations] or the cause
// of the context.
func limited(what string, do func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case outOfWork:
			err = Violations{{Kind: KindLimit, Message: fmt.Sprintf(
				"checking %s against the schema takes too much work; send less, or simplify the schema", what)}}
		case stopped:
			err = r.err
		default:
			// The text of the panic is only useful to developers of the library.
			err = unchecked(what)
		}
	}()
	do()
	return nil
}

// unchecked returns the violation of a document that the library cannot check.
func unchecked(what string) Violations {
	return Violations{{Kind: KindLimit, Message: what + " can't be checked against the schema; send simpler values"}}
}

// parseWithin parses a document and stops when ctx is done. The error is [Violations] or the cause
// of ctx.
func parseWithin(ctx context.Context, src string, b jsontree.Bounds) (v jsontree.Value, err error) {
	b.Work = &budget{left: math.MaxInt, ctx: ctx}
	var invalid error
	if err := limited(b.What, func() { v, invalid = jsontree.Parse(src, b) }); err != nil {
		return jsontree.Value{}, err
	}
	return v, asViolations(invalid)
}
