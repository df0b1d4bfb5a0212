package runtime

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/internal/callqueue"
	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
	"github.com/wasmtool/wasmtool/runtime/internal/pool"
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
	// Fuel bounds what the guest runs, in units of about one simple instruction, up to
	// Options.MaxFuel; 0 means that only the deadline and MaxFuel do. What a guest uses
	// is equal in equal calls. A guest that used more ends with ResourceExhausted at its
	// next check.
	Fuel uint64
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
	// Input is what a command reads from its standard input and any other module as its
	// input. It must not change while the call runs.
	Input []byte
	// Config is the configuration that an Extism plug-in can ask for by name; others do
	// not see it. Nil has nothing. It must not change while the call runs.
	Config map[string]string
	// Bindings are what the guest may reach; required. The caller owns them and
	// closes them after Call has returned.
	Bindings *hostfuncs.Bindings
	// Limits bounds the call.
	Limits Limits
	// Tenant is for whom the call is made: calls that wait for a place get it in turn by
	// tenant. Empty is a tenant like any other. It decides about nothing else; what a
	// tenant may reach is in Bindings.
	Tenant string
	// Warm, if not empty, is the input of a call that is made on each new instance of a
	// reactor before any other, to have its caches filled. It reaches no files, its
	// output is dropped, and what it leaves in the guest's memory is there in every
	// call. When it fails, instances are used as they were before; where instances are
	// not saved, because the module or the system does not allow it, there is none.
	Warm []byte
}

// Output is what a guest wrote, whether or not it ended well.
type Output struct {
	// Output is all of the output. It is empty when the call failed.
	Output []byte
	// Failure is the beginning of the error text of a reactor or a plug-in that failed,
	// and FailureDropped how many bytes came after it.
	Failure        []byte
	FailureDropped int64
	// Stderr is the end of the diagnostics, and StderrDropped how many bytes came
	// before it.
	Stderr        []byte
	StderrDropped int64
	// Duration is the time that the guest had, and what it waited for after the first of
	// Waited.
	Duration time.Duration
	// Waited is how long the call waited for others: for a place among those that run, and
	// for its turn to make an instance that takes long. For a call that hangs in the host it
	// is the first of the two.
	Waited time.Duration
	// Fuel is what the guest used, its start included, and Memory how many bytes it had
	// in the end. Both are 0 for a call that hangs in the host.
	Fuel   uint64
	Memory uint64
	// Reused says that the instance had served a call before, and was reset.
	Reused bool
}

// Call runs the module and waits for its end. The guest runs on an instance that is as
// if it had just been started: a new one, or one that was reset after an earlier call.
// The deadline of ctx bounds it: Call returns by then plus a short grace (see the
// package documentation), and guest code has stopped. The error is an *Error; the
// Output is filled as far as it goes in either case. Calls may run concurrently.
func (m *Module) Call(ctx context.Context, call Call) (Output, error) {
	c := m.c
	request := c.request(call)
	if err := c.check(ctx, request); err != nil {
		return Output{}, err
	}
	asked := time.Now()
	turn, err := c.admit(ctx, call.Tenant)
	waited := time.Since(asked)
	if err != nil {
		return Output{Waited: waited}, err
	}
	if !c.begin() {
		turn.Leave()
		return Output{Waited: waited}, &Error{Reason: Cancelled, Message: "the module is closed", cause: abi.ErrClosed}
	}
	s := abi.NewCall(ctx, c.r.process, request)
	hangs, engineErr := c.execute(s, turn)
	err = ending(s, engineErr)

	out := Output{Duration: time.Since(s.Started), Waited: waited}
	out.Stderr, out.StderrDropped = s.Diagnostics()
	output := s.Output()
	if err == nil {
		out.Output = output
	}
	if hangs {
		return out, err // the guest's goroutine may still write the rest
	}
	out.Fuel, out.Memory, out.Reused = s.FuelUsed(), s.Memory.Size, s.Reused
	out.Waited += s.Waited
	var e *Error
	if errors.As(err, &e) && e.Reason == Failed {
		out.Failure, out.FailureDropped = s.Failure.Data, s.Failure.Dropped
	}
	return out, err
}

// request completes a call and cuts its limits down to the ceilings.
func (c *compiled) request(call Call) abi.Request {
	limits := abi.Limits{
		Memory: min(cmp.Or(call.Limits.Memory, DefaultMemory), c.r.opts.MaxMemory),
		Output: cmp.Or(max(call.Limits.Output, 0), DefaultOutput),
		Stderr: cmp.Or(max(call.Limits.Stderr, 0), DefaultStderr),
		Fuel:   call.Limits.Fuel,
	}
	if most := c.r.opts.MaxFuel; most > 0 && (limits.Fuel == 0 || limits.Fuel > most) {
		limits.Fuel = most
	}
	return abi.Request{
		Entry: abi.Entry{Form: abi.Form(call.Entry.ABI), Export: call.Entry.Export}.WithDefaults(),
		Name:  cmp.Or(call.Name, "tool"), Args: call.Args, Input: call.Input, Config: call.Config, Bindings: call.Bindings,
		Limits: limits, Tenant: call.Tenant, Warm: call.Warm,
	}
}

// check refuses a call that cannot go well, before it waits for anything.
func (c *compiled) check(ctx context.Context, call abi.Request) error {
	if err := ctx.Err(); err != nil {
		return endOfContext(err, "the call did not start")
	}
	if needs := c.engine.Report.Memory; needs != nil && needs.Min > call.Limits.Memory/guestmem.PageSize {
		return exhausted(nil, LimitMemory, "the module needs at least %d bytes of memory and may have %d; raise the memory limit",
			needs.Min*guestmem.PageSize, call.Limits.Memory)
	}
	if _, err := abi.FindEntry(c.engine.Report, call.Entry.Form, call.Entry.Export); err != nil {
		return invalid(nil, "%s", err)
	}
	return c.tooManyAbandoned()
}

// execute runs the call and gives its place back when the guest has ended. The error is
// the engine's; see ending. hangs says that the guest was left behind in the host.
func (c *compiled) execute(s *abi.Call, turn *callqueue.Turn) (hangs bool, err error) {
	if !s.Bindings.MayHang() {
		// All that the guest can do ends soon after the call's context, so it need not
		// be left behind, and the caller's goroutine is good enough.
		defer c.leave(turn)
		return false, c.pool.Run(s)
	}
	ended := make(chan error, 1)
	go func() {
		err := pool.ErrEnginePanic // for a listener that ends the goroutine (runtime.Goexit)
		defer func() {
			c.leave(turn) // before the call returns: its caller finds the place free
			ended <- err
		}()
		err = c.pool.Run(s)
	}()
	return c.wait(s, ended)
}

// admit waits for a place for a call among those that run; the caller leaves it.
func (c *compiled) admit(ctx context.Context, tenant string) (*callqueue.Turn, error) {
	turn, err := c.r.calls.Enter(ctx, callqueue.Need{Tenant: tenant, Class: &c.calls})
	switch {
	case err == nil:
		return turn, nil
	case errors.Is(err, callqueue.ErrFull):
		return nil, exhausted(nil, LimitCalls, "%d calls run and %d wait already; try again later", c.r.opts.MaxCalls, max(0, c.r.opts.MaxWaiting))
	case errors.Is(err, callqueue.ErrClosed):
		return nil, errClosed()
	}
	return nil, endOfContext(ctx.Err(), "the call waited for a place among those that run")
}

// leave gives back the place of a call that has ended.
func (c *compiled) leave(turn *callqueue.Turn) {
	turn.Leave()
	c.done()
}

// wait returns how the call ended. Once the call must not go on, the guest gets a grace
// to stop; a call that hangs in the host beyond it is abandoned: its goroutine is left
// behind and counted until it returns.
func (c *compiled) wait(s *abi.Call, ended <-chan error) (hangs bool, err error) {
	select {
	case err := <-ended:
		return false, err
	case <-s.Context().Done():
	case <-c.r.closing.Done():
	}
	s.Bindings.Files.Revoke() // wherever the guest or the host is with them
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case err := <-ended:
		return false, err
	case <-timer.C:
	}
	// Of one module, no more count against the others than it may have; its places bound
	// the rest.
	counts := int64(0)
	if c.abandoned.Add(1) <= c.mayAbandon() {
		counts = 1
	}
	c.r.abandoned.Add(counts)
	go func() {
		<-ended
		c.r.abandoned.Add(-counts)
		c.abandoned.Add(-1)
	}()
	s.MayGoOn() // notes why not
	return true, s.Stopped()
}

// mayAbandon is how many calls of one module may hang.
func (c *compiled) mayAbandon() int64 { return max(1, int64(c.r.opts.MaxAbandoned)/4) }

// tooManyAbandoned refuses a call when too many earlier ones hang in the host: first
// those of the module whose calls do, so that it cannot shut out the others.
func (c *compiled) tooManyAbandoned() error {
	all, own := c.r.abandoned.Load(), c.abandoned.Load()
	if all < int64(c.r.opts.MaxAbandoned) && own < c.mayAbandon() {
		return nil
	}
	return exhausted(nil, LimitAbandoned, "%d earlier calls hang in the host, %d of them of this module; try again when they have returned", all, own)
}
