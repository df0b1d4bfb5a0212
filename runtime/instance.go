package runtime

import (
	"context"
	"errors"
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

// instance is one running module. It serves one call at a time, and many one after the
// other when it can be reset. Host functions, streams and files find the call that they
// serve through it, never through a context.
type instance struct {
	c      *compiled // what it is an instance of
	mod    api.Module
	memory *guestmem.Memory
	shared *sharedMemory // of a plug-in, else nil
	// current is the call being served; nil when there is none, and then nothing
	// can be reached.
	current  atomic.Pointer[callState]
	preopens []preopen
	// fuel is what the guest may still run; below zero it calls refill.
	fuel api.MutableGlobal
	// main is what a call runs; it owns the guest's call stack. firstStack is how large that
	// of a reactor is at first.
	main       api.Function
	firstStack int

	// starting is set while the guest starts, and what it looks at meanwhile would be
	// part of a snapshot. tainted is the reason why there can be none.
	starting bool
	tainted  string
	// taintedForNow says that the reason may be gone for the next one.
	taintedForNow bool
	traces        guestfs.Traces
	// streamsClosed says that the guest closed a descriptor that it found open.
	streamsClosed bool

	snapshot // what it is reset to
	pooled   // what the pool knows of it
}

// taint notes why the guest cannot be saved, when it is still starting.
func (i *instance) taint(reason string) {
	if i.starting && i.tainted == "" {
		i.tainted = reason
	}
}

// taintForNow is taint for what another instance may not meet.
func (i *instance) taintForNow(reason string) {
	if i.starting && i.tainted == "" {
		i.tainted, i.taintedForNow = reason, true
	}
}

// taintByCall is taint for what depends on the call alone: a warm-up has its own.
func (i *instance) taintByCall(reason string) {
	if i.starting && !i.current.Load().isWarmUp {
		i.taint(reason)
	}
}

// errEnginePanic is how a call ends whose engine failed.
var errEnginePanic = errors.New("the engine failed")

// errNoMemory is how a call ends that cannot have the memory with which its module
// begins.
var errNoMemory = errors.New("no memory")

// errNoTurn is how a call ends that was over before its instance was made.
var errNoTurn = errors.New("it waited for its turn to start")

// instantiate makes an instance that serves s from its very start. Nothing of the guest
// has run.
func (c *compiled) instantiate(s *callState) (*instance, error) {
	if c.startsLarge() {
		if !c.startTurn(s) {
			return nil, errNoTurn
		}
		defer func() { <-c.r.starting }()
	}
	i := &instance{c: c, preopens: preopensFor(s.call.Bindings.Mounts), starting: true}
	i.memory = c.r.memory.New(guestmem.Options{Limit: s.limits.Memory, Account: i.account})
	i.current.Store(s)
	if !c.account(c.hostBytes()) {
		s.memory.sharedFull = true
		return nil, errNoMemory
	}
	// The engine panics when it cannot have the memory that a module begins with.
	if needs := c.report.Memory; needs != nil && i.memory.Reallocate(needs.Min*guestmem.PageSize) == nil {
		s.measure(i)
		i.free()
		return nil, errNoMemory
	}
	mod, err := i.link(s)
	if err != nil {
		s.measure(i)
		i.free()
		return nil, err
	}
	i.mod = mod
	i.giveKernel(s)
	i.fuel = mod.ExportedGlobal(rewrite.ExportFuel).(api.MutableGlobal)
	c.engine.instances.Store(mod, i)
	return i, nil
}

// link instantiates the module with what it imports.
func (i *instance) link(s *callState) (api.Module, error) {
	ctx, err := i.shareMemory(context.Background(), s)
	if err != nil {
		return nil, err
	}
	// The engine takes its memory allocator from this context and from nowhere else.
	ctx = experimental.WithMemoryAllocator(ctx, oneMemory{i.memory})
	return i.c.engine.runtime.InstantiateModule(ctx, i.c.engine.module, i.config(s))
}

// account is asked before the instance has more memory, or less.
func (i *instance) account(delta int64) bool {
	s := i.current.Load()
	if s != nil && delta > 0 && i.memory.Size()+i.shared.size()+uint64(delta) > s.limits.Memory {
		return false // what a plug-in shares with the host is in the same limit
	}
	if i.c.account(delta) {
		return true
	}
	if s != nil {
		s.memory.sharedFull = true
	}
	i.taintForNow("it was refused memory that others have while it starts")
	return false
}

// oneMemory hands out the memory of one instance.
type oneMemory struct{ memory *guestmem.Memory }

// Allocate implements experimental.MemoryAllocator.
func (o oneMemory) Allocate(_, _ uint64) experimental.LinearMemory { return o.memory }

// close frees the instance.
func (i *instance) close() {
	i.current.Store(nil)
	i.c.engine.instances.Delete(i.mod)
	_ = i.mod.Close(context.Background())
	i.free()
}

// free gives back what was accounted for the instance.
func (i *instance) free() {
	i.shared.close()
	i.memory.Free()
	i.c.account(-i.c.hostBytes())
}

// start runs what comes before the call itself: the start function, the initialisation
// of a reactor, and its warm-up.
func (i *instance) start(s *callState) error {
	ctx := context.Background()
	if start := i.mod.ExportedFunction(rewrite.ExportStart); start != nil {
		if _, err := start.Call(ctx); err != nil {
			return err
		}
	}
	if s.call.Entry.ABI == Command {
		i.main = i.mod.ExportedFunction(rewrite.ExportMain)
		if i.main == nil || s.call.Entry.Export != commandExport {
			i.main = i.mod.ExportedFunction(s.call.Entry.Export)
		}
		return nil
	}
	if err := i.prepare(s); err != nil {
		return err
	}
	i.trySave(s)
	i.starting = false
	return nil
}

// prepare brings a module that is no command to where each call begins.
func (i *instance) prepare(s *callState) error {
	if s.call.Entry.ABI == Extism {
		return i.startExtism(s)
	}
	if initialize := i.mod.ExportedFunction(initializeExport); initialize != nil {
		if _, err := initialize.Call(context.Background()); err != nil {
			return err
		}
	}
	return i.warmUp(s)
}

// call runs the call itself.
func (i *instance) call(s *callState) error {
	if s.call.Entry.ABI == Command {
		_, err := i.main.Call(i.c.engine.snapshots)
		return err
	}
	if err := s.stopped(); err != nil {
		return err // a plug-in has no room for its input
	}
	var result [1]uint64
	// A function has a stack of its own. One that a call made larger is not used again, so
	// that how deep one call can go does not depend on another.
	if i.main == nil || len(callStack(i.main)) != i.firstStack {
		i.main = i.mod.ExportedFunction(s.call.Entry.Export)
		i.firstStack = len(callStack(i.main))
	}
	err := i.main.CallWithStack(context.Background(), result[:])
	s.code = api.DecodeU32(result[0])
	if s.kernel != nil {
		s.kernel.deliver()
	}
	return err
}

// moduleConfig is what all modules have in common: their names must not collide, and
// nothing of them runs by itself.
func moduleConfig() wazero.ModuleConfig {
	return wazero.NewModuleConfig().WithName("").WithStartFunctions()
}

// config wires the instance to the engine's WASI. No stream, clock or variable of
// the process is in it.
func (i *instance) config(s *callState) wazero.ModuleConfig {
	resolution := sys.ClockResolution(time.Millisecond)
	config := moduleConfig().
		WithArgs(append([]string{s.call.Name}, s.call.Args...)...).
		WithStdin(guestStdin{i}).
		WithStdout(guestStdout{i}).
		WithStderr(guestStderr{i}).
		WithRandSource(guestRandom{i}).
		WithWalltime(func() (int64, int32) {
			now := i.clock().Now()
			return now.Unix(), int32(now.Nanosecond())
		}, resolution).
		WithNanotime(func() int64 { return int64(i.clock().Elapsed()) }, resolution).
		WithFSConfig(i.mounts())
	env := s.call.Bindings.Env
	for _, name := range sortedKeys(env) {
		config = config.WithEnv(name, env[name])
	}
	if dot := i.workspace(); dot != "" {
		config = config.WithEnv("PWD", dot)
	}
	return config
}
