package jsonschema

import (
	"context"
	"fmt"
	"math"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

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
