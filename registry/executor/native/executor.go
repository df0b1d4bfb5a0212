package native

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// executor runs one function. It is safe for concurrent use if the function is.
type executor struct {
	o   Options
	run func(ctx context.Context, call tool.Invocation) (tool.Result, error)

	abandoned atomic.Int64 // functions that run on though nobody waits
	closed    atomic.Bool
}

// dynamic is an executor that works out its definition.
type dynamic struct{ *executor }

// Prepare has nothing to do.
func (e *executor) Prepare(context.Context) error { return nil }

// Close keeps later calls out. Functions that run are left to end.
func (e *executor) Close() error {
	e.closed.Store(true)
	return nil
}

// ExplainViolations puts faults into the words of Options.OnInvalid.
func (e *executor) ExplainViolations(faults []tool.Violation) string {
	if e.o.OnInvalid == nil {
		return ""
	}
	return e.o.OnInvalid(faults)
}

// Digest names the definition with its version, or is "" without one. It implements
// tool.Identified.
func (e *executor) Digest(context.Context) (string, error) {
	s := e.o.Spec
	if s.Version == "" {
		return "", nil
	}
	said := fmt.Appendf(nil, "native %q %q %q %q %q", s.Name, s.Version, s.Description, s.Parameters, s.Result)
	return fmt.Sprintf("sha256:%x", sha256.Sum256(said)), nil
}

// Describe works out the definition.
func (d dynamic) Describe(ctx context.Context, _ capability.Grant) (tool.Definition, error) {
	return watch(ctx, d.executor, d.o.Init)
}

// Execute calls the function.
func (e *executor) Execute(ctx context.Context, in tool.Invocation) (tool.Result, error) {
	if e.closed.Load() {
		return tool.Result{}, &tool.Error{Code: tool.CodeNotFound, Message: "the tool was removed"}
	}
	return watch(ctx, e, func(ctx context.Context) (tool.Result, error) { return e.run(ctx, in) })
}

// grace is how long a function has to return once its context is done; it is part of what
// a call may take beyond its deadline.
const grace = 100 * time.Millisecond

// watch runs a function of the embedder and waits for it, but not much longer than ctx. A
// panic of it is one of the caller's, who knows where to write it down.
func watch[T any](ctx context.Context, e *executor, run func(ctx context.Context) (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
		crash any
	}
	var none T
	if left := e.abandoned.Load(); left >= int64(e.o.MaxAbandoned) {
		full := tool.Errorf(tool.CodeResourceExhausted, "%d earlier calls did not stop at their deadline and still run; try again later", left)
		full.Details.Limit = "abandoned calls"
		return none, full
	}
	done := make(chan outcome, 1)
	go func() {
		o := outcome{err: errors.New("the function ended its goroutine")}
		defer func() {
			if p := recover(); p != nil {
				o.crash = crash{p, debug.Stack()}
			}
			done <- o
		}()
		o.value, o.err = run(ctx)
	}()
	var late <-chan time.Time
	for stop := ctx.Done(); ; {
		select {
		case o := <-done:
			if o.crash != nil {
				panic(o.crash)
			}
			return o.value, failure(ctx, o.err)
		case <-stop:
			stop, late = nil, time.After(grace)
		case <-late:
			e.abandoned.Add(1)
			go func() {
				<-done
				e.abandoned.Add(-1)
			}()
			return none, tool.Ended(ctx, "the function did not stop when it was told to, and was left behind")
		}
	}
}

// crash is a panic on its way from the goroutine of a function to that of the call.
type crash struct {
	value any
	stack []byte
}

func (c crash) String() string { return fmt.Sprintf("%v\n%s", c.value, c.stack) }

// maxMessage bounds what of an error's text goes into a message, in bytes.
const maxMessage = 8 << 10

// failure turns an error of a function into one of the tool's vocabulary.
func failure(ctx context.Context, err error) error {
	var already *tool.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &already):
		return err
	case ctx.Err() != nil:
		return tool.Ended(ctx, "the function was stopped").WithCause(errors.Join(ctx.Err(), err))
	}
	text := plaintext.Short(strings.ToValidUTF8(err.Error(), "\uFFFD"), maxMessage)
	return (&tool.Error{Code: tool.CodeExecution, Message: "the tool says: " + text, Recoverable: true}).WithCause(err)
}
