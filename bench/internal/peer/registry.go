package peer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// toolName is the name of the tool that does the job.
const toolName = "count"

// WriteTool writes a manifest and the module to dir, and returns dir. The tool's parameters are the
// job's input.
func WriteTool(dir, wasmFile, form string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	wasm, err := os.ReadFile(wasmFile)
	if err != nil {
		return "", err
	}
	manifest := fmt.Sprintf(`manifest = 1
name = %q
version = "1.0.0"
description = "Count in a text."

[module]
path = "count.wasm"
abi = %q
output = "json"

[parameters]
type = "object"
required = ["text"]
[parameters.properties.text]
type = "string"
`, toolName, form)
	if err := os.WriteFile(filepath.Join(dir, "count.wasm"), wasm, 0o600); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "tool.toml"), []byte(manifest), 0o600)
}

// registryPeer is this project's registry: it parses and validates arguments, applies the policy,
// runs the tool in the runtime, and checks the result.
type registryPeer struct {
	common
	registry *registry.Registry
	dir      string
}

func newRegistry(c common) Peer { return &registryPeer{common: c} }

func (p *registryPeer) Prepare(ctx context.Context) error {
	var err error
	if p.dir, err = os.MkdirTemp("", "wasmtool-bench-"); err != nil {
		return err
	}
	toolDir, err := WriteTool(filepath.Join(p.dir, toolName), p.file(), p.name.Form)
	if err != nil {
		return err
	}
	p.registry, err = standard.New(standard.Options{
		Sources: standard.Sources{Tool: toolDir, NoBuiltins: true}, Runtime: runtime.Options{CacheDir: p.setup.runtimeCache()},
	})
	if err != nil {
		return err
	}
	return p.registry.Prepare(ctx, toolName)
}

func (p *registryPeer) Call(ctx context.Context, input []byte) ([]byte, error) {
	result, err := p.registry.Execute(ctx, tool.Call{Tool: toolName, Arguments: input})
	if err != nil {
		return nil, err
	}
	return result.Structured, nil
}

func (p *registryPeer) Close() error {
	var err error
	if p.registry != nil {
		err = p.registry.Close()
	}
	if p.dir != "" {
		err = errors.Join(err, os.RemoveAll(p.dir))
	}
	return err
}
