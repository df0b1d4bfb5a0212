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

// Defaults of [Options].
const (
	// DefaultApprovalTimeout is the default of ApprovalOptions.Timeout.
	DefaultApprovalTimeout = 5 * time.Minute
	// DefaultMaxTimeout is the default of Options.MaxTimeout.
	DefaultMaxTimeout = time.Hour
	// DefaultMaxRetries is the default of RetryOptions.Max.
	DefaultMaxRetries = 5
	// DefaultMaxRetryDelay is the default of RetryOptions.MaxDelay.
	DefaultMaxRetryDelay = 30 * time.Second
)

// Options configures a [Registry]. With the zero value, tools get no permissions, and calls that
// need an approval fail.
type Options struct {
	// Rules are the operator's initial rules. [Registry.SetRules] replaces them.
	Rules Rules
	// Approvals configures the approver and the remembered approvals.
	Approvals ApprovalOptions
	// Schedule limits the calls that run and wait.
	Schedule schedule.Options
	// Calls configures the records of calls and the shortening of results.
	Calls ledger.Options
	// Retries limits the retries of calls.
	Retries RetryOptions
	// Tools configures how tools are loaded and described.
	Tools catalogue.Options
	// MaxTimeout limits the timeout of every attempt; 0 means DefaultMaxTimeout.
	MaxTimeout time.Duration
	// Variables returns the value of a variable. A string in the arguments that is exactly
	// "${NAME}" is replaced by the value before the arguments are checked; Interpolate of a Call
	// replaces variables also inside longer strings. Names of fields and the script of a tool with
	// Spec.Shell are left alone. If the variable is not known, the call fails with
	// invalid_argument. References within a value are not replaced.
	//
	// The schema, the policy, approvers, receipts and the tool see the values in place of the
	// references. So variables must not contain secrets. Variables may be called concurrently, and
	// several times for one call. Nil leaves references to variables unchanged.
	Variables func(ctx context.Context, call tool.Call, name string) (value string, known bool)
	// Strict makes arguments that a tool does not declare an error for all tools, like Strict of a
	// tool.Spec. Otherwise they are dropped with a warning.
	Strict bool
	// Logger receives log records for the operator, such as panics of executors and failed calls;
	// nil discards them. The record of a failed call has the code and the ID of the call, and
	// neither arguments nor messages. Its level is warning, error for the code internal, and info
	// for a call that was invalid, denied or cancelled.
	Logger *slog.Logger
	// OnClose is called once by Close after all tools are closed, to free what they shared; it
	// may be nil.
	OnClose func() error
}

// withDefaults returns the options with defaults for zero fields.
func (o Options) withDefaults() Options {
	o.Approvals.Timeout = cmp.Or(max(o.Approvals.Timeout, 0), DefaultApprovalTimeout)
	o.Tools = o.Tools.WithDefaults()
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	o.MaxTimeout = cmp.Or(max(o.MaxTimeout, 0), DefaultMaxTimeout)
	o.Retries.Max = cmp.Or(o.Retries.Max, DefaultMaxRetries)
	o.Retries.MaxDelay = cmp.Or(max(o.Retries.MaxDelay, 0), DefaultMaxRetryDelay)
	return o
}
