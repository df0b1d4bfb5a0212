package abi

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/wasmtool/wasmtool/runtime/internal/guestfs"
	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// Guest is a running module as the functions of the host see it: the call that it serves
// at the moment, its memory and its fuel. Its functions, streams and files find their call
// through it.
type Guest struct {
	Module api.Module
	Memory *guestmem.Memory

	engine   *Engine
	options  GuestOptions
	shared   *sharedMemory // of a plug-in, else nil
	preopens []preopen
	// current is the call being served; nil when there is none, and then nothing
	// can be reached.
	current atomic.Pointer[Call]
	// fuel is what the guest may still run; below zero it calls refill.
	fuel api.MutableGlobal

	// started says that the guest's start is over; what it looks at before would be part of
	// a snapshot. tainted is the reason why there can be none, and taintedForNow says that
	// the reason may be gone for the next one.
	started       bool
	tainted       string
	taintedForNow bool
	traces        guestfs.Traces
	// streamsClosed says that the guest closed a descriptor that it found open.
	streamsClosed bool
}

// GuestOptions are what a Guest needs of its owner.
type GuestOptions struct {
	// Memory makes the memories, and Account is asked before the guest has more memory, or
	// told that it has less.
	Memory  *guestmem.System
	Account func(delta int64) bool
	// Resumer is told where a command can be saved and go on.
	Resumer Resumer
}

// Resumer saves a command before it first reads its input, and has it go on from there.
type Resumer interface {
	// Enter is called when the command begins.
	Enter()
	// Checkpoint is called before each read. Its context has what makes a point to which
	// Enter can go back.
	Checkpoint(ctx context.Context)
}

// ErrNoMemory is how a call ends that cannot have the memory with which its module
// begins.
var ErrNoMemory = errors.New("no memory")

// NewGuest makes a guest that serves c from its very start. Nothing of it has run.
func (e *Engine) NewGuest(c *Call, o GuestOptions) (*Guest, error) {
	g := &Guest{engine: e, options: o, preopens: preopensFor(c.Bindings.Mounts)}
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

// link instantiates the module with what it imports.
func (g *Guest) link(c *Call) error {
	// The engine panics when it cannot have the memory that a module begins with.
	if needs := g.engine.Report.Memory; needs != nil && g.Memory.Reallocate(needs.Min*guestmem.PageSize) == nil {
		return ErrNoMemory
	}
	ctx, err := g.shareMemory(context.Background(), c)
	if err != nil {
		return err
	}
	// The engine takes its memory allocator from this context and from nowhere else.
	ctx = experimental.WithMemoryAllocator(ctx, oneMemory{g.Memory})
	g.Module, err = g.engine.runtime.InstantiateModule(ctx, g.engine.module, g.config(c))
	return err
}

// moduleConfig is what all modules have in common: their names must not collide, and
// nothing of them runs by itself.
func moduleConfig() wazero.ModuleConfig {
	return wazero.NewModuleConfig().WithName("").WithStartFunctions()
}

// account is asked before the guest has more memory, or less.
func (g *Guest) account(delta int64) bool {
	c := g.current.Load()
	if c != nil && delta > 0 && g.Size()+uint64(delta) > c.Limits.Memory {
		return false // what a plug-in shares with the host is in the same limit
	}
	if g.options.Account(delta) {
		return true
	}
	if c != nil {
		c.Memory.SharedFull = true
	}
	g.TaintForNow("it was refused memory that others have while it starts")
	return false
}

// oneMemory hands out the memory of one instance.
type oneMemory struct{ memory *guestmem.Memory }

// Allocate implements experimental.MemoryAllocator.
func (o oneMemory) Allocate(_, _ uint64) experimental.LinearMemory { return o.memory }

// Size is how many bytes of memory the guest has, with what it shares with the host.
func (g *Guest) Size() uint64 { return g.Memory.Size() + g.SharedSize() }

// SharedSize is how many bytes of memory a plug-in shares with the host.
func (g *Guest) SharedSize() uint64 { return g.shared.size() }

// Serve readies a guest that was reset for a call, when its start took so much fuel.
func (g *Guest) Serve(c *Call, startFuel uint64) {
	g.fuel.Set(uint64(c.fuel.begin(startFuel)))
	g.current.Store(c)
	g.giveKernel(c)
}

// ServeBetween has the guest serve another call, as long as run runs. What that one uses
// counts for no other.
func (g *Guest) ServeBetween(c *Call, run func() error) error {
	current, left := g.current.Load(), g.fuel.Get()
	g.fuel.Set(uint64(c.fuel.begin(0)))
	g.current.Store(c)
	err := run()
	g.current.Store(current)
	g.fuel.Set(left)
	return err
}

// Current returns the call being served, or nil.
func (g *Guest) Current() *Call { return g.current.Load() }

// FuelUsed is how much fuel the current call used until now.
func (g *Guest) FuelUsed() uint64 { return g.current.Load().fuel.usedWith(int64(g.fuel.Get())) }

// Settle notes what a call used that the guest served.
func (g *Guest) Settle(c *Call) {
	c.fuel.settle(int64(g.fuel.Get()))
	g.measure(c)
}

// measure notes what a call did with its memory.
func (g *Guest) measure(c *Call) {
	c.Memory.Size = g.Size()
	c.Memory.Refused = g.Memory.Refused() || g.shared.refused()
}

// Rest has the guest serve no call. ResetShared is to follow before the next one.
func (g *Guest) Rest() { g.current.Store(nil) }

// ResetShared takes what a plug-in shares with the host back to what it is before a call.
func (g *Guest) ResetShared() error { return g.shared.clear() }

// Close frees the guest.
func (g *Guest) Close() {
	g.Rest()
	g.engine.guests.Delete(g.Module)
	_ = g.Module.Close(context.Background())
	g.free()
}

func (g *Guest) free() {
	g.shared.close()
	g.Memory.Free()
}

// Start runs what comes before the call itself: the start function, and the initialisation
// of a reactor or a plug-in.
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

// run calls a function of the guest, if it has one of the name.
func (g *Guest) run(export string, params ...uint64) error {
	f := g.Module.ExportedFunction(export)
	if f == nil {
		return nil
	}
	_, err := f.Call(context.Background(), params...)
	return err
}

// startExtism prepares a plug-in, unless that is what the call itself does.
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

// Started says that the guest's start is over.
func (g *Guest) Started() { g.started = true }

// Starting reports whether the guest has not come to where each call begins.
func (g *Guest) Starting() bool { return !g.started }

// Taint notes why the guest cannot be saved, when it is still starting.
func (g *Guest) Taint(reason string) {
	if !g.started && g.tainted == "" {
		g.tainted = reason
	}
}

// TaintForNow is Taint for what another instance may not meet.
func (g *Guest) TaintForNow(reason string) {
	if !g.started && g.tainted == "" {
		g.tainted, g.taintedForNow = reason, true
	}
}

// taintByCall is Taint for what depends on the call alone: a warm-up has its own.
func (g *Guest) taintByCall(reason string) {
	if !g.started && !g.current.Load().IsWarmUp {
		g.Taint(reason)
	}
}

// Tainted is the reason why the guest cannot be saved, or "".
func (g *Guest) Tainted() string { return g.tainted }

// TaintedForNow reports whether the reason may be gone for another instance.
func (g *Guest) TaintedForNow() bool { return g.taintedForNow }

// Clean reports whether the guest left nothing behind outside of its memory and globals.
func (g *Guest) Clean() bool { return !g.streamsClosed && g.traces.Clean() }

// mayGoOn reports whether the call being served may run on.
func (g *Guest) mayGoOn() bool {
	c := g.current.Load()
	return c != nil && c.MayGoOn()
}
