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
	// DefaultMaxModuleBytes is the largest module that loads: 64 MiB.
	DefaultMaxModuleBytes = 64 << 20
	// DefaultCacheMaxBytes is how much the cache on disk holds: 1 GiB.
	DefaultCacheMaxBytes = 1 << 30
	// DefaultMaxAbandoned is how many host operations may hang before calls are
	// refused.
	DefaultMaxAbandoned = 16
	// DefaultMaxMemory is the most memory that a call may have: 256 MiB.
	DefaultMaxMemory = 256 << 20
	// DefaultMaxTotalMemory is the most memory that all instances together may have:
	// 4 GiB.
	DefaultMaxTotalMemory = 4 << 30
	// DefaultMaxIdleBytes is how much memory instances may take that wait for calls:
	// 256 MiB.
	DefaultMaxIdleBytes = 256 << 20
)

// grace is how long a call waits, after its context is done, for the guest to
// stop at its next check before the call is abandoned.
const grace = 200 * time.Millisecond

// Options configures a Runtime. The zero value is usable: it compiles without a
// cache on disk and logs nothing.
type Options struct {
	// CacheDir is a folder for compiled modules, created with mode 0700 when
	// missing. Empty means no cache on disk. A folder that others can read or
	// write is not used, and a warning is logged: the runtime then compiles each
	// module again. It does so too, with one warning, when the disk is full or
	// the folder cannot be written; what is in it is still used.
	CacheDir string
	// CacheMaxBytes bounds the compiled modules in CacheDir; 0 or less means
	// DefaultCacheMaxBytes. Storing one deletes those that no process has used for
	// longest, until the bound holds; the one just stored always stays.
	CacheMaxBytes int64
	// MaxModuleBytes bounds the size of a module; 0 means DefaultMaxModuleBytes.
	MaxModuleBytes int
	// MaxAbandoned bounds the host operations left hanging by calls that had to
	// return; 0 means DefaultMaxAbandoned. At the bound every further call fails
	// with ResourceExhausted until one of them returns; calls of one module do so
	// at a quarter of it.
	MaxAbandoned int
	// MaxMemory is the ceiling of Limits.Memory in bytes; 0 means DefaultMaxMemory.
	// One operation can fill all of a guest's memory and cannot be interrupted, so
	// this bounds how late a call can end, too.
	MaxMemory uint64
	// MaxFuel is the ceiling of Limits.Fuel; 0 means none.
	MaxFuel uint64
	// MaxTotalMemory bounds the linear memory in bytes of all instances together; 0
	// means DefaultMaxTotalMemory. A guest that would pass it sees its growth refused. Where
	// it is four times MaxMemory or more, one module has at most half of it. Images of
	// running instances from which they are reset can take as much again.
	MaxTotalMemory uint64
	// MaxCalls bounds the calls that run at once; 0 means sixteen for each processor
	// and at least 64. One module has at most half of them. Further calls wait for a
	// place as long as their context allows, in turn by Call.Tenant. What a guest's call
	// stack takes, 150 MiB at worst, counts against nothing else.
	MaxCalls int
	// MaxWaiting bounds the calls that wait for a place; 0 means sixteen times MaxCalls,
	// less than 0 means that none may wait. A call beyond it fails at once with
	// ResourceExhausted.
	MaxWaiting int
	// MaxIdleBytes bounds the memory of instances that were reset and wait for their
	// next call, in bytes; 0 means DefaultMaxIdleBytes, less than 0 that none wait. One
	// module has at most half of it. They give most of it back when they are not called
	// for seconds, and go after a minute.
	MaxIdleBytes int64
	// CompileCommand, if not empty, is what SelfCompiler returned: modules that may take
	// more than a moment to compile are compiled by it, in a process that has limits and
	// can be killed. Without one they are compiled in this process, where the engine
	// cannot be interrupted, and those that may take seconds do not load.
	CompileCommand []string
	// CompileTimeout bounds a compilation by the command; 0 means a minute, and at most
	// an hour is possible. CompileMemory bounds its memory in bytes, from 256 MiB; 0
	// means 2 GiB. A module that needs more does not load, with ResourceExhausted.
	CompileTimeout time.Duration
	CompileMemory  uint64
	// OnCompile is called, possibly concurrently, before a module is compiled that
	// no cache has, since that can take seconds; nil means nobody is told.
	OnCompile func(CompileEvent)
	// Logger gets what an operator should know, such as an unusable cache; nil
	// means silence.
	Logger *slog.Logger
}

// CompileEvent tells about a compilation that begins.
type CompileEvent struct {
	// Digest is the SHA-256 of the module in hex.
	Digest string
	// Bytes is the size of the module.
	Bytes int
}

// Runtime loads modules and owns what they share. It is safe for concurrent use.
// Close it to stop all calls and free the compiled code.
type Runtime struct {
	opts Options

	// closing is done when Close was called; every call stops with it.
	closing context.Context
	close   context.CancelFunc
	process *abi.Process

	calls    *callqueue.Queue // what runs and waits
	compiler *compile.Compiler
	pools    *pool.Group
	// abandoned counts the calls that hang in the host, as far as they count; see wait.
	abandoned atomic.Int64

	mu     sync.Mutex
	loaded map[string]*compiled // by hex digest of the module as given
	// loading counts the modules that are being loaded.
	loading int
}

// New returns a Runtime.
func New(o Options) *Runtime {
	processors := goruntime.GOMAXPROCS(0)
	o.MaxModuleBytes = cmp.Or(max(o.MaxModuleBytes, 0), DefaultMaxModuleBytes)
	o.MaxAbandoned = cmp.Or(max(o.MaxAbandoned, 0), DefaultMaxAbandoned)
	o.MaxCalls = cmp.Or(max(o.MaxCalls, 0), max(64, 16*processors))
	o.CacheMaxBytes = cmp.Or(max(o.CacheMaxBytes, 0), DefaultCacheMaxBytes)
	// Of these, what is less than 0 has a meaning, or cannot be.
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
		Closing: r.closing, Log: o.Logger,
	})
	r.compiler = compile.New(compile.Options{
		CacheDir: o.CacheDir, CacheMaxBytes: o.CacheMaxBytes, MaxModuleBytes: o.MaxModuleBytes,
		Child: child.Options{Command: o.CompileCommand, Timeout: o.CompileTimeout, MaxMemory: o.CompileMemory},
		OnCompile: func(digest string, bytes int) {
			if o.OnCompile != nil {
				o.OnCompile(CompileEvent{Digest: digest, Bytes: bytes})
			}
		},
		Closing: r.closing, Log: o.Logger,
	})
	return r
}

// SelfCompiler returns the command by which this program compiles modules in a child
// process of itself, for Options.CompileCommand:
//
//	func main() {
//		compiler := runtime.SelfCompiler()
//		tools, err := standard.New(standard.Options{Runtime: runtime.Options{CompileCommand: compiler}})
//
// Call it first in main: in the child it compiles one module, under limits on time,
// memory and files, and ends the process instead of returning. The result is nil where
// the system does not say which file this program is; modules that need a child do not
// load then.
func SelfCompiler() []string { return compile.Self() }

// MaxMemory returns the ceiling of Limits.Memory, in bytes.
func (r *Runtime) MaxMemory() uint64 { return r.opts.MaxMemory }

// closeGrace is how long Close waits for calls to end. A guest stops at its next check,
// but on a busy machine that can take its time.
const closeGrace = 5 * grace

// Close stops all running calls, waits up to a second for them, and frees all modules.
// It fails when a call hangs in the host, whose module is freed when that call returns.
// Loading and calling fail afterwards. Closing again does nothing.
func (r *Runtime) Close() error {
	r.close()
	defer r.pools.Close()
	r.mu.Lock()
	var all []*compiled
	for digest, c := range r.loaded {
		all = append(all, c)
		delete(r.loaded, digest)
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
