package registry

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Defaults of Options.
const (
	// DefaultApprovalTimeout is how long a question waits for its answer.
	DefaultApprovalTimeout = 5 * time.Minute
	// DefaultMaxTimeout is the longest timeout of an attempt.
	DefaultMaxTimeout = time.Hour
	// DefaultMaxRetries is how often a call is tried again at most.
	DefaultMaxRetries = 5
	// DefaultMaxRetryDelay is the longest wait between two attempts.
	DefaultMaxRetryDelay = 30 * time.Second
)

// Options configures a Registry. The zero value grants nothing and has nobody to ask.
type Options struct {
	// Rules are what the operator says first; SetRules changes them.
	Rules Rules
	// Approvals says who is asked about calls, and what was answered before.
	Approvals ApprovalOptions
	// Schedule bounds the calls that run and wait at once.
	Schedule schedule.Options
	// Calls says what is kept and told of calls and their results.
	Calls ledger.Options
	// Retries bounds how often calls are tried again.
	Retries RetryOptions
	// Tools says how tools are loaded and described.
	Tools catalogue.Options
	// MaxTimeout bounds the timeout of an attempt, whoever set it; 0 means
	// DefaultMaxTimeout.
	MaxTimeout time.Duration
	// Variables returns the value of a variable, for arguments that are exactly the string
	// "${NAME}": they become its value, a text, before they are checked, and a name that it
	// does not know fails the call with invalid_argument. A value is not looked at again, and
	// is seen by whoever sees the arguments: it is no place for secrets. It may be called
	// concurrently, and for one call more than once. Nil leaves such arguments as they are.
	Variables func(ctx context.Context, call tool.Call, name string) (value string, known bool)
	// Logger gets what an operator should know, such as panics of executors; nil
	// means silence.
	Logger *slog.Logger
	// OnClose is called once by Close after all tools are closed, to free what they
	// shared; nil means nothing.
	OnClose func() error
}

// withDefaults fills in the defaults.
func (o Options) withDefaults() Options {
	o.Approvals.Timeout = cmp.Or(max(o.Approvals.Timeout, 0), DefaultApprovalTimeout)
	o.Tools = o.Tools.WithDefaults()
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	o.MaxTimeout = cmp.Or(max(o.MaxTimeout, 0), DefaultMaxTimeout)
	o.Retries.Max = cmp.Or(o.Retries.Max, DefaultMaxRetries)
	o.Retries.MaxDelay = cmp.Or(max(o.Retries.MaxDelay, 0), DefaultMaxRetryDelay)
	return o
}
