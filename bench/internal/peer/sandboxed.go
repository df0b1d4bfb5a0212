package peer

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/runtime"
)

// Sandboxed is a module in this project's runtime. It is safe for concurrent use.
type Sandboxed struct {
	runtime *runtime.Runtime
	module  *runtime.Module
	call    runtime.Call
	reused  atomic.Int64
}

// OpenSandboxed loads a module. call has the fields that all calls share. call.Entry.Export may be
// empty. The caller closes the result.
func OpenSandboxed(ctx context.Context, file string, call runtime.Call, o runtime.Options) (*Sandboxed, error) {
	wasm, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := &Sandboxed{runtime: runtime.New(o), call: call}
	if s.module, err = s.runtime.Load(ctx, wasm); err == nil {
		s.call.Entry, err = s.module.Entry(call.Entry.ABI, call.Entry.Export)
	}
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// Call runs the module once. If clock is not nil, it replaces the deterministic clock. The guest
// has no files, network or secrets.
func (s *Sandboxed) Call(ctx context.Context, input []byte, clock hostfuncs.Clock) ([]byte, error) {
	bindings, err := hostfuncs.Bind(capability.Grant{}, files.Options{}, hostfuncs.Services{})
	if err != nil {
		return nil, err
	}
	defer bindings.Close()
	if clock != nil {
		bindings.Clock = clock
	}
	call := s.call
	call.Input, call.Bindings = input, bindings
	out, err := s.module.Call(ctx, call)
	if out.Reused {
		s.reused.Add(1)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s%s", err, out.Failure, out.Stderr)
	}
	return out.Output, nil
}

// Reused returns how many calls so far were served by a reset instance.
func (s *Sandboxed) Reused() int64 { return s.reused.Load() }

// Close stops running calls and frees the module.
func (s *Sandboxed) Close() error { return s.runtime.Close() }
