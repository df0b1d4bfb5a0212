package peer

import (
	"context"
	"path/filepath"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"
)

// extismPeer is Extism's Go SDK, with a new plug-in for each call or one for all calls.
type extismPeer struct {
	common
	cache    wazero.CompilationCache
	compiled *extism.CompiledPlugin
	reused   *extism.Plugin
}

func newExtism(c common) Peer { return &extismPeer{common: c} }

func (p *extismPeer) Prepare(ctx context.Context) error {
	var err error
	if p.cache, err = wazero.NewCompilationCacheWithDir(filepath.Join(p.setup.Cache, "extism")); err != nil {
		return err
	}
	p.compiled, err = extism.NewCompiledPlugin(ctx,
		extism.Manifest{Wasm: []extism.Wasm{extism.WasmFile{Path: p.file()}}},
		extism.PluginConfig{EnableWasi: true, RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(p.cache)}, nil)
	if err != nil {
		return err
	}
	if p.name.System == ExtismReused {
		p.reused, err = p.compiled.Instance(ctx, extism.PluginInstanceConfig{})
	}
	return err
}

func (p *extismPeer) Call(ctx context.Context, input []byte) ([]byte, error) {
	plugin := p.reused
	if plugin == nil {
		var err error
		if plugin, err = p.compiled.Instance(ctx, extism.PluginInstanceConfig{}); err != nil {
			return nil, err
		}
		defer plugin.Close(ctx)
	}
	_, output, err := plugin.CallWithContext(ctx, "call", input)
	return output, err
}

func (p *extismPeer) Close() error {
	ctx := context.Background()
	if p.compiled != nil {
		if err := p.compiled.Close(ctx); err != nil {
			return err
		}
	}
	if p.cache == nil {
		return nil
	}
	return p.cache.Close(ctx)
}
