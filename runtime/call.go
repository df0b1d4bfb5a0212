package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
)

// Defaults of Limits.
const (
	DefaultMemory = 64 << 20 // bytes
	DefaultOutput = 1 << 20  // bytes
	DefaultStderr = 16 << 10 // bytes
)

// Limits bounds one call. A zero field means its default.
type Limits struct {
	// Memory bounds the linear memory in bytes, up to Options.MaxMemory; parts of a
	// page of 64 KiB don't count. A guest that needs more sees its growth refused.
	Memory uint64
	// Output bounds what the guest may write to its standard output, in bytes.
	// The write that would pass it ends the call with ResourceExhausted.
	Output int64
	// Stderr is how many bytes of the end of the guest's error stream are kept.
	// Writing more is no error.
	Stderr int
}

func (l Limits) withDefaults() Limits {
	if l.Memory == 0 {
		l.Memory = DefaultMemory
	}
	if l.Output <= 0 {
		l.Output = DefaultOutput
	}
	if l.Stderr <= 0 {
		l.Stderr = DefaultStderr
	}
	return l
}

// Call is one run of a module.
type Call struct {
	// Entry is how the module is called, as Module.Entry returned it; the zero value
	// runs a command.
	Entry Entry
	// Name is argv[0]: the tool's name, never a path of the host. Empty means
	// "tool".
	Name string
	// Args are the arguments after it. None may hold a NUL byte.
	Args []string
	// Input is what a command reads from its standard input and a reactor as its
	// input. It must not change while the call runs.
	Input []byte
	// Bindings are what the guest may reach; required. The caller owns them and
	// closes them after Call has returned.
	Bindings *hostfuncs.Bindings
	// Limits bounds the call.
	Limits Limits
}

// Output is what a guest wrote, whether or not it ended well.
type Output struct {
	// Output is all of the output. It is empty when the call failed.
	Output []byte
	// Failure is the error text of a reactor that failed.
	Failure []byte
	// Stderr is the end of the diagnostics, and StderrDropped how many bytes came
	// before it.
	Stderr        []byte
	StderrDropped int64
	// Duration is the time that the guest had.
	Duration time.Duration
}

// Call runs the module on a fresh instance and waits for its end.
// The deadline of ctx bounds it: Call returns by then plus a short grace (see the
// package documentation), and guest code has stopped. The error is an *Error; the
// Output is filled as far as it goes in either case. Calls may run concurrently.
func (m *Module) Call(ctx context.Context, call Call) (Output, error) {
	c := m.c
	limits := call.Limits.withDefaults()
	limits.Memory = min(limits.Memory, c.r.opts.MaxMemory)
	if err := ctx.Err(); err != nil {
		return Output{}, endOfContext(err, "the call did not start")
	}
	if needs := c.report.Memory; needs != nil && needs.Min > limits.Memory/pageBytes {
		return Output{}, &Error{
			Reason: ResourceExhausted, Limit: LimitMemory,
			Message: fmt.Sprintf("the module needs at least %d bytes of memory and may have %d; raise the memory limit",
				needs.Min*pageBytes, limits.Memory),
		}
	}
	if err := c.tooManyAbandoned(); err != nil {
		return Output{}, err
	}
	select {
	case c.r.calls <- struct{}{}:
		defer func() { <-c.r.calls }()
	case <-ctx.Done():
		return Output{}, endOfContext(ctx.Err(), "the call waited for a place among those that run")
	}
	if !c.begin() {
		return Output{}, &Error{Reason: Cancelled, Message: "the module is closed", cause: errClosed}
	}

	entry := call.Entry.withDefaults()
	if _, err := findEntry(c.report, entry.ABI, entry.Export); err != nil {
		c.done()
		return Output{}, err
	}
	started := time.Now()
	s := newCallState(ctx, call, limits)
	stopOnClose := context.AfterFunc(c.r.closing, func() { s.stop(errClosed) })
	ended := make(chan error, 1)
	go func() {
		defer c.done()
		defer stopOnClose()
		ended <- c.run(s)
	}()

	err := c.wait(s, ended)
	out := Output{Duration: time.Since(started)}
	out.Stderr, out.StderrDropped = s.stderr.take()
	output := s.stdout.take()
	if err == nil {
		out.Output = output
	}
	var e *Error
	if errors.As(err, &e) && e.Reason == Failed {
		out.Failure = s.failure.data // the call has ended, so nobody writes it
	}
	return out, err
}

// wait returns how the call ended. Once the call's context is done, the guest gets
// a grace to stop; a call that hangs in the host beyond it is abandoned: its
// goroutine is left behind and counted until it returns.
func (c *compiled) wait(s *callState, ended <-chan error) error {
	select {
	case err := <-ended:
		return s.ending(err)
	case <-s.ctx.Done():
	}
	timer := time.NewTimer(c.r.grace)
	defer timer.Stop()
	select {
	case err := <-ended:
		return s.ending(err)
	case <-timer.C:
	}
	c.r.abandoned.Add(1)
	c.abandoned.Add(1)
	go func() {
		<-ended
		c.r.abandoned.Add(-1)
		c.abandoned.Add(-1)
	}()
	return s.ending(context.Cause(s.ctx))
}

// tooManyAbandoned refuses a call when too many earlier ones hang in the host: first
// those of the module whose calls do, so that it cannot shut out the others.
func (c *compiled) tooManyAbandoned() error {
	all, own := c.r.abandoned.Load(), c.abandoned.Load()
	most := int64(c.r.opts.MaxAbandoned)
	if all < most && own < max(1, most/4) {
		return nil
	}
	return &Error{
		Reason: ResourceExhausted, Limit: LimitAbandoned,
		Message: fmt.Sprintf("%d earlier calls hang in the host, %d of them of this module; try again when they have returned", all, own),
	}
}
