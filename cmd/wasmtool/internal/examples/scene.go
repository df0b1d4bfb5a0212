package examples

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/kv"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Scene is the tenant of one example: its directories, its store and its answers. Only one Scene of
// a Stage exists at a time.
type Scene struct {
	name   string // of the tool
	mounts mounts
	world  world
	tenant *registry.Tenant
	space  kv.Namespace
}

// Ran is how a call ended.
type Ran struct {
	Result      tool.Result
	Err         error // nil, or a [tool.Error]
	Diagnostics tool.Diagnostics
}

// Begin creates the files, the store and the answers of an example; it makes no call. problem is a
// mistake of the example, and err an error of the host. Without either, the caller closes the
// Scene.
func (s *Stage) Begin(ctx context.Context, m standard.LoadedManifest, e manifests.Example) (c *Scene, problem, err error) {
	s.count++
	dir := filepath.Join(s.dir, fmt.Sprintf("example-%d", s.count))
	c = &Scene{name: m.Name, space: kv.Namespace{Tenant: filepath.Base(dir), Tool: m.Name}}
	if c.mounts, err = openMounts(dir, m.ExampleMounts()); err != nil {
		return nil, nil, err
	}
	if err = c.mounts.write(e.Files, cmp.Or(e.Now, firstFileTime)); err == nil {
		if c.world, problem = s.world(ctx, m, e); problem == nil {
			problem = fillStore(ctx, s.stores, c.space, e.Store)
		}
	}
	if problem != nil || err != nil {
		return nil, problem, cmp.Or(err, c.Close())
	}
	c.tenant = c.world.tools.Tenant(c.space.Tenant, registry.TenantOptions{Mounts: c.mounts.offered(), Now: e.Now, Seed: e.Seed, Secrets: c.world.secrets})
	return c, nil, nil
}

// Call runs the tool once. A timeout of 0 means the tool's own.
func (c *Scene) Call(ctx context.Context, arguments json.RawMessage, timeout time.Duration) Ran {
	var ran Ran
	ran.Result, ran.Err = c.tenant.Execute(ctx, tool.Call{
		Tool: c.name, Arguments: arguments, Timeout: timeout, OnDiagnostics: func(d tool.Diagnostics) { ran.Diagnostics = d },
	})
	return ran
}

// Unanswered disconnects the scene, and reports whether a request of the tool got no answer.
func (c *Scene) Unanswered() bool {
	return c.world.end() != "" || c.world.answers != nil && len(c.world.answers.unanswered) > 0
}

// Close disconnects the scene and removes its directories.
func (c *Scene) Close() error {
	c.world.end()
	return c.mounts.close()
}
