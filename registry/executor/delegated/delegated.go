// Package delegated makes tools whose work is done elsewhere: by the client of a server, by a
// person, or by another program. An [Inbox] keeps the open calls, lists them, and accepts their
// results.
//
// A tool has one of two forms. A call of a [Later] tool returns at once and tells the model that
// the result is pending; Options.OnDone receives the result later. A call of a [Wait] tool
// blocks until it has its result, and returns it.
package delegated

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/internal/tenants"
	"github.com/wasmtool/wasmtool/registry/internal/definition"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Form determines when a call of a tool returns.
type Form int

// Forms of delegated tools.
const (
	// Later makes a call return a pending result at once.
	Later Form = iota
	// Wait makes a call wait for the result and return it.
	Wait
)

// Defaults of Options.
const (
	// DefaultTimeout limits how long a call stays open.
	DefaultTimeout = 10 * time.Minute
	// DefaultMaxOpen limits all open calls. DefaultMaxOpenPerTenant limits the open calls of
	// one tenant.
	DefaultMaxOpen          = 1000
	DefaultMaxOpenPerTenant = 100
)

// Options configures an Inbox. The zero value is usable; the program then gets the open calls from
// [Inbox.Open].
type Options struct {
	// OnCall, if not nil, is called for each call, on a separate goroutine. ctx is done when the
	// call has ended, with or without a result.
	OnCall func(ctx context.Context, r Request)
	// OnDone, if not nil, is called once for each ended call of a Later tool. If Complete or Fail
	// ended the call, they return after OnDone. OnDone may be called concurrently.
	OnDone func(Completion)
	// Timeout limits how long a call stays open; 0 means DefaultTimeout. It is also the timeout
	// of a Wait tool whose Spec has none.
	Timeout time.Duration
	// MaxOpen and MaxOpenPerTenant limit the open calls; 0 means the defaults. The Inbox also
	// remembers how the last MaxOpen calls ended. When it needs room, it first forgets the oldest
	// ended call of the tenant with the most ended calls.
	MaxOpen, MaxOpenPerTenant int
	// Logger receives panics of OnCall and OnDone; nil discards them.
	Logger *slog.Logger
}

// ID identifies an open call. Call is the ID of the call, which is unique for its tenant.
type ID struct{ Tenant, Call string }

// Request is a call that waits for its result.
type Request struct {
	tool.CallRef
	// Arguments is a JSON object, validated and with defaults.
	Arguments json.RawMessage `json:"arguments"`
	// Deadline is the time when the call ends without a result.
	Deadline time.Time `json:"deadline"`
}

// Key returns the ID of the call for Complete and Fail.
func (r Request) Key() ID { return ID{r.Tenant, r.ID} }

// Completion is the outcome of a call.
type Completion struct {
	Request
	// Result is the result that was passed to Complete; empty if the call ended without one.
	Result tool.Result
	// Err is nil for success. Otherwise its code is execution if the tool reports a failure,
	// timeout if no result arrived in time, or cancelled.
	Err *tool.Error
}

// Inbox holds the open calls. It is safe for concurrent use. The zero value is not usable; see
// [NewInbox].
type Inbox struct {
	o   Options
	log *slog.Logger

	mu      sync.Mutex
	closed  bool
	open    map[ID]*openCall
	tenants map[string]int // number of open calls of each tenant
	// codes of ended calls; "" or execution means that the call has its result
	over *tenants.Table[tool.Code]
}

// NewInbox returns an empty Inbox.
func NewInbox(o Options) *Inbox {
	o.Timeout = cmp.Or(max(o.Timeout, 0), DefaultTimeout)
	o.MaxOpen = cmp.Or(max(o.MaxOpen, 0), DefaultMaxOpen)
	o.MaxOpenPerTenant = cmp.Or(max(o.MaxOpenPerTenant, 0), DefaultMaxOpenPerTenant)
	log := cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return &Inbox{o: o, log: log, open: make(map[ID]*openCall), tenants: make(map[string]int), over: tenants.New[tool.Code](o.MaxOpen)}
}

// Define makes a tool whose calls go to the Inbox. Sandboxed is always false, and an empty Source
// means "client". The results of completed calls must fit Spec.Result. The returned Spec of a
// Later tool has no Result, because a pending result does not fit it. The error is a
// *[tool.Error] with the code invalid_manifest, whose Details.Field names the invalid field.
func (b *Inbox) Define(spec tool.Spec, form Form) (tool.Spec, tool.Executor, error) {
	spec.Sandboxed = false
	spec.Source = cmp.Or(spec.Source, "client")
	if form == Wait && spec.Timeout <= 0 {
		spec.Timeout = b.o.Timeout
	}
	checked, err := definition.Compile(spec, nil)
	if err != nil {
		return tool.Spec{}, nil, err
	}
	e := &executor{inbox: b, name: spec.Name, form: form, result: checked.Result}
	if form == Later {
		checked.Spec.Result = nil
	}
	return checked.Spec, e, nil
}

// Open returns the open calls of a tenant, oldest first.
func (b *Inbox) Open(tenant string) []Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	requests := []Request{}
	for id, c := range b.open {
		if id.Tenant == tenant {
			requests = append(requests, c.copy())
		}
	}
	slices.SortFunc(requests, func(a, b Request) int {
		return cmp.Or(a.Deadline.Compare(b.Deadline), cmp.Compare(a.ID, b.ID))
	})
	return requests
}

// Close ends all open calls with the code cancelled, and refuses later calls. Closing an Inbox
// again has no effect.
func (b *Inbox) Close() error {
	b.mu.Lock()
	b.closed = true
	all := slices.Collect(maps.Values(b.open))
	b.mu.Unlock()
	for _, c := range all {
		b.end(c, Completion{Err: &tool.Error{Code: tool.CodeCancelled, Message: "the inbox was closed before the result arrived"}})
	}
	return nil
}
