package peer

import (
	"context"
	"errors"
	"os"

	"github.com/wasmtool/wasmtool/bench/internal/wasmtimec"
)

// wasmtime is wasmtime's engine with its pooling allocator and a new instance for each call. It can
// be interrupted by epochs, its cheapest way to stop a guest.
type wasmtime struct {
	common
	engine *wasmtimec.Engine
}

func newWasmtime(c common) Peer { return &wasmtime{common: c} }

func (p *wasmtime) Prepare(context.Context) error {
	wasm, err := os.ReadFile(p.file())
	if err != nil {
		return err
	}
	p.engine, err = wasmtimec.Open(wasm, p.name.Form == Command, p.setup.MaxInstances)
	if errors.Is(err, wasmtimec.ErrAbsent) {
		return unavailable("%s", err)
	}
	return err
}

func (p *wasmtime) Call(_ context.Context, input []byte) ([]byte, error) { return p.engine.Call(input) }

func (p *wasmtime) Close() error {
	if p.engine != nil {
		p.engine.Close()
	}
	return nil
}
