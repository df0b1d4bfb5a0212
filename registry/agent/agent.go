package agent

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/llm"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Model produces the messages of a conversation. Implementations must be safe for concurrent use.
type Model interface {
	// Format is the format of requests and responses. It never changes.
	Format() llm.Format
	// Stream asks for the next message. It yields the pieces of the message as they arrive, and at
	// last a chunk with End; or an error, after which it yields nothing. It must return soon after
	// ctx is done or the consumer has stopped. r belongs to the caller.
	Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error]
}

// Agent carries out tasks. It is safe for concurrent use: runs share only the tools and the model.
// The zero value is not usable; call New.
type Agent struct {
	tools Tools
	model Model
	o     Options
}

// New returns an Agent. It does not ask the model.
func New(tools Tools, model Model, o Options) *Agent {
	return &Agent{tools, model, o.withDefaults()}
}

// Run carries out a task. It returns when the model has reported, a limit is reached or ctx is
// done; the Result is complete in all cases, and no call of the run continues. The error is nil if
// the model reported or refused. Otherwise it is a *[tool.Error]: timeout or cancelled, server if
// the model failed, or invalid_argument if the run could not begin.
func (a *Agent) Run(ctx context.Context, request Request, events Events) (Result, error) {
	r, err := a.begin(ctx, request, events)
	if err != nil {
		return Result{}, err
	}
	defer r.close()
	for r.end == "" {
		message, err := r.ask()
		switch {
		case err != nil:
			r.fail(err)
		case len(message.Calls) == 0 || r.limit != "":
			r.report(message.Message)
		default:
			r.answer(message)
		}
	}
	return r.result(), r.err
}

// run is a task in progress. Only the goroutine of Run uses it, except for emit and the steps, each
// of which belongs to its call while the call runs.
type run struct {
	*Agent
	ctx     context.Context
	cancel  context.CancelFunc
	request Request
	events  Events
	started time.Time
	// ownSession is set if the request named no session.
	ownSession bool

	conversation conversation
	turn         int
	usage        llm.Usage
	used         map[string]bool // IDs of calls
	confirmed    atomic.Int64
	steps        []Step

	emitting sync.Mutex // held while an event is sent; guards ended
	ended    bool

	limit   EndReason // the limit that makes the next turn the last one
	end     EndReason
	summary string
	errors  []string
	err     error
}

// close frees what the run used. A session that the request did not name cannot be used again.
func (r *run) close() {
	r.cancel()
	r.emitting.Lock()
	r.ended = true
	r.emitting.Unlock()
	if r.ownSession {
		r.tools.Forget(r.request.SessionID)
	}
}

// begin checks the request, defines the tools and starts the conversation.
func (a *Agent) begin(ctx context.Context, request Request, events Events) (*run, error) {
	if request.Task == "" {
		return nil, tool.Errorf(tool.CodeInvalidArgument, "the task of an agent is empty; set Request.Task")
	}
	ownSession := request.SessionID == ""
	if ownSession {
		request.SessionID = "agent-" + ledger.NewID()
	}
	ctx, cancel := context.WithTimeout(ctx, a.o.Timeout)
	infos := slices.DeleteFunc(a.tools.List(ctx), func(i catalogue.Info) bool { return slices.Contains(a.o.Exclude, i.Name) })
	defined, err := llm.New(a.model.Format(), infos, llm.Options{})
	if err != nil {
		cancel()
		return nil, tool.Errorf(tool.CodeInvalidArgument, "the tools cannot be defined for the model: %v", err)
	}
	return &run{
		Agent: a, ctx: ctx, cancel: cancel, request: request, events: events, started: a.o.Now(), ownSession: ownSession,
		conversation: conversation{tools: defined, maxResults: a.o.MaxContext, first: a.model.Format().UserMessage(userPrompt(request))}, used: make(map[string]bool),
	}, nil
}

// report ends the run with the model's report.
func (r *run) report(m llm.Message) {
	r.end, r.summary = EndDone, m.Text
	if r.limit != "" {
		r.end = r.limit
	}
	switch {
	case m.Refused:
		r.end = EndRefused
	case m.Truncated:
		r.errors = append(r.errors, "the report was cut at the limit on output tokens")
	}
}

// fail ends the run without a report.
func (r *run) fail(err error) {
	var stop *llm.StopError
	switch {
	case errors.Is(r.ctx.Err(), context.DeadlineExceeded):
		r.end, r.err = EndTimeout, tool.Ended(r.ctx, "the agent did not finish within "+r.o.Timeout.String()+", or by the deadline of its caller")
	case r.ctx.Err() != nil:
		r.end, r.err = EndCancelled, tool.Ended(r.ctx, "the agent was cancelled")
	case errors.As(err, &stop) && stop.Refused:
		r.end, r.errors = EndRefused, append(r.errors, err.Error())
		return
	default:
		failure := tool.Errorf(tool.CodeServer, "the model failed: %v", err).WithCause(err)
		if coded, ok := errors.AsType[*tool.Error](err); ok {
			failure.Code, failure.Details.RetryAfter = coded.Code, coded.Details.RetryAfter
		}
		r.end, r.err = EndModelError, failure
	}
	r.errors = append(r.errors, r.err.Error())
	emit(r, r.events.OnError, r.err.Error())
}
