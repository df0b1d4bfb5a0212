package registry

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// maxLabel is how long the names may be that a call brings along, in bytes: they are kept
// when the call is over.
const maxLabel = 512

// begin is the step that lets the call in, when it names itself as it may and no call of
// its ID is on its way.
func (r *Registry) begin(ctx context.Context, x *execution) error {
	c := &x.call
	for _, label := range []struct {
		name  string
		value *string
	}{
		{"id", &c.ID},
		{"tenant", &c.Tenant},
		{"session", &c.Session},
		{"message", &c.Message},
		{"idempotency key", &c.IdempotencyKey},
		{"working directory", &c.WorkingDirectory},
	} {
		if len(*label.value) > maxLabel || !utf8.ValidString(*label.value) {
			*label.value = callerror.Excerpt(*label.value) // what is recorded of the call is bounded
			return &tool.Error{
				Code:    tool.CodeInvalidArgument,
				Message: fmt.Sprintf("the %s of the call must be UTF-8 of at most %d bytes", label.name, maxLabel),
			}
		}
	}
	if c.ID == "" {
		c.ID = newID("call_")
	}
	if c.IdempotencyKey == "" {
		c.IdempotencyKey = newID("key_")
	}
	entered, err := r.states.Begin(state.Call{CallRef: x.ref(), Started: x.started})
	if errors.Is(err, state.ErrLive) {
		return (&tool.Error{
			Code: tool.CodeInvalidArgument, Recoverable: true,
			Message: fmt.Sprintf("the call id %q is that of a call which has not ended; give another one, or none", c.ID),
		}).WithCause(err)
	}
	x.state = entered
	x.teller.open(r, x)
	r.tell(x, Event{Kind: EventStarted})
	return callerror.OfContext(ctx)
}

// newID makes up a name that nobody guesses.
func newID(prefix string) string { return prefix + rand.Text() }

// ref names the call, with the name that the tool has.
func (x *execution) ref() tool.CallRef {
	ref := x.call.Ref()
	ref.Tool = x.toolName()
	return ref
}

// toolName is the name of the tool, or of what was asked for when there is none.
func (x *execution) toolName() string {
	if x.entry != nil {
		return x.entry.Spec.Name
	}
	return callerror.Excerpt(x.call.Tool)
}
