package agent

import (
	"cmp"
	"log/slog"
	"time"
)

// Defaults of Options.
const (
	DefaultMaxTurns       = 50
	DefaultMaxToolCalls   = 100
	DefaultTimeout        = 10 * time.Minute
	DefaultMaxMessage     = 4 << 20
	DefaultMaxContext     = 512 << 10
	DefaultMaxAutoConfirm = 20
)

// Options configures an Agent. The zero value has the default limits and confirms nothing by
// itself.
type Options struct {
	// MaxTurns limits the messages of the model in a run; 0 means DefaultMaxTurns. In the last
	// turn, the model may only report.
	MaxTurns int
	// MaxToolCalls limits the calls of a run; 0 means DefaultMaxToolCalls. A call beyond the limit
	// is not made. Its result says so, and the next turn is the last one.
	MaxToolCalls int
	// Timeout limits the time of a run; 0 means DefaultTimeout.
	Timeout time.Duration
	// MaxTokens limits the tokens of all requests and responses of a run; 0 means no limit. The
	// turn that follows after the limit is the last one.
	MaxTokens int64
	// MaxOutputTokens limits the tokens of each message; 0 means llm.DefaultMaxTokens.
	MaxOutputTokens int
	// MaxMessage limits the text and the reasoning of each message, in bytes; 0 means
	// DefaultMaxMessage. A longer message ends the run.
	MaxMessage int
	// MaxContext limits the results of calls in a request to the model, in bytes; 0 means
	// DefaultMaxContext. Beyond the limit, the oldest results are replaced by a note.
	MaxContext int
	// AutoConfirmDangerous answers yes to questions about calls that are dangerous, may change
	// something, or run a script that may change something. It never answers if a rule of the
	// operator asks or if a call is repeated too often, and it lifts no denial. With it, text from
	// a web page or a file can make the model run each of these calls unseen; see docs/security.md.
	AutoConfirmDangerous bool
	// MaxAutoConfirm limits the calls that AutoConfirmDangerous confirms in a run; 0 means
	// DefaultMaxAutoConfirm. Further questions go to the approver.
	MaxAutoConfirm int
	// Skills are listed in the system prompt. The model reads them with the tool skill.
	Skills []Skill
	// Exclude are names of tools that the agent must not call, in addition to those that the rules
	// hide from it.
	Exclude []string
	// Logger receives log records for the operator, such as panics of events; nil discards them.
	Logger *slog.Logger
	// Now returns the time; nil means time.Now.
	Now func() time.Time
}

// Skill is a skill that the model may read.
type Skill struct{ Name, Description string }

func (o Options) withDefaults() Options {
	o.MaxTurns = cmp.Or(max(o.MaxTurns, 0), DefaultMaxTurns)
	o.MaxToolCalls = cmp.Or(max(o.MaxToolCalls, 0), DefaultMaxToolCalls)
	o.Timeout = cmp.Or(max(o.Timeout, 0), DefaultTimeout)
	o.MaxMessage = cmp.Or(max(o.MaxMessage, 0), DefaultMaxMessage)
	o.MaxContext = cmp.Or(max(o.MaxContext, 0), DefaultMaxContext)
	o.MaxAutoConfirm = cmp.Or(max(o.MaxAutoConfirm, 0), DefaultMaxAutoConfirm)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Request is a task for an agent. Only Task is required.
type Request struct {
	// Task is what to do. Context is what the agent needs to know, and ExpectedOutcome what its
	// report must contain.
	Task            string `json:"task"`
	Context         string `json:"context"`
	ExpectedOutcome string `json:"expectedOutcome"`
	// SessionID and MessageID identify the conversation that the calls belong to. Without a
	// SessionID, the run has a session of its own.
	SessionID string `json:"sessionId"`
	MessageID string `json:"messageId"`
	// WorkingDirectory is the base of relative paths, as in tool.Call.
	WorkingDirectory string `json:"workingDirectory,omitempty"`
}
