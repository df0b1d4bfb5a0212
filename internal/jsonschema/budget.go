package jsonschema

import (
	"context"
	"fmt"
	"math"

	"github.com/wasmtool/wasmtool/internal/jsontree"
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

// Spend takes work from what is left. It implements jsontree.Meter.
func (b *budget) Spend(work int) {
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

// unlimited is a budget without bounds, for the time of compiling.
func unlimited() *budget { return &budget{left: math.MaxInt} }

// limited does what may panic for want of work, at the end of a context or in the library.
// what names the document. The error is [Faults], or why the context is done.
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
			// The text of the panic is for developers of the library.
			err = unchecked(what)
		}
	}()
	do()
	return nil
}

// unchecked is the fault of a document that the library cannot cope with.
func unchecked(what string) Violations {
	return Violations{{Kind: KindLimit, Message: what + " can't be checked against the schema; send simpler values"}}
}

// parseWithin is parse until ctx is done. The error is [Faults], or the cause of ctx's end.
func parseWithin(ctx context.Context, src string, b jsontree.Bounds) (v jsontree.Value, err error) {
	b.Work = &budget{left: math.MaxInt, ctx: ctx}
	var invalid error
	if err := limited(b.What, func() { v, invalid = jsontree.Parse(src, b) }); err != nil {
		return jsontree.Value{}, err
	}
	return v, asFaults(invalid)
}
