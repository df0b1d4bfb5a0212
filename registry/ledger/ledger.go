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

// DefaultMaxEnded is how many states of calls that ended are kept.
const DefaultMaxEnded = 1000

// Options says what is kept and told of calls and their results. The zero value tells
// nobody, and cuts no text.
type Options struct {
	// MaxEnded is how many states of calls that ended are kept; 0 means DefaultMaxEnded, and
	// less than 0 one. Beyond that the tenant with most of them loses its oldest.
	MaxEnded int
	// History says how many calls are kept of each session, and who else wants them.
	History history.Options
	// Loops says when repeated calls of a session are warned of, asked about and refused.
	Loops loop.Options
	// OnReceipt is called once for each call when it has ended, however it ended, before
	// Execute returns: keep it short. It may be called concurrently. Nil means that nobody
	// wants receipts.
	OnReceipt func(tool.Receipt)
	// Observer watches all calls; nil means that nobody does.
	Observer Observer
	// MaxText is how many bytes of text a result may have, beside the words that say what
	// was left out; longer texts lose their middle. 0 means no bound. Structured results and
	// media are never cut.
	MaxText int
	// Results keeps the whole of texts that are cut, for their tenant and session, and is
	// where arguments of the form "${HANDLE}" come from; nil keeps nothing. It stays the
	// caller's.
	Results *results.Store
}

// Observer watches calls, to trace and to count them; package telemetry makes one.
// Implementations are safe for concurrent use and quick, for calls wait for them.
type Observer interface {
	// Begin is told of each call before anything is looked at: what it names need not
	// exist. The context is the call's from then on, and carries nothing that decides about
	// it. end is called once, when the call has ended, with its receipt.
	Begin(ctx context.Context, call tool.Call) (observed context.Context, end func(tool.Receipt))
}

// Ledger keeps what is known of calls. It is safe for concurrent use; New makes one.
type Ledger struct {
	o       Options
	log     *slog.Logger
	history *history.Log
	loops   *loop.Detector
	events  broadcast.Hub[Event]

	mu    sync.Mutex
	calls map[*Entry]struct{}    // on their way
	holds map[*Selector]struct{} // of Drains: what they keep from running
	// live are the calls that were let in and have not ended: those whose result comes later
	// stay when they are no longer on their way.
	live  map[id]*Entry
	ended *tenants.Table[state.Call]
}

// id names a call: IDs are each tenant's own.
type id struct{ tenant, call string }

// New returns an empty Ledger. The Logger gets what an operator should know, such as panics of
// listeners.
func New(o Options, log *slog.Logger) *Ledger {
	o.MaxEnded = cmp.Or(o.MaxEnded, DefaultMaxEnded)
	return &Ledger{
		o: o, log: log, history: history.New(o.History), loops: loop.New(o.Loops),
		calls: make(map[*Entry]struct{}), holds: make(map[*Selector]struct{}),
		live: make(map[id]*Entry), ended: tenants.New[state.Call](o.MaxEnded),
	}
}

// Close ends all Subscriptions. Calls go on to be entered.
func (l *Ledger) Close() { l.events.Close() }

// Open begins the Entry of a call, before anything about it is looked at, and fills in the ID
// and the IdempotencyKey that it lacks. The context is the call's from then on: Kill ends it.
//
// The error is that of a call that is not let in, an *Error: invalid_argument when what it
// names itself by is too long or no UTF-8, or is that of a call which has not ended; and that of
// a context which is done. In any case the Entry wants its End, and after that its Close.
func (l *Ledger) Open(ctx context.Context, call *tool.Call) (context.Context, *Entry, error) {
	e := &Entry{ledger: l, started: time.Now(), done: make(chan struct{})}
	ctx = e.observe(ctx, *call)
	ctx, e.stop = context.WithCancelCause(ctx)
	err := complete(call)
	e.call = *call
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

// observe begins to watch the call where somebody wants to. Without an Observer it costs a
// comparison.
func (e *Entry) observe(ctx context.Context, call tool.Call) (observed context.Context) {
	if e.ledger.o.Observer == nil {
		return ctx
	}
	observed = ctx // of an Observer that breaks down
	defer callerror.LogPanic(e.ledger.log, "the Observer", call.ID)
	observed, e.observed = e.ledger.o.Observer.Begin(ctx, call)
	return observed
}

// maxLabel is how long the names may be that a call brings along, in bytes: they are kept
// when the call is over.
const maxLabel = 512

// complete makes up the names that a call lacks. Of one that is not as it may be, an excerpt
// is left, since what is recorded of the call is bounded.
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

// NewID makes up an ID for a call that nobody guesses.
func NewID() string { return "call_" + rand.Text() }
