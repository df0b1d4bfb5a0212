package peer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/wasmtool/wasmtool/bench/internal/job"
	"github.com/wasmtool/wasmtool/runtime"
)

// Holder keeps instances alive that have done the job once, so that their memory can be measured.
type Holder interface {
	// Hold creates instances until n are alive.
	Hold(ctx context.Context, n int) error
	// Release lets the calls of all held instances return. The system under test decides which
	// instances it keeps.
	Release() error
	// Kept returns how many released instances are available for further calls. To find out, Kept
	// calls them.
	Kept(ctx context.Context) (int, error)
	// Close frees everything.
	Close() error
}

// NewHolder returns a holder of instances of the Go or the C guest. With the system Wasmtool, each
// instance stays alive because its call sleeps; with Fresh, instances stay alive without a call.
// maxHeld is the largest number of instances.
func NewHolder(ctx context.Context, guest, system string, maxHeld int, s Setup) (Holder, error) {
	switch system {
	case Wasmtool:
		return newHeldCalls(ctx, guest, maxHeld, s)
	case Fresh:
		return newHeldInstances(ctx, guest, s)
	}
	return nil, fmt.Errorf("instances of %s cannot be kept alive", system)
}

// heldCalls are calls of the runtime that sleep until their clock releases them.
type heldCalls struct {
	module *Sandboxed
	gate   *gate
	ended  chan error
	alive  int
	peak   int // largest number of instances held at once so far
}

// holdWarmUps is the number of calls after which the runtime has made the image that later
// instances share.
const holdWarmUps = 3

func newHeldCalls(ctx context.Context, guest string, maxHeld int, s Setup) (*heldCalls, error) {
	file, entry := "c_micro.wasm", runtime.Entry{ABI: runtime.Reactor, Export: "hold"}
	if guest == "go" {
		file, entry.Export = "go_hold.wasm", "call"
	}
	module, err := OpenSandboxed(ctx, filepath.Join(s.Guests, file), runtime.Call{Entry: entry}, runtime.Options{
		CacheDir: s.runtimeCache(),
		MaxCalls: 2 * maxHeld, // one module may use only half of MaxCalls
		// Enough memory to keep all instances.
		MaxTotalMemory: 64 << 30, MaxIdleBytes: 8 << 30,
	})
	if err != nil {
		return nil, err
	}
	h := &heldCalls{module: module, gate: newGate(maxHeld), ended: make(chan error, maxHeld)}
	for range holdWarmUps {
		if err := h.call(ctx); err != nil {
			_ = h.Close()
			return nil, err
		}
	}
	return h, nil
}

func (h *heldCalls) call(ctx context.Context) error {
	output, err := h.module.Call(ctx, job.Input(), &gateClock{gate: h.gate})
	if err != nil {
		return err
	}
	return job.Check(job.Input(), output)
}

func (h *heldCalls) Hold(ctx context.Context, n int) error {
	h.gate.shut()
	for ; h.alive < n; h.alive++ {
		go func() { h.ended <- h.call(ctx) }()
		select {
		case <-h.gate.asleep:
		case err := <-h.ended:
			return fmt.Errorf("a call that should sleep returned: %w", err)
		}
	}
	h.peak = max(h.peak, n)
	return nil
}

func (h *heldCalls) Release() error {
	h.gate.open()
	for ; h.alive > 0; h.alive-- {
		if err := <-h.ended; err != nil {
			return err
		}
	}
	return nil
}

func (h *heldCalls) Kept(ctx context.Context) (int, error) {
	before := h.module.Reused()
	if err := h.Hold(ctx, h.peak); err != nil {
		return 0, err
	}
	err := h.Release()
	return int(h.module.Reused() - before), err
}

func (h *heldCalls) Close() error { return h.module.Close() }

// gate makes sleeping guests wait while it is shut.
type gate struct {
	asleep chan struct{} // receives a value when a guest begins to sleep

	mu     sync.Mutex
	opened chan struct{} // closed while the gate is open
}

// newGate returns an open gate for the given number of sleepers.
func newGate(sleepers int) *gate {
	g := &gate{asleep: make(chan struct{}, sleepers), opened: make(chan struct{})}
	close(g.opened)
	return g
}

// state returns a channel that is closed once the gate is open, and whether it is open now.
func (g *gate) state() (opened chan struct{}, isOpen bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.opened:
		return g.opened, true
	default:
		return g.opened, false
	}
}

func (g *gate) shut() {
	if _, isOpen := g.state(); isOpen {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.opened = make(chan struct{})
	}
}

func (g *gate) open() {
	if opened, isOpen := g.state(); !isOpen {
		close(opened)
	}
}

// gateClock is the clock of one call. It shows the same times in every call, like the runtime's
// deterministic clock. Otherwise instances would read different times during their start, and their
// memory would differ.
type gateClock struct {
	*gate
	elapsed atomic.Int64
}

func (c *gateClock) Now() time.Time { return time.Unix(0, 0).Add(c.Elapsed()) }

func (c *gateClock) Elapsed() time.Duration {
	return time.Duration(c.elapsed.Add(int64(time.Millisecond)))
}

func (c *gateClock) Sleep(ctx context.Context, d time.Duration) {
	opened, isOpen := c.state()
	if !isOpen {
		c.asleep <- struct{}{}
	}
	select {
	case <-opened:
	case <-ctx.Done():
	}
	c.elapsed.Add(int64(max(0, d)))
}

// heldInstances are instances of plain wazero between calls.
type heldInstances struct {
	wazeroEngine
	exchange *exchange
	alive    []api.Module
}

func newHeldInstances(ctx context.Context, guest string, s Setup) (*heldInstances, error) {
	h := &heldInstances{exchange: newExchange(nil)}
	wasm, err := os.ReadFile(s.file(Name{Guest: guest, Form: Reactor}))
	if err == nil {
		err = h.open(ctx, wazero.NewRuntimeConfig(), s.Cache, func(context.Context) *exchange { return h.exchange })
	}
	if err == nil {
		err = h.compile(ctx, wasm)
	}
	if err != nil {
		_ = h.Close()
		return nil, err
	}
	return h, nil
}

func (h *heldInstances) Hold(ctx context.Context, n int) error {
	for len(h.alive) < n {
		mod, err := h.instantiate(ctx, initializeExport)
		if err != nil {
			return err
		}
		h.alive = append(h.alive, mod)
		h.exchange.begin(job.Input())
		results, err := mod.ExportedFunction("call").Call(ctx)
		if err != nil {
			return err
		}
		output, err := reactorEnd(h.exchange, results[0], nil)
		if err == nil {
			err = job.Check(job.Input(), output)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Kept returns 0, because an instance of plain wazero serves no further call.
func (h *heldInstances) Kept(context.Context) (int, error) { return 0, nil }

func (h *heldInstances) Release() error {
	for _, mod := range h.alive {
		if err := mod.Close(context.Background()); err != nil {
			return err
		}
	}
	h.alive = nil
	return nil
}
