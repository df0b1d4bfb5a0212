package ledger

import (
	"cmp"
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Entry is the record of one call. The stages of the call run one at a time, and each only adds to
// the Entry. Relay, and the function that Attempt returns, may be called from any goroutine at any
// time.
type Entry struct {
	ledger   *Ledger
	call     *tool.Call // with ID and IdempotencyKey set; no longer changes
	started  time.Time
	observed func(tool.Receipt)      // nil without an Observer
	stop     context.CancelCauseFunc // cancels the call with a cause
	done     chan struct{}           // closed when the call has ended

	// The fields below are guarded by the Ledger's lock, because Kill, Drain and readers of
	// states use them. Only the stages change tool, spec, running and the labels in state, so
	// the stages may read these without the lock.
	admitted bool
	state    state.Call
	tool     Tool // nil before the tool was found
	spec     *tool.Spec
	running  bool // the tool is loaded, so its digest is known without waiting

	// The fields below are set by the stages, in this order.
	parent      string
	sent        json.RawMessage // the arguments as sent
	arguments   jsonschema.Arguments
	hash        string // hash of the arguments; empty until the hash is needed
	shell       string
	permissions []capability.Permission
	digest      string
	decision    string // the decision of the policy
	rule        string // the rule that decided
	repetition  Repetition
	asked       bool   // an approver was asked in this call
	approvedBy  string // the way in which the call was approved; empty if it was not
	loaded      bool
	waited      time.Duration
	attempts    int
	last        *attempt

	// relayMu is held while an update is passed to listeners, so that updates arrive one at a time.
	// stateMu guards the field over, and is held only briefly.
	relayMu sync.Mutex
	stateMu sync.Mutex
	over    bool // no further updates are accepted
}

// Tool is the tool of a call, reduced to what a [Selector] uses.
type Tool interface {
	// IsCalled reports whether a name is the tool's name or an alias, ignoring case and
	// surrounding white space.
	IsCalled(name string) bool
	// Digest returns the digest of the tool, or "" if it has none. It waits until the tool is
	// loaded.
	Digest(ctx context.Context) (string, error)
}

// Ref returns the reference to the call.
func (e *Entry) Ref() tool.CallRef { return e.state.CallRef }

// Nested records the ID of the call that made this call; "" means that a caller made it.
func (e *Entry) Nested(parent string) { e.parent = parent }

// Found records the tool of the call.
func (e *Entry) Found(t Tool, spec *tool.Spec) {
	e.ledger.mu.Lock()
	defer e.ledger.mu.Unlock()
	e.tool, e.spec, e.state.Tool = t, spec, spec.Name
}

// Arguments records the arguments as they were sent, with references replaced by their values,
// and the arguments for the tool. If the arguments are invalid, a has only warnings.
func (e *Entry) Arguments(sent json.RawMessage, a jsonschema.Arguments) {
	e.sent, e.arguments = sent, a
}

// Script records the classification of the call's script; nil means that there is none.
func (e *Entry) Script(s *shellcommand.Result) {
	if s != nil {
		e.shell = s.Effect.String()
	}
}

// Granted records the permissions of the call, and the digest of the tool unless it is "".
func (e *Entry) Granted(permissions []capability.Permission, digest string) {
	e.permissions, e.digest = permissions, cmp.Or(digest, e.digest)
}

// Identified records the tool's digest; "" means that it has none.
func (e *Entry) Identified(digest string) { e.digest = digest }

// Asked records that an approver is asked about the call, and why.
func (e *Entry) Asked(why string) {
	e.asked = true
	e.move(state.AwaitingConfirmation)
	e.publish(Event{Kind: EventAwaiting, Why: why})
}

// Approved records that the call is approved, and how, with a value of Receipt.ApprovedBy.
func (e *Entry) Approved(by string) {
	e.approvedBy = by
	if e.asked {
		e.move(state.Pending)
	}
}

// Loaded records that the tool is ready to run.
func (e *Entry) Loaded() { e.loaded = true }

// Waited adds d to the time that the call spent waiting for other calls.
func (e *Entry) Waited(d time.Duration) { e.waited += d }
