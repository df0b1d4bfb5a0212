package abi

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/runtime/internal/guestfs"
	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// Guest is a running module as host functions see it: the call that it serves, its memory and its
// fuel. Host functions, streams and files find the call through it.
type Guest struct {
	Module api.Module
	Memory *guestmem.Memory

	engine   *Engine
	options  GuestOptions
	late     []api.Module  // the late parts that were needed so far
	shared   *sharedMemory // nil unless the guest is a plug-in
	preopens []preopen
	// current is the call being served. While it is nil, the guest has no access to anything.
	current atomic.Pointer[Call]
	// fuel is the fuel that the guest has left. When it is below 0, the guest calls refill.
	fuel api.MutableGlobal

	// started reports whether the start of the guest has ended. Until then, everything that the
	// guest reads becomes part of a snapshot. tainted is why the guest cannot be saved.
	// taintedForNow reports whether the next instance might not have this problem.
	started       bool
	tainted       string
	taintedForNow bool
	traces        guestfs.Traces
	// startRandom is what the guest draws from until it first looks at the files of its tool; nil
	// means the randomness of the call.
	startRandom *rand.ChaCha8
	// streamsClosed reports whether the guest closed a descriptor that was open at its start.
	streamsClosed bool
}

// GuestOptions are what a Guest needs from its owner.
type GuestOptions struct {
	// Memory creates the memories. Account is called with the change before the memory grows or
	// shrinks; it returns false to refuse growth.
	Memory  *guestmem.System
	Account func(delta int64) bool
	// Data are the guest's own files, at DataPath; nil means none.
	Data *guestfs.Data
	// Resumer is called where a command can be saved and resumed.
	Resumer Resumer
}

// Resumer saves a command before it first reads its input, and resumes it from that point.
type Resumer interface {
	// Enter is called when the command begins.
	Enter()
	// Checkpoint is called before each read. Its context contains what the engine needs to save a
	// call stack to which Enter can return.
	Checkpoint(ctx context.Context)
}

// ErrNoMemory is the error of a call that cannot get the initial memory of its module.
var ErrNoMemory = errors.New("no memory")

// NewGuest makes a guest whose start is part of the call c. It runs none of the guest's code.
func (e *Engine) NewGuest(c *Call, o GuestOptions) (*Guest, error) {
	g := &Guest{engine: e, options: o, preopens: preopensFor(o.Data != nil, c.Bindings.Mounts)}
	g.Memory = o.Memory.New(guestmem.Options{Limit: c.Limits.Memory, Account: g.account})
	g.current.Store(c)
	if err := g.link(c); err != nil {
		g.measure(c)
		g.free()
		return nil, err
	}
	g.giveKernel(c)
	g.fuel = g.Module.ExportedGlobal(rewrite.ExportFuel).(api.MutableGlobal)
	e.guests.Store(g.Module, g)
	return g, nil
}

// link instantiates the module with its imports.
func (g *Guest) link(c *Call) error {
	// Try to allocate the initial memory first, because the engine panics when it cannot.
	if needs := g.engine.Report.Memory; needs != nil && g.Memory.Reallocate(needs.Min*guestmem.PageSize) == nil {
		return ErrNoMemory
	}
	ctx, err := g.shareMemory(context.Background(), c)
	if err != nil {
		return err
	}
	// The engine takes its memory allocator only from this context.
	ctx = experimental.WithMemoryAllocator(ctx, oneMemory{g.Memory})
	g.Module, err = g.engine.runtime.InstantiateModule(ctx, g.engine.module, g.config(c))
	return err
}

// moduleConfig returns the configuration common to all modules. Modules have no names, because
// equal names would collide. No function runs at instantiation.
func moduleConfig() wazero.ModuleConfig {
	return wazero.NewModuleConfig().WithName("").WithStartFunctions()
}

// account is called before the memory of the guest grows or shrinks; it returns false to refuse
// growth.
func (g *Guest) account(delta int64) bool {
	c := g.current.Load()
	if c != nil && delta > 0 && g.Size()+uint64(delta) > c.Limits.Memory {
		return false // the limit includes the memory that a plug-in shares with the host
	}
	if g.options.Account(delta) {
		return true
	}
	if c != nil {
		c.Memory.SharedFull = true
	}
	g.TaintForNow("it was refused memory during its start, because other guests use the memory")
	return false
}

// oneMemory allocates the memory of one instance.
type oneMemory struct{ memory *guestmem.Memory }

// Allocate implements experimental.MemoryAllocator.
func (o oneMemory) Allocate(_, _ uint64) experimental.LinearMemory { return o.memory }

// Size returns the memory of the guest in bytes, including memory shared with the host.
func (g *Guest) Size() uint64 { return g.Memory.Size() + g.SharedSize() }

// SharedSize returns the memory in bytes that a plug-in shares with the host.
func (g *Guest) SharedSize() uint64 { return g.shared.size() }

// Serve prepares a reset guest for a call. startFuel is the fuel that its start used.
func (g *Guest) Serve(c *Call, startFuel uint64) {
	g.fuel.Set(uint64(c.fuel.begin(startFuel, c.Started)))
	g.current.Store(c)
	g.giveKernel(c)
}

// ServeBetween interrupts the current call: while the function run is executed, the guest serves c.
// The fuel of c is not charged to the current call.
func (g *Guest) ServeBetween(c *Call, run func() error) error {
	current, left := g.current.Load(), g.fuel.Get()
	g.fuel.Set(uint64(c.fuel.begin(0, c.Started)))
	g.current.Store(c)
	err := run()
	g.measure(c)
	g.current.Store(current)
	g.fuel.Set(left)
	return err
}

// Current returns the call being served, or nil.
func (g *Guest) Current() *Call { return g.current.Load() }

// FuelUsed returns the fuel that the current call has used so far.
func (g *Guest) FuelUsed() uint64 { return g.current.Load().fuel.usedWith(int64(g.fuel.Get())) }

// Settle records the end of a call that the guest served, with its fuel and memory.
func (g *Guest) Settle(c *Call) {
	c.Ended = time.Now()
	c.fuel.settle(int64(g.fuel.Get()))
	g.measure(c)
}

// measure records the memory of a call.
func (g *Guest) measure(c *Call) {
	c.Memory.Size = g.Size()
	c.Memory.Refused = g.Memory.Refused() || g.shared.refused()
}

// Rest detaches the guest from its call. ResetShared must follow before the next call.
func (g *Guest) Rest() { g.current.Store(nil) }

// ResetShared resets the memory that a plug-in shares with the host to its state before a call.
func (g *Guest) ResetShared() error { return g.shared.clear() }

// Close frees the guest.
func (g *Guest) Close() {
	g.Rest()
	g.engine.guests.Delete(g.Module)
	for _, late := range g.late {
		_ = late.Close(context.Background())
	}
	_ = g.Module.Close(context.Background())
	g.free()
}

func (g *Guest) free() {
	g.shared.close()
	g.Memory.Free()
}

// Start runs what precedes the call itself: the start function, and the initialisation of a reactor
// or plug-in.
func (g *Guest) Start(entry Entry) error {
	if err := g.run(rewrite.ExportStart); err != nil {
		return err
	}
	switch entry.Form {
	case Reactor:
		return g.run(initializeExport)
	case Extism:
		return g.startExtism(entry)
	}
	return nil
}

// run calls an exported function of the guest, if it exists.
func (g *Guest) run(export string, params ...uint64) error {
	f := g.Module.ExportedFunction(export)
	if f == nil {
		return nil
	}
	_, err := f.Call(context.Background(), params...)
	return err
}

// startExtism initialises a plug-in, unless the call itself runs the initialiser.
func (g *Guest) startExtism(entry Entry) error {
	if err := g.current.Load().Stopped(); err != nil || entry.Export == CommandExport {
		return err
	}
	at := slices.IndexFunc(extismInitializers, func(name string) bool { return g.Module.ExportedFunction(name) != nil })
	if at >= 0 && entry.Export != extismInitializers[at] {
		if err := g.run(extismInitializers[at]); err != nil {
			return err
		}
	}
	if checkExport(g.engine.Report, haskellExport, haskellSignature) == nil {
		return g.run(haskellExport, 0, 0)
	}
	return nil
}

// Started records that the start of the guest has ended. A guest that runs only its start ends
// here.
func (g *Guest) Started() {
	if c := g.current.Load(); c.StartOnly {
		c.Unsaved = g.Tainted()
		c.stop(ErrStarted)
		panic(sys.NewExitError(stopped))
	}
	g.started = true
}

// Starting reports whether the guest has not yet reached the point where each call begins.
func (g *Guest) Starting() bool { return !g.started }

// DrawAtStart makes the guest draw random numbers from a stream with this seed until it first looks
// at its own files, if its calls have real randomness. The start can then be saved.
func (g *Guest) DrawAtStart(seed [32]byte) { g.startRandom = rand.NewChaCha8(seed) }

// Taint records why the guest cannot be saved, if it is still starting.
func (g *Guest) Taint(reason string) {
	if !g.started && g.tainted == "" {
		g.tainted = reason
	}
}

// TaintForNow is Taint for a temporary reason: another instance may not have the problem.
func (g *Guest) TaintForNow(reason string) {
	if !g.started && g.tainted == "" {
		g.tainted, g.taintedForNow = reason, true
	}
}

// taintByCall is Taint for a reason that depends only on the call. It has no effect during a
// warm-up call, which may use its own input and output.
func (g *Guest) taintByCall(reason string) {
	if !g.started && !g.current.Load().IsWarmUp {
		g.Taint(reason)
	}
}

// Tainted returns why the guest cannot be saved, or "".
func (g *Guest) Tainted() string {
	if g.tainted == "" && !g.started && g.traces.Touched() {
		return touchesFiles
	}
	return g.tainted
}

// TaintedForNow reports whether the reason that Tainted returns may not apply to another instance.
func (g *Guest) TaintedForNow() bool { return g.taintedForNow }

// ReadsOwnFile reports whether the guest, which is starting, may be about to read one of its own
// files and not its input.
func (g *Guest) ReadsOwnFile() bool {
	return g.traces.OwnFiles() && g.traces.Open() && g.Tainted() == ""
}

// maxLeftOpen limits the descriptors that CloseFiles tries. The engine assigns the lowest number
// that is free, so only a guest with more files has a file beyond them.
const maxLeftOpen = 256

// CloseFiles closes files that a guest left open, exactly as the guest could have done. A file that
// remains open, because closing failed or its number is too high, makes Clean return false.
func (g *Guest) CloseFiles() {
	first := firstPreopen + uint64(len(g.preopens))
	for fd := first; g.traces.Open() && fd < first+maxLeftOpen; fd++ {
		g.engine.closeFD.Call(context.Background(), g.Module, []uint64{fd})
	}
}

// Clean reports whether the guest left nothing behind outside its memory and globals.
func (g *Guest) Clean() bool { return !g.streamsClosed && g.traces.Clean() }

// mayGoOn reports whether the call being served may continue.
func (g *Guest) mayGoOn() bool {
	c := g.current.Load()
	return c != nil && c.MayGoOn()
}
