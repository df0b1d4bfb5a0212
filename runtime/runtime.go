package runtime

import (
	"context"
	"errors"
	"log/slog"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/internal/callqueue"
	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
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
	opts  Options
	log   *slog.Logger
	cache *diskCache // nil without one

	// closing is done when Close was called; every call stops with it.
	closing context.Context
	close   context.CancelFunc
	// compiling is for modules that are compiled in a moment, compilingLong for the others,
	// starting for large instances that begin, and saving for one that is being saved.
	compiling, compilingLong, starting, saving turns

	abandoned atomic.Int64
	calls     *callqueue.Queue
	// processors is how many guests can run at the same moment.
	processors int
	grace      time.Duration

	memory      *guestmem.System
	memoryInUse atomic.Int64 // of all instances
	idleBytes   atomic.Int64 // what instances that wait take
	idleMemory  atomic.Int64 // what of memoryInUse is theirs
	tending     atomic.Bool  // tender is set and will run
	tender      atomic.Pointer[time.Timer]

	mu     sync.Mutex
	loaded map[string]*compiled // by hex digest of the module as given
	// loading counts the modules that are being loaded.
	loading int
}

// errClosed is the cause of calls that end because the Runtime was closed.
var errClosed = errors.New("the runtime is closed")

// New returns a Runtime.
func New(o Options) *Runtime {
	if o.MaxModuleBytes <= 0 {
		o.MaxModuleBytes = DefaultMaxModuleBytes
	}
	if o.MaxAbandoned <= 0 {
		o.MaxAbandoned = DefaultMaxAbandoned
	}
	if o.MaxMemory == 0 {
		o.MaxMemory = DefaultMaxMemory
	}
	if o.MaxTotalMemory == 0 {
		o.MaxTotalMemory = DefaultMaxTotalMemory
	}
	if o.MaxCalls <= 0 {
		o.MaxCalls = max(64, 16*goruntime.GOMAXPROCS(0))
	}
	if o.MaxWaiting == 0 {
		o.MaxWaiting = 16 * o.MaxCalls
	}
	if o.MaxIdleBytes == 0 {
		o.MaxIdleBytes = DefaultMaxIdleBytes
	}
	r := &Runtime{
		processors: goruntime.GOMAXPROCS(0),
		memory:     guestmem.NewSystem(),
		opts:       o,
		log:        o.Logger,
		compiling:  newTurns(),
		// They do not wait for each other.
		compilingLong: newTurns(),
		starting:      newTurns(),
		saving:        make(turns, 1),
		grace:         grace,
		loaded:        make(map[string]*compiled),
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	r.closing, r.close = context.WithCancel(context.Background())
	r.calls = callqueue.New(callqueue.Bounds{
		Calls: o.MaxCalls, ClassCalls: (o.MaxCalls + 1) / 2, MaxWaiting: o.MaxWaiting, Closed: r.closing.Done(),
	})
	r.cache = openDiskCache(o, r.log)
	return r
}

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
	defer r.memory.Close()
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
	if tender := r.tender.Load(); tender != nil {
		tender.Stop()
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
