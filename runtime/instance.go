package runtime

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	experimentalsys "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/runtime/internal/guestfs"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// callState is what belongs to one call.
type callState struct {
	// ctx is done at the call's deadline, when the caller cancels, and when the
	// call broke a limit; its cause tells which.
	ctx  context.Context
	stop context.CancelCauseFunc

	call Call
	// stdin is the input, stdout the output, stderr the diagnostics: of a command
	// its streams, of a reactor what it imports.
	stdin  *bytes.Reader
	stdout *cappedBuffer
	stderr *tailBuffer
	// failure is the error text of a reactor, and code what its function returned.
	// Only the call's goroutine writes them, and they are read after it has ended.
	failure errorText
	code    uint32
	memory  *memoryLimit
}

// errOutputFull is the cause of a call that wrote too much.
var errOutputFull = errors.New("output beyond the limit")

func newCallState(ctx context.Context, call Call, limits Limits) *callState {
	if call.Name == "" {
		call.Name = "tool"
	}
	call.Entry = call.Entry.withDefaults()
	s := &callState{
		call:   call,
		stdin:  bytes.NewReader(call.Input),
		stderr: &tailBuffer{limit: limits.Stderr},
		memory: &memoryLimit{limit: limits.Memory},
	}
	s.ctx, s.stop = context.WithCancelCause(ctx)
	// Files end with the call too, wherever the guest or the host is with them.
	context.AfterFunc(s.ctx, call.Bindings.Files.Revoke)
	s.stdout = &cappedBuffer{limit: limits.Output, full: func() { s.stop(errOutputFull) }}
	return s
}

// instance is one running module. Host functions, streams and files find the call
// that they serve through it, never through a context, so that an instance may one
// day serve many calls.
type instance struct {
	// current is the call being served; nil when there is none, and then nothing
	// can be reached.
	current  atomic.Pointer[callState]
	preopens []preopen
	// fuel is what the guest may still run; below zero it calls refill.
	fuel api.MutableGlobal
}

// preopen is a directory that the guest finds open at start.
type preopen struct {
	name string // what the guest is told
	path string // where it is in the guest's file system
}

// workspaceMount is the mount that relative names are looked up in.
const workspaceMount = "workspace"

// preopensFor lists the preopens of a call: the root, each mount, and last "." for
// the workspace (see wasiBuilder for why).
func preopensFor(mounts []capability.FS) []preopen {
	list := []preopen{{"/", "/"}}
	workspace := ""
	for _, m := range mounts {
		if m.GuestPath() != "/" {
			list = append(list, preopen{m.GuestPath(), m.GuestPath()})
		}
		if m.Mount == workspaceMount {
			workspace = m.GuestPath()
		}
	}
	if workspace != "" {
		list = append(list, preopen{".", workspace})
	}
	return list
}

// run instantiates the module for a call and runs it. The error is the engine's;
// see callState.ending.
func (c *compiled) run(s *callState) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.r.log.Error("panic in the engine", "module", c.digest, "panic", p, "stack", string(debug.Stack()))
			err = errEnginePanic
		}
	}()
	i := &instance{preopens: preopensFor(s.call.Bindings.Mounts)}
	i.current.Store(s)
	defer i.current.Store(nil)

	// The engine takes its memory allocator from this context and from nowhere
	// else.
	ctx := experimental.WithMemoryAllocator(s.ctx, s.memory)
	mod, err := c.engine.runtime.InstantiateModule(ctx, c.engine.module, i.config(s))
	if err != nil {
		return err
	}
	i.fuel = mod.ExportedGlobal(rewrite.ExportFuel).(api.MutableGlobal)
	c.engine.instances.Store(mod, i)
	defer func() {
		c.engine.instances.Delete(mod)
		_ = mod.Close(context.Background())
	}()
	if start := mod.ExportedFunction(rewrite.ExportStart); start != nil {
		if _, err := start.Call(ctx); err != nil {
			return err
		}
	}
	if s.call.Entry.ABI == Reactor {
		return callReactor(ctx, mod, s)
	}
	_, err = mod.ExportedFunction(s.call.Entry.Export).Call(ctx)
	return err
}

func callReactor(ctx context.Context, mod api.Module, s *callState) error {
	if initialize := mod.ExportedFunction(initializeExport); initialize != nil {
		if _, err := initialize.Call(ctx); err != nil {
			return err
		}
	}
	results, err := mod.ExportedFunction(s.call.Entry.Export).Call(ctx)
	if err != nil {
		return err
	}
	s.code = api.DecodeU32(results[0])
	return nil
}

var errEnginePanic = errors.New("the engine failed")

// config wires the instance to the engine's WASI. No stream, clock or variable of
// the process is in it.
func (i *instance) config(s *callState) wazero.ModuleConfig {
	clock := func() hostfuncs.Clock {
		if s := i.current.Load(); s != nil {
			return s.call.Bindings.Clock
		}
		return stoppedClock{}
	}
	resolution := sys.ClockResolution(time.Millisecond)
	config := wazero.NewModuleConfig().
		WithName(""). // the module's own name must not collide with another's
		WithStartFunctions().
		WithArgs(append([]string{s.call.Name}, s.call.Args...)...).
		WithStdin(guestStdin{i}).
		WithStdout(guestStdout{i}).
		WithStderr(guestStderr{i}).
		WithRandSource(guestRandom{i}).
		WithWalltime(func() (int64, int32) {
			now := clock().Now()
			return now.Unix(), int32(now.Nanosecond())
		}, resolution).
		WithNanotime(func() int64 { return int64(clock().Elapsed()) }, resolution)
	env := s.call.Bindings.Env
	for _, name := range sortedKeys(env) {
		config = config.WithEnv(name, env[name])
	}
	if dot := slices.IndexFunc(i.preopens, func(p preopen) bool { return p.name == "." }); dot >= 0 {
		config = config.WithEnv("PWD", i.preopens[dot].path)
	}
	files := func() *hostfuncs.FS {
		if s := i.current.Load(); s != nil {
			return s.call.Bindings.Files
		}
		return nil
	}
	mounts := wazero.NewFSConfig()
	// Preopens of one path are one file system, so that files can be renamed between
	// them.
	views := make(map[string]experimentalsys.FS)
	for _, p := range i.preopens {
		if views[p.path] == nil {
			views[p.path] = guestfs.New(files, p.path)
		}
		mounts = mounts.(sysfs.FSConfig).WithSysFSMount(views[p.path], engineName(p))
	}
	return config.WithFSConfig(mounts)
}

// engineName is the name by which the engine tells preopens apart. The guest never
// sees it: prestatDirName answers with preopen.name.
func engineName(p preopen) string {
	if p.name == "." {
		return "/\x00workspace"
	}
	return p.name
}

// The streams and the randomness of a guest, each for the call being served.
type (
	guestStdin  struct{ *instance }
	guestStdout struct{ *instance }
	guestStderr struct{ *instance }
	guestRandom struct{ *instance }
)

// Each piece of a stream looks at the call: one function of WASI can carry millions.

func (g guestStdin) Read(p []byte) (int, error) {
	s := g.current.Load()
	switch {
	case !g.mayGoOn():
		return 0, errStreamClosed
	case s.call.Entry.ABI == Reactor:
		return 0, io.EOF
	}
	return s.stdin.Read(p)
}

func (g guestStdout) Write(p []byte) (int, error) {
	s := g.current.Load()
	switch {
	case !g.mayGoOn():
		return 0, errStreamClosed
	case s.call.Entry.ABI == Reactor:
		return s.stderr.Write(p)
	}
	return s.stdout.Write(p)
}

func (g guestStderr) Write(p []byte) (int, error) {
	if !g.mayGoOn() {
		return 0, errStreamClosed
	}
	return g.current.Load().stderr.Write(p)
}

// maxRandomRead bounds one read of randomness, so that a guest that asks for all
// its memory at once is looked at in between.
const maxRandomRead = 64 << 10

func (g guestRandom) Read(p []byte) (int, error) {
	if !g.mayGoOn() {
		return 0, errStreamClosed
	}
	return g.current.Load().call.Bindings.Random.Read(p[:min(len(p), maxRandomRead)])
}

// stoppedClock is what an instance without a call sees.
type stoppedClock struct{}

func (stoppedClock) Now() time.Time                       { return time.Unix(0, 0) }
func (stoppedClock) Elapsed() time.Duration               { return 0 }
func (stoppedClock) Sleep(context.Context, time.Duration) {}
