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

// Holder keeps instances alive that have done the job once, for their memory to be
// looked at.
type Holder interface {
	// Hold makes more instances until n are alive.
	Hold(ctx context.Context, n int) error
	// Release lets go of them; what the system keeps of them is its own affair.
	Release() error
	// Kept is how many of those that were let go are there for further calls. It uses
	// them to find out.
	Kept(ctx context.Context) (int, error)
	// Close frees everything.
	Close() error
}

// NewHolder returns a holder of instances of the Go or the C guest: of Wasmtool, in
// calls that do not end, or of Fresh, which need no call to stay alive. most is how many
// there will be.
func NewHolder(ctx context.Context, guest, system string, most int, s Setup) (Holder, error) {
	switch system {
	case Wasmtool:
		return newHeldCalls(ctx, guest, most, s)
	case Fresh:
		return newHeldInstances(ctx, guest, s)
	}
	return nil, fmt.Errorf("instances of %s cannot be held", system)
}

// heldCalls are calls of the runtime that sleep until their clock lets them.
type heldCalls struct {
	module *Sandboxed
	gate   *gate
	ended  chan error
	alive  int
	most   int // at once so far
}

// holdWarmUps is after how many calls the runtime has made what later instances share.
const holdWarmUps = 3

func newHeldCalls(ctx context.Context, guest string, most int, s Setup) (*heldCalls, error) {
	file, entry := "c_micro.wasm", runtime.Entry{ABI: runtime.Reactor, Export: "hold"}
	if guest == "go" {
		file, entry.Export = "go_hold.wasm", "call"
	}
	module, err := OpenSandboxed(ctx, filepath.Join(s.Guests, file), runtime.Call{Entry: entry}, runtime.Options{
		CacheDir: s.runtimeCache(),
		MaxCalls: 2 * most, // one module has half of them
		// Room enough for all to be kept.
		MaxTotalMemory: 64 << 30, MaxIdleBytes: 8 << 30,
	})
	if err != nil {
		return nil, err
	}
	h := &heldCalls{module: module, gate: newGate(most), ended: make(chan error, most)}
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
			return fmt.Errorf("a call ended that should be asleep: %w", err)
		}
	}
	h.most = max(h.most, n)
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
	if err := h.Hold(ctx, h.most); err != nil {
		return 0, err
	}
	err := h.Release()
	return int(h.module.Reused() - before), err
}

func (h *heldCalls) Close() error { return h.module.Close() }

// gate is what sleeping guests wait at while it is shut.
type gate struct {
	asleep chan struct{} // gets one for each sleeper

	mu     sync.Mutex
	opened chan struct{} // closed while the gate is open
}

// newGate returns a gate that is open, for so many sleepers at once.
func newGate(sleepers int) *gate {
	g := &gate{asleep: make(chan struct{}, sleepers), opened: make(chan struct{})}
	close(g.opened)
	return g
}

// state is a channel that is closed once the gate is open, and whether it is now.
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

// gateClock is the clock of one call. It shows the same in every call, as the
// deterministic clock of the runtime does, or else instances would differ by what they
// read while they started.
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

// Kept is 0: an instance of plain wazero serves no other call.
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
