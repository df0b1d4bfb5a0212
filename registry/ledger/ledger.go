package ledger

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/internal/tenants"
	"github.com/wasmtool/wasmtool/registry/internal/broadcast"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/ledger/history"
	"github.com/wasmtool/wasmtool/registry/ledger/loop"
	"github.com/wasmtool/wasmtool/registry/ledger/results"
	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// DefaultMaxEnded is the default number of ended calls whose states are kept.
const DefaultMaxEnded = 1000

// Options configures a [Ledger]. With the zero value, the Ledger calls no functions of the program
// and shortens no text.
type Options struct {
	// MaxEnded limits the ended calls whose states are kept; 0 means DefaultMaxEnded, and less than
	// 0 means 1. At the limit, the tenant with the most ended calls loses its oldest ended call.
	MaxEnded int
	// History configures the history of each session.
	History history.Options
	// Loops configures when repeated calls of a session cause a warning, a question or a refusal.
	Loops loop.Options
	// OnReceipt is called once for each call when the call has ended, also after a failure. Execute
	// waits for OnReceipt, so it must be fast. It may be called concurrently. If it is nil, no
	// receipts are created for it.
	OnReceipt func(tool.Receipt)
	// OnInner is called for each call that a script has made, in order, before the script gets the
	// outcome. The script waits for OnInner, so it must be fast. It may be called concurrently for
	// different scripts. It may be nil.
	OnInner func(tool.InnerRecord)
	// Observer watches all calls; nil means none.
	Observer Observer
	// MaxText limits the text of a result, in bytes, not counting the notice about the omitted
	// part; 0 means no limit. Longer texts lose their middle. Structured results and media are
	// never shortened.
	MaxText int
	// Results stores the full texts of shortened results for their tenant and session, and
	// resolves arguments of the form "${HANDLE}"; nil stores nothing. The caller owns it.
	Results *results.Store
}

// Observer watches calls, to trace and count them; package telemetry has an implementation.
// Implementations must be safe for concurrent use, and fast, because calls wait for them.
type Observer interface {
	// Begin is called for each call before anything is checked, so the call can name a tool that
	// does not exist. It returns the context for the rest of the call. The context must not
	// influence decisions about the call. When the call has ended, the ledger calls the function
	// end once, with the receipt.
	Begin(ctx context.Context, call tool.Call) (observed context.Context, end func(tool.Receipt))
}

// Ledger records calls. It is safe for concurrent use. The zero value is not usable; call [New].
type Ledger struct {
	o       Options
	log     *slog.Logger
	history *history.Log
	loops   *loop.Detector
	events  broadcast.Hub[Event]

	mu    sync.Mutex
	calls map[*Entry]struct{}    // in flight
	holds map[*Selector]struct{} // selectors of the calls that a Drain keeps from running
	// live are the admitted calls that have not ended. A call whose result is pending stays live
	// when it is no longer in flight.
	live  map[id]*Entry
	ended *tenants.Table[state.Call]
}

// id identifies a call. Two tenants may use the same call ID.
type id struct{ tenant, call string }

// New returns an empty Ledger. log receives records for the operator, such as panics of listeners.
func New(o Options, log *slog.Logger) *Ledger {
	o.MaxEnded = cmp.Or(o.MaxEnded, DefaultMaxEnded)
	return &Ledger{
		o: o, log: log, history: history.New(o.History), loops: loop.New(o.Loops),
		calls: make(map[*Entry]struct{}), holds: make(map[*Selector]struct{}),
		live: make(map[id]*Entry), ended: tenants.New[state.Call](o.MaxEnded),
	}
}

// Close ends all subscriptions. The ledger continues to record calls.
func (l *Ledger) Close() { l.events.Close() }

// Open begins the Entry of a call, before anything about the call is checked. It sets the ID and
// the IdempotencyKey if they are empty. The Entry keeps the call, which must not change afterwards.
// The call must use the returned context, which Kill cancels.
//
// Open returns an *Error if the call is not admitted: invalid_argument if its ID, tenant or
// another label is too long or not UTF-8, or if a call with its ID has not ended; and the error
// of ctx if ctx is done. Even then, the caller must call End and after that Close on the Entry.
func (l *Ledger) Open(ctx context.Context, call *tool.Call) (context.Context, *Entry, error) {
	e := &Entry{ledger: l, started: time.Now(), done: make(chan struct{})}
	ctx = e.observe(ctx, *call)
	ctx, e.stop = context.WithCancelCause(ctx)
	err := complete(call)
	e.call, e.sent = call, call.Arguments
	e.state = state.Call{CallRef: call.Ref(), Status: state.Pending, Revision: 1, Started: e.started}
	e.state.Tool = callerror.Excerpt(call.Tool)
	if entered := l.enter(e, err == nil); err == nil {
		err = entered
	}
	if err != nil {
		return ctx, e, err
	}
	e.publish(Event{Kind: EventStarted})
	return ctx, e, callerror.OfContext(ctx)
}

// observe calls the Observer, if there is one.
func (e *Entry) observe(ctx context.Context, call tool.Call) (observed context.Context) {
	if e.ledger.o.Observer == nil {
		return ctx
	}
	observed = ctx // returned if the Observer panics
	defer callerror.LogPanic(e.ledger.log, "the Observer", call.ID)
	observed, e.observed = e.ledger.o.Observer.Begin(ctx, call)
	return observed
}

// maxLabel limits each label of a call, in bytes, because the labels are kept after the call.
const maxLabel = 512

// complete generates an ID and an idempotency key if the call has none. It fails if a label is
// invalid, and replaces that label with an excerpt, because records of the call must be bounded.
func complete(c *tool.Call) error {
	names := [...]string{"id", "tenant", "session", "message", "idempotency key", "working directory"}
	for i, value := range [...]*string{&c.ID, &c.Tenant, &c.Session, &c.Message, &c.IdempotencyKey, &c.WorkingDirectory} {
		if len(*value) > maxLabel || !utf8.ValidString(*value) {
			*value = callerror.Excerpt(*value)
			return &tool.Error{
				Code:    tool.CodeInvalidArgument,
				Message: fmt.Sprintf("the %s of the call must be UTF-8 of at most %d bytes", names[i], maxLabel),
			}
		}
	}
	if c.ID == "" {
		c.ID = NewID()
	}
	if c.IdempotencyKey == "" {
		c.IdempotencyKey = "key_" + rand.Text()
	}
	return nil
}

// NewID returns a random ID for a call, which cannot be guessed.
func NewID() string { return "call_" + rand.Text() }
