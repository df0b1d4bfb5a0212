package tool

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
)

// Call is what a caller asks for. Only Tool is required.
type Call struct {
	// ID names the call; empty means that the registry makes one up, unique and
	// not to be guessed.
	ID string
	// Tool is the name or an alias.
	Tool string
	// Arguments is a JSON object; empty and null mean {}.
	Arguments json.RawMessage
	// Tenant keys everything that is kept between calls; "" is the single tenant
	// of a terminal.
	Tenant string
	// Session and Message say where in a conversation the call stands.
	Session, Message string
	// Timeout takes the place of the tool's own timeout, up to the registry's
	// ceiling; 0 leaves the tool's.
	Timeout time.Duration
	// Retries is how often a failed attempt is tried again, up to the registry's ceiling;
	// 0 and less mean never. Only a failure that may pass is tried again, and only when
	// the attempt changed nothing.
	Retries int
	// RetryDelay is the wait before the first retry; it doubles with each further one, up
	// to the registry's ceiling. 0 means DefaultRetryDelay.
	RetryDelay time.Duration
	// IdempotencyKey is the same for all attempts of the call, so that a server can tell
	// a retry from a second call; empty means that the registry makes one up.
	IdempotencyKey string
	// WorkingDirectory is where in the tool's own file system relative paths begin, such
	// as /workspace/src, for tools that ask. It grants nothing. Empty means that nobody said.
	WorkingDirectory string
	// OnLog hears what the tool logs while it runs, and OnProgress how far it is: done of
	// total in units of its own, total 0 when it does not know it.
	// OnUpdate hears what a tool tells of the call, its progress included. All may be nil.
	// The texts are the tool's, valid UTF-8 and nothing more: make control characters
	// harmless before a terminal sees them. The functions are called one at a time for each
	// call, while the tool waits, and may be called until shortly after Execute returned
	// for a call that hangs.
	OnLog      func(level slog.Level, text string)       `json:"-"`
	OnProgress func(done, total float64, message string) `json:"-"`
	OnUpdate   func(Update)                              `json:"-"`
}

// CallRef names a call in everything that tells of one.
type CallRef struct {
	ID string `json:"call_id"`
	// Tenant, Session and Message are those of the Call; empty where it has none.
	Tenant  string `json:"tenant,omitempty"`
	Session string `json:"session,omitempty"`
	Message string `json:"message,omitempty"`
	// Tool is the tool's name, or the name that was asked for when there is none.
	Tool string `json:"tool"`
}

// Ref names the call. Its Tool is the name or alias that was asked for.
func (c Call) Ref() CallRef {
	return CallRef{ID: c.ID, Tenant: c.Tenant, Session: c.Session, Message: c.Message, Tool: c.Tool}
}

// Invocation is one attempt to run a tool, after everything was checked.
type Invocation struct {
	Call Call
	// Arguments is the JSON object that the tool gets: validated, defaults
	// applied, numbers as the caller wrote them.
	Arguments json.RawMessage
	// Text returns a top-level argument as text: the content of a string, the JSON
	// of anything else. It is false for an argument that is absent or null.
	Text func(name string) (string, bool)
	// Fields returns the top-level arguments as JSON, without parsing Arguments again.
	Fields func() map[string]json.RawMessage
	// Grant is what the tool may reach in this call.
	Grant capability.Grant
	// Secrets are those of the caller's tenant; nil means those that the executor has.
	// They stay the caller's.
	Secrets *secret.Store
	// Now is what the clock shows that the Grant gives when the call begins; the zero value
	// is the real time.
	Now time.Time
	// Attempt counts the attempts of the call, from 1.
	Attempt int
	// Tools returns the tools that the caller sees at that moment; never nil. It looks at all
	// of them, so ask once.
	Tools func() View
	// Update tells the caller of the call while it runs; never nil. What comes after the
	// attempt has ended is dropped.
	Update func(Update)
	// Start begins a call of another tool for the same caller, which goes through all the
	// steps of a call: tenant, session and message of this call take the place of those that
	// it names, and so does the overlay. Its arguments are taken as they are: references in
	// those of this call were resolved, and what came of that is not looked at again. Questions about it are put as questions about this
	// call, and to the same people. It ends with ctx, or by itself; it may outlast this call.
	// Never nil when a registry runs the tool.
	Start func(ctx context.Context, call Call) Started
	// Complete ends a call whose Result was Pending, with a result or, when failure is not
	// nil, with that. The executor calls it once for each such Result, whenever it knows,
	// also before Execute returned: until then the call is on its way. Further calls of it,
	// and those for a Result that was not Pending, do nothing. Never nil.
	Complete func(result Result, failure *Error)
}

// View is which tools a caller sees.
type View struct {
	// Names are those of the first MaxView of them, in order, and More is how many there are
	// besides.
	Names []string
	More  int
}

// MaxView is how many tools a View names.
const MaxView = 500

// Started is a call that runs on its own. It is safe for concurrent use.
type Started interface {
	// ID is that of the call.
	ID() string
	// Decided is closed when the call may run, or after the end of one that was not let
	// through.
	Decided() <-chan struct{}
	// Done is closed when the call has ended.
	Done() <-chan struct{}
	// Cancel ends the call, which fails with cancelled then. It does not wait for it.
	Cancel()
	// Result waits for the end of the call. When ctx is done first the call goes on, and the
	// error has the code timeout or cancelled.
	Result(ctx context.Context) (Result, error)
}

// Executor runs one tool. It implements the running and nothing else: arguments
// are checked, grants computed, time bounded and results checked by the registry.
// Implementations are safe for concurrent use.
type Executor interface {
	// Prepare makes the tool ready to run, once; later calls return at once. It
	// runs no code of the tool. The error is an *Error.
	Prepare(ctx context.Context) error
	// Execute runs the tool until its end or until ctx is done, and returns soon
	// after that. A failure is an *Error whose Tool and CallID the registry fills
	// in; the Result is used as far as it goes.
	Execute(ctx context.Context, in Invocation) (Result, error)
	// Close frees what Prepare made. Running calls end first.
	Close() error
}

// Identified is an Executor that can say what it runs.
type Identified interface {
	// Digest names the tool as it is: a change of anything that decides what it does, such
	// as its manifest or its module, changes it. It prepares the tool first. The error is
	// an *Error.
	Digest(ctx context.Context) (string, error)
}

// MemoryBounded is an Executor of which is known how much memory a call of it may use.
type MemoryBounded interface {
	// MaxMemory is in bytes, and always the same; 0 is none that counts.
	MaxMemory() uint64
}

// Dynamic is an Executor that works out parts of its tool's definition when they are first
// needed: a description that lists what there is, a schema that allows what there is.
type Dynamic interface {
	// Describe works the definition out. The registry calls it one at a time, keeps what
	// it gives until somebody asks for it to be done again, and keeps no error. grant is what
	// the tool may reach for that: of a tool in the sandbox the folders that it may read
	// without anybody being asked, and if it asks for more folders than that, Describe is
	// not called and the Spec stands; of others nothing, as for them it has no meaning.
	Describe(ctx context.Context, grant capability.Grant) (Definition, error)
}

// Definition is what a Dynamic tool may change of its Spec. What is empty leaves what the
// Spec says: name, permissions and danger are not for a tool to change by itself.
type Definition struct {
	Description string
	// Parameters and Result are as in Spec.
	Parameters, Result json.RawMessage
}

// FaultExplainer is an Executor that puts the faults of a call's arguments into words of
// its own.
type FaultExplainer interface {
	// ExplainFaults returns what the caller reads; "" leaves the registry's own words.
	ExplainFaults(faults []Fault) string
}
