package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"sync/atomic"

	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// Module is compiled code that can be called, many times and concurrently. It is
// shared by everyone who loaded the same bytes. Close it when it is no longer
// needed; running calls finish first.
type Module struct {
	c     *compiled
	close sync.Once
}

// Digest returns the SHA-256 of the module's bytes in hex.
func (m *Module) Digest() string { return m.c.digest }

// MinMemory is how many bytes of memory an instance starts with.
func (m *Module) MinMemory() uint64 {
	if m.c.report.Memory == nil {
		return 0
	}
	return m.c.report.Memory.Min * pageBytes
}

// Close gives the module back. The compiled code is freed once nobody holds it
// and no call runs on it. Closing again does nothing.
func (m *Module) Close() error {
	m.close.Do(m.c.release)
	return nil
}

// Load checks, rewrites and compiles a module and returns it, or finds it already
// loaded. Loads of equal bytes at the same time compile once. It does not run
// guest code.
//
// The engine cannot be interrupted while it compiles: when ctx is done first, Load
// returns Timeout or Cancelled at once, and the compilation goes on in the
// background for whoever asks next. A module that cannot run here gives an *Error
// with the reason InvalidModule.
func (r *Runtime) Load(ctx context.Context, wasm []byte) (*Module, error) {
	if err := ctx.Err(); err != nil {
		return nil, endOfContext(err, "the module was not loaded")
	}
	if len(wasm) > r.opts.MaxModuleBytes {
		return nil, invalid(nil, "the module has %d bytes; at most %d are loaded", len(wasm), r.opts.MaxModuleBytes)
	}
	sum := sha256.Sum256(wasm)
	c, err := r.hold(hex.EncodeToString(sum[:]), wasm)
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

// hold returns the entry for a digest with one more holder, starting the
// compilation when the entry is new.
func (r *Runtime) hold(digest string, wasm []byte) (*compiled, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closing.Err() != nil {
		return nil, &Error{Reason: Cancelled, Message: errClosed.Error(), cause: errClosed}
	}
	if c, ok := r.loaded[digest]; ok && c.hold() {
		return c, nil
	}
	c := &compiled{r: r, digest: digest, ready: make(chan struct{}), freed: make(chan struct{}), holders: 1, running: 1}
	r.loaded[digest] = c
	go func() {
		defer c.done() // the compilation counts as running until it ends
		defer close(c.ready)
		c.err = c.compile(wasm)
	}()
	return c, nil
}

// compiled is a module that is loaded or being loaded, with its holders (Modules)
// and what runs on it (calls, the compilation). It is freed when both are none.
type compiled struct {
	r      *Runtime
	digest string
	// ready is closed when engine, report and err are set.
	ready  chan struct{}
	engine *engine
	report *rewrite.Report
	err    error
	// abandoned counts the calls of this module that hang in the host.
	abandoned atomic.Int64
	// freed is closed when the compiled code is gone.
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

// retire takes all holders away, for Runtime.Close.
func (c *compiled) retire() { c.drop(func() { c.holders = 0 }) }

// begin counts a call in. It fails when the module is gone.
func (c *compiled) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead || c.holders <= 0 {
		return false
	}
	c.running++
	return true
}

// done counts out what begin counted in.
func (c *compiled) done() { c.drop(func() { c.running-- }) }

// drop changes a count and frees the module when it was the last one.
func (c *compiled) drop(change func()) {
	c.mu.Lock()
	change()
	free := !c.dead && c.holders <= 0 && c.running == 0
	c.dead = c.dead || free
	c.mu.Unlock()
	if !free {
		return
	}
	c.r.mu.Lock()
	if c.r.loaded[c.digest] == c {
		delete(c.r.loaded, c.digest)
	}
	c.r.mu.Unlock()
	if c.engine != nil {
		c.engine.close()
	}
	close(c.freed)
}
