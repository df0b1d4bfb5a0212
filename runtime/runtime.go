package runtime

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/internal/callqueue"
	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/internal/compile"
	"github.com/wasmtool/wasmtool/runtime/internal/compile/child"
	"github.com/wasmtool/wasmtool/runtime/internal/pool"
)

// Defaults of Options.
const (
	// DefaultMaxModuleBytes is 64 MiB.
	DefaultMaxModuleBytes = 64 << 20
	// DefaultCacheMaxBytes is 1 GiB.
	DefaultCacheMaxBytes = 1 << 30
	// DefaultMaxAbandoned is 16 host operations.
	DefaultMaxAbandoned = 16
	// DefaultMaxMemory is 256 MiB.
	DefaultMaxMemory = 256 << 20
	// DefaultMaxTotalMemory is 4 GiB.
	DefaultMaxTotalMemory = 4 << 30
	// DefaultMaxIdleBytes is 512 MiB, enough for the saved starts of a hundred scripts.
	DefaultMaxIdleBytes = 512 << 20
)

// grace is how long a call whose context is done waits for the guest to stop at its next check.
// After that time, the call is abandoned.
const grace = 200 * time.Millisecond

// NotKept is the message of the warning that compiled modules cannot be stored in Options.CacheDir.
// It is logged once for each Runtime, with the attribute "reason".
const NotKept = compile.NotKept

// Options configures a Runtime. The zero value is usable: it has no cache on disk and logs nothing.
type Options struct {
	// CacheDir is a directory for compiled modules, created with mode 0700 if missing; empty means
	// no cache on disk. A directory that others can read or write is not used: a warning is logged,
	// and each module is compiled again. When the disk is full or the directory cannot be written,
	// a warning is logged once, and existing entries are still used.
	CacheDir string
	// CacheMaxBytes limits the size of the modules in CacheDir; 0 or less means
	// DefaultCacheMaxBytes. After an entry is stored, the least recently used entries are deleted
	// until the limit is met. The entry just stored always stays.
	CacheMaxBytes int64
	// MaxModuleBytes limits the size of a module; 0 means DefaultMaxModuleBytes.
	MaxModuleBytes int
	// MaxAbandoned limits the host operations that still hang after their calls had to return; 0
	// means DefaultMaxAbandoned. At the limit, every call fails with ResourceExhausted until one of
	// the operations returns. Calls of one module fail at a quarter of the limit.
	MaxAbandoned int
	// MaxMemory is the ceiling of [Limits].Memory in bytes; 0 means DefaultMaxMemory. One operation
	// can fill all of a guest's memory and cannot be interrupted, so MaxMemory also bounds how late
	// a call can end.
	MaxMemory uint64
	// MaxFuel is the ceiling of [Limits].Fuel; 0 means none.
	MaxFuel uint64
	// MaxTotalMemory limits the linear memory in bytes of all instances together; 0 means
	// DefaultMaxTotalMemory. Growth beyond the limit fails in the guest. If MaxTotalMemory is at
	// least four times MaxMemory, one module can use at most half of MaxTotalMemory. The images
	// from which running instances are reset can take as much memory again.
	MaxTotalMemory uint64
	// MaxCalls limits the calls that run at once; 0 means 16 for each processor, and at least 64.
	// Calls of one module take at most half of the places. Further calls wait as long as their
	// context allows, and are served one tenant after the other ([Call].Tenant). A guest's call
	// stack, at most 150 MiB, is not included in any other limit.
	MaxCalls int
	// MaxWaiting limits the calls that wait for a place; 0 means 16 times MaxCalls, less than 0
	// means that no call may wait. A call beyond the limit fails at once with ResourceExhausted.
	MaxWaiting int
	// MaxIdleBytes limits the memory in bytes of instances that were reset and wait for their next
	// call; 0 means DefaultMaxIdleBytes, less than 0 means that no instance waits. Instances of one
	// module take at most half of the limit. An instance gives most of its memory back after
	// seconds without a call, and is closed after a minute.
	MaxIdleBytes int64
	// CompileCommand is the result of [SelfCompiler]; empty means none. The command compiles
	// modules that may be slow to compile, in a process that has limits and can be killed. Without
	// it, modules are compiled in this process, where the engine cannot be interrupted, and modules
	// that may take seconds do not load.
	CompileCommand []string
	// CompileTimeout limits the time of a compilation by the command, up to an hour; 0 means a
	// minute. CompileMemory limits its memory in bytes, from 256 MiB; 0 means 2 GiB. Loading a
	// module that needs more fails with ResourceExhausted.
	CompileTimeout time.Duration
	CompileMemory  uint64
	// Events are called while modules are compiled and run.
	Events Events
	// Logger receives warnings for the operator, such as an unusable cache; nil means none.
	Logger *slog.Logger
}

// Events are functions that a Runtime calls, possibly concurrently; nil means none.
type Events struct {
	// Compile is called before a module or a part of one is compiled, which can take seconds. It is
	// also called, with Cached, after one was loaded from the cache on disk.
	Compile func(CompileEvent)
	// Function is called when a function of a module first runs, with the SHA-256 of the module in
	// hex and the index of the function. It is for finding the functions of the section
	// wasmtool.parts. While it is set, calls are slower, CacheDir is not used, and every module is
	// compiled in this process, so load only modules that you trust.
	Function func(digest string, index uint32)
}

// CompileEvent describes a compilation that begins, or one that the cache on disk made unnecessary.
type CompileEvent struct {
	// Digest is the SHA-256 of the module in hex.
	Digest string
	// Bytes is the size of the module; 0 if Cached is set.
	Bytes int
	// Cached is set if the module was loaded from the cache on disk.
	Cached bool

	ended *func(time.Duration, error)
}

// OnEnd makes the runtime call f when the compilation has ended, with its duration and its error.
// It may be called once, and only before Events.Compile returns. It has no effect if Cached is set.
func (e CompileEvent) OnEnd(f func(took time.Duration, err error)) { *e.ended = f }

// Runtime loads modules and owns the resources that they share. It is safe for concurrent use.
// Close it to stop all calls and free the compiled code.
type Runtime struct {
	opts Options

	// closing is a context that is cancelled when Close is called, which stops every call.
	closing context.Context
	close   context.CancelFunc
	process *abi.Process

	calls    *callqueue.Queue // running and waiting calls
	compiler *compile.Compiler
	pools    *pool.Group
	// abandoned is the number of calls that hang in the host and are limited by MaxAbandoned; see
	// wait.
	abandoned atomic.Int64

	mu     sync.Mutex
	loaded map[string]*compiled // by loadKey
	// loading is the number of modules that are loading.
	loading int
}

// New returns a Runtime.
func New(o Options) *Runtime {
	processors := goruntime.GOMAXPROCS(0)
	o.MaxModuleBytes = cmp.Or(max(o.MaxModuleBytes, 0), DefaultMaxModuleBytes)
	o.MaxAbandoned = cmp.Or(max(o.MaxAbandoned, 0), DefaultMaxAbandoned)
	o.MaxCalls = cmp.Or(max(o.MaxCalls, 0), max(64, 16*processors))
	o.CacheMaxBytes = cmp.Or(max(o.CacheMaxBytes, 0), DefaultCacheMaxBytes)
	// For the following options, a negative value has a meaning or is impossible.
	o.MaxMemory = cmp.Or(o.MaxMemory, DefaultMaxMemory)
	o.MaxTotalMemory = cmp.Or(o.MaxTotalMemory, DefaultMaxTotalMemory)
	o.MaxWaiting = cmp.Or(o.MaxWaiting, 16*o.MaxCalls)
	o.MaxIdleBytes = cmp.Or(o.MaxIdleBytes, DefaultMaxIdleBytes)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	r := &Runtime{opts: o, loaded: make(map[string]*compiled)}
	r.closing, r.close = context.WithCancel(context.Background())
	r.calls = callqueue.New(callqueue.Bounds{
		Calls: o.MaxCalls, ClassCalls: (o.MaxCalls + 1) / 2, MaxWaiting: o.MaxWaiting, Closed: r.closing.Done(),
	})
	r.process = &abi.Process{Closing: r.closing, Crowded: func() bool { return r.calls.Running() > processors }}
	r.pools = pool.NewGroup(pool.Options{
		MaxMemory: o.MaxMemory, MaxTotalMemory: o.MaxTotalMemory, MaxIdleBytes: o.MaxIdleBytes, MaxFuel: o.MaxFuel,
		Closing: r.closing, Log: o.Logger, Explain: ending,
	})
	r.compiler = compile.New(compile.Options{
		CacheDir: o.CacheDir, CacheMaxBytes: o.CacheMaxBytes, MaxModuleBytes: o.MaxModuleBytes,
		Child: child.Options{Command: o.CompileCommand, Timeout: o.CompileTimeout, MaxMemory: o.CompileMemory},
		OnCompile: func(digest string, bytes int) (ended func(time.Duration, error)) {
			if o.Events.Compile != nil {
				o.Events.Compile(CompileEvent{Digest: digest, Bytes: bytes, ended: &ended})
			}
			return ended
		},
		OnCached: func(digest string) {
			if o.Events.Compile != nil {
				o.Events.Compile(CompileEvent{Digest: digest, Cached: true, ended: new(func(time.Duration, error))})
			}
		},
		OnFunction: o.Events.Function,
		Closing:    r.closing, Log: o.Logger,
	})
	return r
}

// SelfCompiler returns the command with which this program compiles modules in a child process of
// itself, for [Options].CompileCommand:
//
//	func main() {
//		compiler := runtime.SelfCompiler()
//		options := runtime.Options{CompileCommand: compiler}
//		tools, err := standard.New(standard.Options{Runtime: options})
//
// Call it first in main. In the child, it compiles one module under limits on time, memory and
// files, and ends the process instead of returning. The result is nil where the system does not
// report the path of this program; modules that need a child do not load then.
func SelfCompiler() []string { return compile.Self() }

// MaxMemory returns the ceiling of Limits.Memory, in bytes.
func (r *Runtime) MaxMemory() uint64 { return r.opts.MaxMemory }

// closeGrace is how long Close waits for calls to end. A guest stops at its next check, which can
// take a while on a busy machine.
const closeGrace = 5 * grace

// Close stops all running calls, waits up to a second for them, and frees all modules. It fails
// when a call hangs in the host; the module of that call is freed when the call returns. Loads and
// calls fail afterwards. Closing again does nothing.
func (r *Runtime) Close() error {
	r.close()
	defer r.pools.Close()
	r.mu.Lock()
	var all []*compiled
	for key, c := range r.loaded {
		all = append(all, c)
		delete(r.loaded, key)
	}
	r.mu.Unlock()
	for _, c := range all {
		c.retire()
	}
	deadline := time.NewTimer(closeGrace)
	defer deadline.Stop()
	for _, c := range all {
		select {
		case <-c.freed:
		case <-deadline.C:
			return errors.New("a call hangs in the host; its module is not freed")
		}
	}
	return nil
}
