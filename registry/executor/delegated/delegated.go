// Package delegated has tools whose work is done elsewhere: by the client of a server, by
// a person, by another program. A [Desk] hands each call out and takes its result in.
//
// There are two forms. With [Later] a call returns at once and says that its result is
// pending, which a model reads; the result goes to Options.OnDone when it comes. With
// [Wait] the call blocks until then, and what it returns is the result.
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

// Form says what a call of a tool returns.
type Form int

// The forms of delegated tools.
const (
	// Later returns a pending result at once.
	Later Form = iota
	// Wait returns the result when it is there.
	Wait
)

// Defaults of Options.
const (
	// DefaultTimeout is how long a call stays open.
	DefaultTimeout = 10 * time.Minute
	// DefaultMaxOpen is how many calls are open at once, and DefaultMaxOpenPerTenant how
	// many of one tenant.
	DefaultMaxOpen          = 1000
	DefaultMaxOpenPerTenant = 100
)

// Options configures a Desk. The zero value is usable: requests are then found by
// Desk.Open.
type Options struct {
	// OnCall is told of each call, on a goroutine of its own. Its context ends when the
	// call is over, with a result or without. Nil tells nobody.
	OnCall func(ctx context.Context, r Request)
	// OnDone is told how each call of the form Later ended, once, before Complete or Fail
	// returns; it may be called concurrently. Nil tells nobody.
	OnDone func(Completion)
	// Timeout is how long a call stays open; 0 means DefaultTimeout. A tool of the form
	// Wait waits no longer than its own timeout either, which is this one unless its Spec
	// says otherwise.
	Timeout time.Duration
	// MaxOpen and MaxOpenPerTenant bound the calls that are open; 0 means the defaults.
	// As many calls as MaxOpen that are over are remembered, to tell of them; the tenant with
	// most of them loses its oldest.
	MaxOpen, MaxOpenPerTenant int
	// Logger gets panics of OnCall and OnDone; nil means silence.
	Logger *slog.Logger
}

// ID names an open call: the ID that the call had, which is unique for its tenant.
type ID struct{ Tenant, Call string }

// Request is a call that waits for its result.
type Request struct {
	// CallRef names the call.
	tool.CallRef
	// Arguments is the JSON object that the tool got: validated, with defaults.
	Arguments json.RawMessage `json:"arguments"`
	// Deadline is when the call is over whether or not there is a result.
	Deadline time.Time `json:"deadline"`
}

// Key is the name of the call for Complete and Fail.
func (r Request) Key() ID { return ID{r.Tenant, r.ID} }

// Completion is how a call ended.
type Completion struct {
	Request
	// Result is what Complete was given. It is empty when Err says that the call ended
	// without a result.
	Result tool.Result
	// Err is nil for success. Else its code is execution for a failure that was reported,
	// timeout, or cancelled.
	Err *tool.Error
}

// Desk holds the calls that are open. It is safe for concurrent use. The zero value is not
// usable; see NewInbox.
type Inbox struct {
	o   Options
	log *slog.Logger

	mu      sync.Mutex
	closed  bool
	open    map[ID]*openCall
	tenants map[string]int            // open calls of each
	over    *tenants.Table[tool.Code] // how the last calls ended; no code and execution: with a result
}

// NewInbox returns an empty Desk.
func NewInbox(o Options) *Inbox {
	o.Timeout = cmp.Or(max(o.Timeout, 0), DefaultTimeout)
	o.MaxOpen = cmp.Or(max(o.MaxOpen, 0), DefaultMaxOpen)
	o.MaxOpenPerTenant = cmp.Or(max(o.MaxOpenPerTenant, 0), DefaultMaxOpenPerTenant)
	log := cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return &Inbox{o: o, log: log, open: make(map[ID]*openCall), tenants: make(map[string]int), over: tenants.New[tool.Code](o.MaxOpen)}
}

// Define makes a tool whose calls the desk hands out. Sandboxed is always false, and an
// empty Source means "client". The results of completed calls must fit Spec.Result; a tool
// of the form Later returns without it, since what its calls return is no such result. The
// error is an *Error of the code invalid_manifest whose Details.Field names the field at
// fault.
func (d *Inbox) Define(spec tool.Spec, form Form) (tool.Spec, tool.Executor, error) {
	spec.Sandboxed = false
	spec.Source = cmp.Or(spec.Source, "client")
	if form == Wait && spec.Timeout <= 0 {
		spec.Timeout = d.o.Timeout
	}
	checked, err := definition.Compile(spec, nil)
	if err != nil {
		return tool.Spec{}, nil, err
	}
	e := &executor{desk: d, name: spec.Name, form: form, result: checked.Result}
	if form == Later {
		checked.Spec.Result = nil
	}
	return checked.Spec, e, nil
}

// Open returns the calls of a tenant that are open, the oldest first.
func (d *Inbox) Open(tenant string) []Request {
	d.mu.Lock()
	defer d.mu.Unlock()
	requests := []Request{}
	for id, c := range d.open {
		if id.Tenant == tenant {
			requests = append(requests, c.copy())
		}
	}
	slices.SortFunc(requests, func(a, b Request) int {
		return cmp.Or(a.Deadline.Compare(b.Deadline), cmp.Compare(a.ID, b.ID))
	})
	return requests
}

// Close ends all open calls with cancelled, and takes no more. Closing again does nothing.
func (d *Inbox) Close() error {
	d.mu.Lock()
	d.closed = true
	all := slices.Collect(maps.Values(d.open))
	d.mu.Unlock()
	for _, c := range all {
		d.end(c, Completion{Err: &tool.Error{Code: tool.CodeCancelled, Message: "the desk was closed before a result came"}})
	}
	return nil
}
