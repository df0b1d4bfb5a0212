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

	abandoned atomic.Int64 // running functions that no call waits for
	closed    atomic.Bool
}

// dynamic is an executor with Options.Init, which returns the definition.
type dynamic struct{ *executor }

// Prepare does nothing: there is nothing to load.
func (e *executor) Prepare(context.Context) error { return nil }

// Close refuses later calls. Running functions continue.
func (e *executor) Close() error {
	e.closed.Store(true)
	return nil
}

// ExplainViolations returns the message of Options.OnInvalid.
func (e *executor) ExplainViolations(violations []tool.Violation) string {
	if e.o.OnInvalid == nil {
		return ""
	}
	return e.o.OnInvalid(violations)
}

// Digest identifies the definition and its version; "" without a version. It implements
// [tool.Identified].
func (e *executor) Digest(context.Context) (string, error) {
	s := e.o.Spec
	if s.Version == "" {
		return "", nil
	}
	definition := fmt.Appendf(nil, "native %q %q %q %q %q", s.Name, s.Version, s.Description, s.Parameters, s.Result)
	return fmt.Sprintf("sha256:%x", sha256.Sum256(definition)), nil
}

// Describe calls Options.Init.
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

// grace limits how long a function may take to return after its context is done. It is part of the
// time by which a call can exceed its deadline.
const grace = 100 * time.Millisecond

// watch calls a function of the embedder on another goroutine. After ctx is done, it waits for the
// function for at most grace. If the function panics, watch panics, because its caller logs panics.
func watch[T any](ctx context.Context, e *executor, run func(ctx context.Context) (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
		crash any
	}
	var none T
	if left := e.abandoned.Load(); left >= int64(e.o.MaxAbandoned) {
		full := tool.Errorf(tool.CodeResourceExhausted, "%d earlier calls did not stop at their deadline and are still running; try again later", left)
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
			return none, tool.Ended(ctx, "the function did not stop at the deadline and was left running")
		}
	}
}

// crash carries a panic from the goroutine of a function to the goroutine of the call.
type crash struct {
	value any
	stack []byte
}

func (c crash) String() string { return fmt.Sprintf("%v\n%s", c.value, c.stack) }

// maxMessage limits the part of an error that goes into a message, in bytes.
const maxMessage = 8 << 10

// failure converts the error of a function into a *tool.Error.
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
