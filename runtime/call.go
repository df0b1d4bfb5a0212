package runtime

import (
	"cmp"
	"context"
	"errors"
	goruntime "runtime"
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
	// Memory limits the linear memory in bytes, up to [Options].MaxMemory. It is rounded down to
	// pages of 64 KiB. Growth beyond the limit fails in the guest.
	Memory uint64
	// Output limits what the guest may write to its standard output, in bytes. A write that would
	// exceed the limit ends the call with ResourceExhausted.
	Output int64
	// Stderr is the number of bytes kept from the end of the guest's error stream. Writing more is
	// not an error.
	Stderr int
	// Fuel limits how much the guest runs, up to [Options].MaxFuel, in units of about one simple
	// instruction; 0 means that only the deadline and MaxFuel apply. Equal calls use equal fuel. A
	// guest that exceeds the limit ends with ResourceExhausted at its next check.
	Fuel uint64
}

// Call is one run of a module.
type Call struct {
	// Entry is how the module is called, as [Module.Entry] returned it; the zero value runs a
	// command.
	Entry Entry
	// Name is argv[0]: the tool's name, never a path of the host. Empty means
	// "tool".
	Name string
	// Args are the arguments after argv[0]. None may contain a NUL byte.
	Args []string
	// Input is the standard input of a command, and the input of any other module. It must not
	// change while the call runs.
	Input []byte
	// Config is the configuration that an Extism plug-in reads by name; other modules do not see
	// it. Nil means empty. It must not change while the call runs.
	Config map[string]string
	// Bindings contain everything that the guest has access to, such as files and HTTP; required.
	// The caller owns them and closes them after Call has returned.
	Bindings *hostfuncs.Bindings
	// Limits bounds the call.
	Limits Limits
	// Tenant is the tenant on whose behalf the call is made. Tenants take turns when calls wait for
	// a place among the running calls. The empty string is a tenant like any other. Tenant has no
	// effect on access, which Bindings define.
	Tenant string
	// Warm is the input of a warm-up call; empty means none. A reactor gets the warm-up call on
	// each new instance before any other call, so that its caches are filled. The warm-up call has
	// no access to files, and its output is dropped. Every later call sees what the warm-up call
	// left in the guest's memory. If the warm-up call fails, instances are used in their state
	// before it. If instances of the module cannot be saved, or this system cannot save any, there
	// is no warm-up call.
	Warm []byte
	// Inside means that the call takes the place of a running call, which waits for it: it does not
	// count among the running calls, and does not wait for a place.
	Inside bool
}

// Output is what a guest wrote, whether or not it succeeded.
type Output struct {
	// Output is the complete output. It is empty when the call failed.
	Output []byte
	// Partial is what the guest had written to its output when the call failed. Otherwise it is
	// empty.
	Partial []byte
	// Failure is the beginning of the error message of a reactor or plug-in that failed.
	// FailureDropped is the number of bytes that were cut off after it.
	Failure        []byte
	FailureDropped int64
	// Stderr is the end of the error stream, and StderrDropped the number of bytes dropped before
	// it.
	Stderr        []byte
	StderrDropped int64
	// Duration is how long the guest ran. It includes the wait for a turn to create an expensive
	// instance.
	Duration time.Duration
	// Waited is how long the call waited for other calls: first for a place among the running
	// calls, then for its turn to create an expensive instance. If the call hangs in the host,
	// Waited is only the first wait.
	Waited time.Duration
	// Fuel is the fuel that the guest used, including its start. Memory is the size of its memory
	// in bytes at the end. Both are 0 for a call that hangs in the host.
	Fuel   uint64
	Memory uint64
	// Reused reports whether the instance had served an earlier call and was reset.
	Reused bool
}

// Call runs the module and waits until it has ended. The guest runs on an instance in the state
// after its start: a new instance, or one that was reset after an earlier call.
//
// The deadline of ctx bounds the call. Call returns by the deadline plus a short grace period (see
// the package documentation), and guest code has stopped by then. A non-nil error is an [*Error];
// the Output is then filled as far as possible. Calls may run concurrently.
func (m *Module) Call(ctx context.Context, call Call) (Output, error) {
	out, _, err := m.c.serve(ctx, m.c.request(call), call.Inside)
	return out, err
}

// Start runs a command until it first reads its input, and ends it there. The result unsaved is why
// this start cannot be saved, so that each call needs a new instance, or "". If the command ends
// before it reads, ended is true, and Output and error are as for Call.
func (m *Module) Start(ctx context.Context, call Call) (unsaved string, ended bool, out Output, err error) {
	request := m.c.request(call)
	request.StartOnly = true
	out, s, err := m.c.serve(ctx, request, call.Inside)
	if errors.Is(err, abi.ErrStarted) {
		return s.Unsaved, false, Output{}, nil
	}
	return "", true, out, err
}

// serve runs a call. The result s is nil if the call did not start.
func (c *compiled) serve(ctx context.Context, request abi.Request, inside bool) (out Output, s *abi.Call, err error) {
	if err := c.check(ctx, request); err != nil {
		return Output{}, nil, err
	}
	turn, waited, err := c.admit(ctx, callqueue.Need{Tenant: request.Tenant, Class: &c.calls, Inside: inside})
	if err != nil {
		return Output{Waited: waited}, nil, err
	}
	if waited > 0 {
		// The call that ended woke this goroutine, so Go's scheduler runs it before all others. If
		// each call woke the next one like this, a call that was preempted would wait for 10 ms.
		goruntime.Gosched()
	}
	if !c.begin() {
		turn.Leave()
		return Output{Waited: waited}, nil, errModuleClosed()
	}
	s = abi.NewCall(ctx, c.r.process, request)
	hangs, engineErr := c.execute(s, turn)
	err = ending(s, engineErr)

	out = Output{Waited: waited}
	out.Stderr, out.StderrDropped = s.Diagnostics()
	output := s.Output()
	if err == nil {
		out.Output = output
	} else {
		out.Partial = output
	}
	if hangs {
		out.Duration = time.Since(s.Started)
		return out, s, err // the guest's goroutine may still write the rest
	}
	out.Duration = s.Ended.Sub(s.Started)
	out.Fuel, out.Memory, out.Reused = s.FuelUsed(), s.Memory.Size, s.Reused
	out.Waited += s.Waited
	if e, ok := errors.AsType[*Error](err); ok && e.Reason == Failed {
		out.Failure, out.FailureDropped = s.Failure.Data, s.Failure.Dropped
	}
	return out, s, err
}

// request fills in the defaults of a call, and lowers limits that exceed the Runtime's ceilings.
func (c *compiled) request(call Call) abi.Request {
	limits := abi.Limits{
		Memory: min(cmp.Or(call.Limits.Memory, DefaultMemory), c.r.opts.MaxMemory),
		Output: cmp.Or(max(call.Limits.Output, 0), DefaultOutput),
		Stderr: cmp.Or(max(call.Limits.Stderr, 0), DefaultStderr),
		Fuel:   call.Limits.Fuel,
	}
	if ceiling := c.r.opts.MaxFuel; ceiling > 0 && (limits.Fuel == 0 || limits.Fuel > ceiling) {
		limits.Fuel = ceiling
	}
	return abi.Request{
		Entry: abi.Entry{Form: abi.Form(call.Entry.ABI), Export: call.Entry.Export}.WithDefaults(),
		Name:  cmp.Or(call.Name, "tool"), Args: call.Args, Input: call.Input, Config: call.Config, Bindings: call.Bindings,
		Limits: limits, Tenant: call.Tenant, Warm: call.Warm,
	}
}

// check refuses a call that cannot succeed, before it waits for anything.
func (c *compiled) check(ctx context.Context, call abi.Request) error {
	if err := ctx.Err(); err != nil {
		return endOfContext(err, "the call did not start")
	}
	if needs := c.engine.Report.Memory; needs != nil && needs.Min > call.Limits.Memory/guestmem.PageSize {
		return exhausted(nil, LimitMemory, "the module needs at least %d bytes of memory, but the limit is %d; raise the memory limit",
			needs.Min*guestmem.PageSize, call.Limits.Memory)
	}
	for _, m := range call.Bindings.Mounts {
		if c.base != nil && hidesData(m.GuestPath()) {
			return invalid(nil, "the mount %s is at %s, where the module has its own files; mount it elsewhere", m.Mount, m.GuestPath())
		}
	}
	if _, err := abi.FindEntry(c.engine.Report, call.Entry.Form, call.Entry.Export); err != nil {
		return invalid(nil, "%s", err)
	}
	return c.tooManyAbandoned()
}

// execute runs the call and releases its place when the guest has ended. err is the engine's error,
// which the function named ending converts. hangs reports whether the guest still hangs in the host
// and was left behind.
func (c *compiled) execute(s *abi.Call, turn *callqueue.Turn) (hangs bool, err error) {
	// A module with data can also call listeners through the host's file.
	if listens := c.base != nil || c.engine.Listens; !s.Bindings.MayHang(listens) {
		// Every operation of this guest ends soon after the call's context. So the guest never has
		// to be left behind, and can run on the caller's goroutine.
		defer c.leave(turn)
		return false, c.pool.Run(s)
	}
	ended := make(chan error, 1)
	go func() {
		err := pool.ErrEnginePanic // applies when a listener ends the goroutine (runtime.Goexit)
		defer func() {
			c.leave(turn) // before the call returns, so that the caller finds the place free
			ended <- err
		}()
		err = c.pool.Run(s)
	}()
	return c.wait(s, ended)
}

// admit waits until the call may run. The caller must release the returned place with leave.
func (c *compiled) admit(ctx context.Context, need callqueue.Need) (turn *callqueue.Turn, waited time.Duration, err error) {
	turn, waited, err = c.r.calls.Enter(ctx, need)
	switch {
	case err == nil:
	case errors.Is(err, callqueue.ErrFull):
		err = exhausted(nil, LimitCalls, "%d calls are running and %d are waiting; try again later", c.r.opts.MaxCalls, max(0, c.r.opts.MaxWaiting))
	case errors.Is(err, callqueue.ErrClosed):
		err = errClosed()
	default:
		err = endOfContext(ctx.Err(), "the call was waiting for a place among the running calls")
	}
	return turn, waited, err
}

// leave releases the place of a call that has ended.
func (c *compiled) leave(turn *callqueue.Turn) {
	turn.Leave()
	c.done()
}

// wait waits for the guest to end and returns the engine's error. When the call must stop, the
// guest gets a grace period. A call that still hangs in the host after the grace period is
// abandoned: its goroutine is left behind, and counted until it returns.
func (c *compiled) wait(s *abi.Call, ended <-chan error) (hangs bool, err error) {
	select {
	case err := <-ended:
		return false, err
	case <-s.Context().Done():
	case <-c.r.closing.Done():
	}
	s.Bindings.Files.Revoke()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case err := <-ended:
		return false, err
	case <-timer.C:
	}
	// Each module adds at most mayAbandon calls to the number that is limited for all modules. Its
	// further abandoned calls are bounded by the number of calls that the module may run.
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
	s.MayGoOn() // called because it records why the call stopped
	return true, s.Stopped()
}

// mayAbandon returns how many calls of one module may hang in the host.
func (c *compiled) mayAbandon() int64 { return max(1, int64(c.r.opts.MaxAbandoned)/4) }

// tooManyAbandoned refuses a call when too many earlier calls hang in the host. The limit for one
// module is lower, so that a module whose calls hang cannot block the other modules.
func (c *compiled) tooManyAbandoned() error {
	all, ofModule := c.r.abandoned.Load(), c.abandoned.Load()
	if all < int64(c.r.opts.MaxAbandoned) && ofModule < c.mayAbandon() {
		return nil
	}
	return exhausted(nil, LimitAbandoned, "%d earlier calls hang in the host, %d of them of this module; try again after they have returned", all, ofModule)
}
