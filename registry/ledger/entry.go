package ledger

import (
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

// Entry is what is known of one call. The stages of the call, which run one after the other,
// only add to it; Tell, and what Attempt returns, may be called from anywhere at any time.
type Entry struct {
	ledger   *Ledger
	call     tool.Call // with its names filled in
	started  time.Time
	observed func(tool.Receipt) // nil without an Observer
	// stop ends the call for a reason, and done is closed when it has ended.
	stop context.CancelCauseFunc
	done chan struct{}

	// What Kill, Drain and those who look at states may see, guarded by the Ledger's lock.
	// Only the stages change tool, spec, running and the names of the call in its state, so
	// that they look at these without it.
	letIn   bool
	state   state.Call
	tool    Tool // nil before it was found
	spec    *tool.Spec
	running bool // its digest is known without waiting

	// What the stages found out, in the order of the stages.
	arguments  jsonschema.Arguments
	hash       string // of the arguments; empty until it is needed
	shell      string
	words      []capability.Permission
	digest     string
	decision   string // of the policy, and the rule that decided
	rule       string
	repetition Repetition
	asked      bool // an approver was asked in this call
	approved   bool // the answer, or a remembered one, is yes
	loaded     bool
	waited     time.Duration
	attempts   int
	last       *attempt

	// calling is held for an update as a whole, so that they come one at a time; over is
	// guarded by telling, which nobody holds for long.
	calling sync.Mutex
	telling sync.Mutex
	over    bool
}

// Tool is what a Selector has to know of the tool of a call.
type Tool interface {
	// IsCalled reports whether a name is one of the tool's, whatever its capitals and the
	// space around it.
	IsCalled(name string) bool
	// Digest names the tool as it is, or is "". It waits for a tool that is not loaded.
	Digest(ctx context.Context) (string, error)
}

// Ref names the call.
func (e *Entry) Ref() tool.CallRef { return e.state.CallRef }

// Found notes which tool the call is for.
func (e *Entry) Found(t Tool, spec *tool.Spec) {
	e.ledger.mu.Lock()
	defer e.ledger.mu.Unlock()
	e.tool, e.spec, e.state.Tool = t, spec, spec.Name
}

// Arguments notes the arguments as they were sent, with values in the place of references,
// and as the tool gets them; of those that it does not get, there are only warnings.
func (e *Entry) Arguments(sent json.RawMessage, a jsonschema.Arguments) {
	e.call.Arguments, e.arguments = sent, a
}

// Script notes what the call's script comes to; nil for a call without one.
func (e *Entry) Script(s *shellcommand.Result) {
	if s != nil {
		e.shell = s.Effect.String()
	}
}

// Granted notes what the tool may reach, and its digest if that was looked at.
func (e *Entry) Granted(words []capability.Permission, digest string) {
	e.words, e.digest = words, digest
}

// Identified notes the tool's digest; "" when it has none.
func (e *Entry) Identified(digest string) { e.digest = digest }

// Asked notes that an approver is asked about the call, and why.
func (e *Entry) Asked(why string) {
	e.asked = true
	e.move(state.AwaitingConfirmation)
	e.publish(Event{Kind: EventAwaiting, Why: why})
}

// Approved notes a yes to the call: the answer after Asked, or a remembered one.
func (e *Entry) Approved() {
	e.approved = true
	if e.asked {
		e.move(state.Pending)
	}
}

// Loaded notes that the tool is ready to run.
func (e *Entry) Loaded() { e.loaded = true }

// Waited adds to the time for which the call waited for others.
func (e *Entry) Waited(d time.Duration) { e.waited += d }
