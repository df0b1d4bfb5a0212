package tool

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
)

// Call is a caller's request to run a tool. Only Tool is required.
type Call struct {
	// ID identifies the call. If it is empty, the registry generates a unique ID that cannot be
	// guessed.
	ID string
	// Tool is the name or an alias of a tool.
	Tool string
	// Arguments is a JSON object; empty and null mean {}.
	Arguments json.RawMessage
	// Interpolate replaces variables also inside longer strings of Arguments: with a variable f,
	// "./${f}" becomes "./" and its value. "$${f}" stands for the text "${f}". An unknown variable
	// is an error. It has no effect unless the registry has variables; see Options.Variables there.
	// It is for arguments that a person or a program wrote. Texts of a model or of an external
	// source may contain "${f}" by chance, or to learn a value.
	Interpolate bool
	// Tenant separates everything that is kept between calls. "" is the single tenant of a
	// terminal.
	Tenant string
	// Session and Message identify the conversation that the call belongs to, and the message
	// in it.
	Session, Message string
	// Timeout replaces the tool's own timeout, up to the registry's limit; 0 means the tool's
	// timeout.
	Timeout time.Duration
	// Retries is the max number of retries, up to the registry's limit; 0 or less means none. A
	// failed attempt is retried only if the failure may be temporary and the attempt changed
	// nothing.
	Retries int
	// RetryDelay is the wait before the first retry. It doubles with each further retry, up to
	// the registry's limit. 0 means DefaultRetryDelay.
	RetryDelay time.Duration
	// IdempotencyKey is the same for all attempts of the call, so that a server can tell a retry
	// from a second call. If it is empty, the registry generates one.
	IdempotencyKey string
	// WorkingDirectory is the base of relative paths in the tool's own file system, such as
	// /workspace/src. The built-in tools use it, and other tools may ask for it. It grants
	// nothing, and limits nothing. Empty means the workspace.
	WorkingDirectory string
	// OnLog receives the tool's log messages while it runs. OnProgress receives its progress:
	// done of total, in units of the tool's choice; total 0 means unknown. OnUpdate receives all
	// updates of the call, including progress. Each function may be nil.
	//
	// The tool writes the messages. They are valid UTF-8 but may contain control characters;
	// escape these before you print to a terminal. The functions are called one at a time for
	// each call, while the tool waits. If a call hangs, they may still be called shortly after
	// Execute has returned.
	OnLog      func(level slog.Level, text string)       `json:"-"`
	OnProgress func(done, total float64, message string) `json:"-"`
	OnUpdate   func(Update)                              `json:"-"`
	// OnDiagnostics receives the diagnostics of an attempt after its end, if there are any. Nil
	// means that they are not wanted.
	OnDiagnostics func(Diagnostics) `json:"-"`
	// AutoConfirm approves the call without a question, if it returns true. A program sets it if
	// it makes the call for a person who has agreed to such approvals in advance. Nil approves
	// nothing.
	//
	// It is called at most once, after all checks that may deny the call and after the search for
	// a remembered approval. It is called only for the reasons AskDangerous, AskEffects and
	// AskScript. So it never lifts a denial, an approval that the operator's rules require, or the
	// limit on repetition. It does not get the arguments, because a model may have written them.
	// If it returns false or panics, the approver is asked as usual. Its approval is not
	// remembered.
	//
	// AutoConfirm runs on a separate goroutine and must return soon: the call waits for it no
	// longer than for an approver. Calls that the tool starts do not inherit it, and the tool does
	// not see it.
	AutoConfirm func(ref CallRef, spec Spec, reason AskReason) bool `json:"-"`
}

// CallRef identifies a call in events, states, receipts and other records.
type CallRef struct {
	ID string `json:"call_id"`
	// Tenant, Session and Message are copied from the [Call].
	Tenant  string `json:"tenant,omitempty"`
	Session string `json:"session,omitempty"`
	Message string `json:"message,omitempty"`
	// Tool is the tool's name, or the requested name if there is no such tool.
	Tool string `json:"tool"`
}

// Ref returns the reference to the call. Its Tool is the requested name or alias.
func (c Call) Ref() CallRef {
	return CallRef{ID: c.ID, Tenant: c.Tenant, Session: c.Session, Message: c.Message, Tool: c.Tool}
}

// Invocation is one attempt to run a tool. The registry has already checked the call.
type Invocation struct {
	Call Call
	// Arguments is the JSON object for the tool. It is validated and includes defaults; numbers
	// are as the caller wrote them.
	Arguments json.RawMessage
	// Text returns a top-level argument: the content of a string, or the JSON of any other
	// value. It returns false if the argument is absent or null.
	Text func(name string) (string, bool)
	// Fields returns the top-level arguments as JSON, without parsing Arguments again.
	Fields func() map[string]json.RawMessage
	// Grant is what the tool may access in this call.
	Grant capability.Grant
	// Secrets are the secrets of the caller's tenant; nil means the executor's own secrets. The
	// store belongs to the caller.
	Secrets *secret.Store
	// Now is the time that a granted clock shows when the call begins; the zero value means the
	// real time. Seed chooses the stream that a tool with granted randomness reads; zero means real
	// randomness.
	Now  time.Time
	Seed uint64
	// Attempt is the number of the attempt, counted from 1.
	Attempt int
	// Depth is the number of calls that this call is nested in. It is 0 for a call that a caller
	// made, and 1 for a call that the tool of such a call started.
	Depth int
	// Tools returns the tools that the caller sees at this moment; never nil. It examines every
	// tool of the registry, so call it only once.
	Tools func() View
	// Update sends an update to the caller while the call runs; never nil. Updates after the end
	// of the attempt are dropped.
	Update func(Update)
	// Start begins a call of another tool for the same caller. The nested call passes through all
	// stages of a call. It always has the tenant, session, message and tenant options of this call.
	// References in its arguments are not resolved, because the arguments may contain untrusted
	// results of earlier resolution. Questions about the nested call appear as questions about this
	// call, to the same approver. The nested call does not inherit the AutoConfirm of this call,
	// but may have one of its own. It ends when it is done or when ctx is done; it may
	// outlast this call. Never nil if a registry runs the tool.
	Start func(ctx context.Context, call Call) Started
	// CallTools makes calls of other tools for code in the sandbox, and waits for their end. In
	// contrast to Start, Grant.Calls must permit each tool, and the calls take the place and the
	// memory of this call, which must do nothing else meanwhile. Calls that only read run
	// concurrently, and the others in order. The outcomes are in the order of the calls. Never nil
	// if a registry runs the tool.
	CallTools func(ctx context.Context, calls []InnerCall) []Outcome
	// FindTools returns the tools that CallTools may call for the caller of this call and that
	// match a query, best match first, at most limit; see Search of the catalogue. An empty query
	// matches all tools, sorted by name. A limit of 0 or less means none. Never nil if a registry
	// runs the tool.
	FindTools func(query string, limit int) []Spec
	// Inside means that this call takes the place of the call that waits for it; see CallTools.
	Inside bool
	// Complete ends a call whose Result was Pending: with failure, or with result if failure is
	// nil. The executor calls it once for each such Result, as soon as the outcome is known,
	// possibly before Execute returns. Until then the call is running. Further calls of Complete
	// have no effect, and neither has a call if the Result was not Pending. Complete is never nil.
	Complete func(result Result, failure *Error)
}

// View lists the tools that a caller sees.
type View struct {
	// Names are the names of the first MaxView tools, in order. More is the number of further
	// tools.
	Names []string
	More  int
}

// MaxView is the max number of names in a [View].
const MaxView = 500

// Started is a call that runs concurrently with the tool that started it. It is safe for
// concurrent use.
type Started interface {
	// ID returns the ID of the call.
	ID() string
	// Decided returns a channel that is closed when the call is allowed to run, or when it has
	// ended without being allowed.
	Decided() <-chan struct{}
	// Done returns a channel that is closed when the call has ended.
	Done() <-chan struct{}
	// Cancel cancels the call, which then fails with the code cancelled. It does not wait.
	Cancel()
	// Result waits for the end of the call. If ctx is done first, the call continues, and the
	// error has the code timeout or cancelled.
	Result(ctx context.Context) (Result, error)
}

// Executor runs one tool and does nothing else: the registry checks arguments and results, computes
// grants and enforces deadlines. Implementations must be safe for concurrent use.
//
// An executor can implement further interfaces: [Identified], [Starter], [Adapted],
// [MemoryBounded], [InParts], [Dynamic], [Overviewer], [Configurable], [Retrier], [Requester] and
// [ViolationExplainer].
// Package registry/executor/native makes executors from Go functions; its documentation has
// examples.
type Executor interface {
	// Prepare makes the tool ready to run. It does the work once; later calls return at once.
	// It runs no code of the tool. The error is an *[Error].
	Prepare(ctx context.Context) error
	// Execute runs the tool until it ends or ctx is done, and returns soon after. A failure is an
	// *[Error], in which the registry sets Tool and CallID. If the call fails, the registry also
	// uses the parts of the Result that are set.
	Execute(ctx context.Context, in Invocation) (Result, error)
	// Close waits for running calls, then frees what Prepare allocated.
	Close() error
}

// Identified is an [Executor] that knows the digest of its tool.
type Identified interface {
	// Digest returns the digest of the tool. If something that decides what the tool does has
	// changed, such as the manifest or the module, the digest changes. Digest prepares the tool
	// first. The error is an *[Error].
	Digest(ctx context.Context) (string, error)
}

// InParts is implemented by an [Executor] whose Prepare leaves work for calls that need it.
// PrepareRest does that work now. The error is an *[Error].
type InParts interface {
	PrepareRest(ctx context.Context) error
}

// Starter is an [Executor] of a tool whose start can be checked without a call.
type Starter interface {
	// CheckStart prepares the tool, and runs what its code does before it reads arguments, without
	// access to anything. The warnings say why calls are slow, or what could not be checked. The
	// error is an *[Error]: of preparing the tool, or of its code.
	CheckStart(ctx context.Context) (warnings []string, err error)
}

// Adapted is an [Executor] of a tool with Spec.Original.
type Adapted interface {
	// OriginalDigest returns the digest of the original tool.
	OriginalDigest() string
}

// MemoryBounded is an [Executor] with a known bound on the memory of one call.
type MemoryBounded interface {
	// MaxMemory returns the bound in bytes, which never changes; 0 means negligible.
	MaxMemory() uint64
}

// Requester is an [Executor] whose calls send one HTTP request that their arguments choose.
type Requester interface {
	// Request returns the method and the absolute URL of the request of a call, or "" for both if
	// every call needs all permissions that the tool requests. text is the same as Invocation.Text.
	// The registry gives the call only the part of the permissions that this request needs. The
	// error is an *[Error].
	Request(text func(name string) (string, bool)) (method, url string, err error)
}

// Dynamic is an [Executor] that computes parts of its tool's definition when they are first needed.
// An example is a description that lists the existing files.
type Dynamic interface {
	// Describe computes the definition. The registry never calls it concurrently. It keeps the
	// definition until it is asked to describe the tool again; it does not keep errors.
	//
	// grant is what the tool may access while it describes itself. A tool in the sandbox gets the
	// directories that it may read without an approval. If the tool requests more directories, the
	// registry does not call Describe and uses the Spec. For a tool outside the sandbox, grant is
	// empty, because it would not limit the tool.
	Describe(ctx context.Context, grant capability.Grant) (Definition, error)
}

// Overviewer is an [Executor] of a tool that calls other tools. Its description depends on the
// tools that its caller may call.
type Overviewer interface {
	// Overview returns the description for a caller for whom it may call these tools.
	Overview(callable []Spec) string
}

// Definition holds the parts of a [Spec] that a [Dynamic] tool may change. Empty fields leave
// the Spec as it is. A tool cannot change its own name, permissions or danger.
type Definition struct {
	Description string
	// Parameters and Result are the schemas, as in [Spec].
	Parameters, Result json.RawMessage
}

// Configurable is an [Executor] of a tool whose settings can change while the program runs.
type Configurable interface {
	// Configure returns an executor of the same tool with other values of its settings, by name.
	// Settings that are not named keep their values. The Spec is spec with the new settings, and
	// with the permissions that the tool then requests. The receiver stays as it is. An unknown
	// setting or an invalid value is an *[Error] with the code invalid_argument.
	Configure(spec Spec, values map[string]string) (Spec, Executor, error)
}

// ViolationExplainer is an [Executor] that writes its own message about invalid arguments.
type ViolationExplainer interface {
	// ExplainViolations returns the message for the caller; "" means the registry's message.
	ExplainViolations(violations []Violation) string
}
