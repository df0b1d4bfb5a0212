package peer

import (
	"context"
	"path/filepath"

	"github.com/wasmtool/wasmtool/runtime"
)

// wasmtool is this project's runtime. Each call has an instance that can be stopped and has no
// files, network or secrets. The measured time of a call includes creating its Bindings, because
// every caller must create them for each call.
type wasmtool struct {
	common
	module *Sandboxed
}

func newWasmtool(c common) Peer { return &wasmtool{common: c} }

func (p *wasmtool) Prepare(ctx context.Context) error {
	call := runtime.Call{Entry: runtime.Entry{ABI: runtime.ABI(p.name.Form)}}
	if p.name.System == WasmtoolWarm {
		call.Warm = p.setup.Warm
	}
	var err error
	p.module, err = OpenSandboxed(ctx, p.file(), call, runtime.Options{CacheDir: p.setup.runtimeCache()})
	return err
}

func (p *wasmtool) Call(ctx context.Context, input []byte) ([]byte, error) {
	return p.module.Call(ctx, input, nil)
}

func (p *wasmtool) Close() error {
	if p.module == nil {
		return nil
	}
	return p.module.Close()
}

// runtimeCache returns the directory for compiled code of this project's runtime.
func (s Setup) runtimeCache() string { return filepath.Join(s.Cache, "wasmtool") }
