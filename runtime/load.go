package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/wasmtool/wasmtool/internal/callqueue"
	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/internal/compile"
	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
	"github.com/wasmtool/wasmtool/runtime/internal/pool"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// Module is compiled code that can be called many times and concurrently. All loads of the same
// bytes share the code. Close a Module when it is no longer needed; running calls finish first.
type Module struct {
	c     *compiled
	close sync.Once
}

// Digest returns the SHA-256 of the module's bytes in hex.
func (m *Module) Digest() string { return m.c.digest }

// MinMemory returns the initial size of an instance's memory, in bytes.
func (m *Module) MinMemory() uint64 {
	if m.c.engine.Report.Memory == nil {
		return 0
	}
	return m.c.engine.Report.Memory.Min * guestmem.PageSize
}

// Prepare compiles the late parts of a split module (see docs/abi.md), which a call otherwise
// compiles when it needs them. It returns when ctx is done; the compilation of the current part
// then continues. The error is an [*Error].
func (m *Module) Prepare(ctx context.Context) error {
	if !m.c.begin() {
		return errModuleClosed()
	}
	defer m.c.done()
	for part := rewrite.Early + 1; part <= m.c.engine.Report.Parts; part++ {
		_, err := m.c.engine.LoadLate(ctx, part)
		if late, ok := errors.AsType[*abi.LateError](err); ok {
			return lateError(late)
		}
		if err != nil {
			return endOfContext(err, "the module was still being compiled")
		}
	}
	return nil
}

// Close releases the module. The compiled code is freed once every Module that uses it is closed
// and no call runs on it. Closing again does nothing.
func (m *Module) Close() error {
	m.close.Do(m.c.release)
	return nil
}

// Load checks, rewrites and compiles a module, or finds it already loaded. Concurrent loads of
// equal bytes compile once. Load runs no guest code.
//
// The engine cannot be interrupted while it compiles. When ctx is done first, Load returns at once,
// with an [*Error] whose reason is Timeout or Cancelled. The compilation continues in the
// background for the next load. A module that cannot run here gives an [*Error] with the reason
// InvalidModule.
//
// stubs names functions, as "module.name", that the module may import although this Runtime does
// not provide them; [AllStubs] stands for all such functions. A guest that calls one traps.
// Functions that the Runtime provides, memories, tables and globals cannot be stubs.
func (r *Runtime) Load(ctx context.Context, wasm []byte, stubs ...string) (*Module, error) {
	sum := sha256.Sum256(wasm)
	return r.load(ctx, hex.EncodeToString(sum[:]), stubs, func() ([]byte, error) { return wasm, nil })
}

// AllStubs stands for all imported functions that a Runtime does not provide; see [Runtime.Load].
const AllStubs = abi.AllStubs

// LoadKnown is [Runtime.Load] for a module whose SHA-256 is known, in hex. It calls the function
// read only when neither this Runtime nor the cache on disk has the module. An error of read is
// returned unchanged; bytes with another digest give the reason InvalidModule.
func (r *Runtime) LoadKnown(ctx context.Context, digest string, read func() ([]byte, error), stubs ...string) (*Module, error) {
	return r.load(ctx, strings.ToLower(digest), stubs, func() ([]byte, error) {
		wasm, err := read()
		if err != nil {
			return nil, err
		}
		if sum := sha256.Sum256(wasm); hex.EncodeToString(sum[:]) != strings.ToLower(digest) {
			return nil, invalid(nil, "the module does not have the digest %s", abi.QuoteName(digest))
		}
		return wasm, nil
	})
}

func (r *Runtime) load(ctx context.Context, digest string, stubs []string, read func() ([]byte, error)) (*Module, error) {
	if err := ctx.Err(); err != nil {
		return nil, endOfContext(err, "the module was not loaded")
	}
	c, err := r.hold(digest, stubs, read)
	if err != nil {
		return nil, err
	}
	select {
	case <-c.ready:
	case <-ctx.Done():
		c.release()
		return nil, endOfContext(ctx.Err(), "the module was still being compiled")
	}
	if c.err != nil {
		c.release()
		return nil, c.err
	}
	return &Module{c: c}, nil
}

// maxLoading limits the modules that are loading at once, whether they compile or wait for their
// turn. Each of them is kept in memory.
const maxLoading = 64

// hold returns the entry for a digest and stubs, and counts the caller as one of its holders. If
// the entry is new, hold starts the compilation.
func (r *Runtime) hold(digest string, stubs []string, read func() ([]byte, error)) (*compiled, error) {
	stubs = slices.Sorted(slices.Values(stubs))
	key := loadKey(digest, stubs)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closing.Err() != nil {
		return nil, errClosed()
	}
	if c, ok := r.loaded[key]; ok && c.hold() {
		return c, nil
	}
	if r.loading >= maxLoading {
		return nil, exhausted(nil, LimitLoading, "%d modules are already loading; try again later", r.loading)
	}
	r.loading++
	c := &compiled{
		r: r, digest: digest, key: key, ready: make(chan struct{}), left: make(chan struct{}, 1), freed: make(chan struct{}),
		holders: 1, running: 1, calls: callqueue.Class{Name: digest},
	}
	r.loaded[key] = c
	go func() {
		defer c.done() // the compilation is counted as running until it ends
		defer close(c.ready)
		c.engine, c.err = r.compiler.Compile(compile.Job{Digest: digest, Read: read, Stubs: stubs, Left: c.left, Unwanted: c.unwanted})
		if c.err = fromCompile(c.err); c.err == nil {
			c.pool = r.pools.New(c.engine, digest, pool.Data{})
		}
		r.mu.Lock()
		r.loading--
		r.mu.Unlock()
	}()
	return c, nil
}

// loadKey returns the key in Runtime.loaded. A module with stubs is not the module without them.
func loadKey(digest string, stubs []string) string { return fmt.Sprintf("%s %q", digest, stubs) }

// unwanted reports whether no caller waits for the module any longer. If so, it removes the module
// from the list, so that no later load can begin to wait for it.
func (c *compiled) unwanted() bool {
	c.r.mu.Lock()
	defer c.r.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holders > 0 {
		return false
	}
	if c.r.loaded[c.key] == c {
		delete(c.r.loaded, c.key)
	}
	return true
}

// compiled is a module that is loaded or loading. It counts its holders (Modules) and what runs on
// it (calls and the compilation), and is freed when both counts are 0.
type compiled struct {
	r      *Runtime
	digest string
	key    string // in Runtime.loaded
	// ready is closed when either err is set, or both engine and pool are set.
	ready  chan struct{}
	engine *abi.Engine
	pool   *pool.Pool
	err    error
	// left receives a value when the last holder may have given up waiting for the compilation.
	left chan struct{}
	// calls identifies the module to the queue of calls, and counts its running calls there.
	calls callqueue.Class
	// base and data are set for a result of Module.WithData: base has the code, on which this
	// counts as a running call. family are the pools of all such results.
	base   *compiled
	data   pool.Data
	family pool.Family
	// abandoned counts the calls of this module that hang in the host.
	abandoned atomic.Int64
	// freed is closed when the compiled code has been freed.
	freed chan struct{}

	mu      sync.Mutex
	holders int
	running int
	dead    bool // freed or about to be
}

// hold adds a holder, unless the module is being freed.
func (c *compiled) hold() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead || (c.holders == 0 && c.running == 0) {
		return false
	}
	c.holders++
	return true
}

func (c *compiled) release() { c.drop(func() { c.holders-- }) }

// retire removes all holders, for Runtime.Close.
func (c *compiled) retire() { c.drop(func() { c.holders = 0 }) }

// begin counts a call as running. It returns false when the module has been freed.
func (c *compiled) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead || c.holders <= 0 {
		return false
	}
	c.running++
	return true
}

// done undoes begin.
func (c *compiled) done() { c.drop(func() { c.running-- }) }

// drop applies change to a count, and frees the module if nothing uses it any longer.
func (c *compiled) drop(change func()) {
	c.mu.Lock()
	change()
	free := !c.dead && c.holders <= 0 && c.running == 0
	c.dead = c.dead || free
	if c.holders <= 0 {
		select {
		case c.left <- struct{}{}:
		default:
		}
	}
	c.mu.Unlock()
	if !free {
		return
	}
	c.r.mu.Lock()
	if c.r.loaded[c.key] == c {
		delete(c.r.loaded, c.key)
	}
	c.r.mu.Unlock()
	if c.pool != nil {
		c.pool.Close()
	}
	switch {
	case c.base != nil:
		c.base.done()
	case c.pool != nil:
		c.engine.Close()
	}
	close(c.freed)
}
