// Package child compiles a possibly hostile module in a child process that can be killed.
//
// The engine's compiler ignores its context, and may take seconds and gigabytes for a module of a
// few kilobytes. A panic in one of its goroutines ends the process. So [Compile] starts a program
// that calls [Serve]. That program limits itself, compiles, and leaves the machine code in a
// scratch directory, where the parent finds it. The parent parses the child's reply strictly and
// uses it only for the result of Compile. The code that the child leaves is trusted as much as the
// compiler.
package child

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// The defaults and ranges of Options.
const (
	DefaultTimeout = time.Minute
	MaxTimeout     = time.Hour
	// DefaultMaxMemory is 2 GiB.
	DefaultMaxMemory = 2 << 30
	// MinMaxMemory is 256 MiB. Below it, Go's own reserve leaves no room.
	MinMaxMemory = 256 << 20
	// DefaultMaxOutput is 512 MiB.
	DefaultMaxOutput = 512 << 20
	// MaxModuleBytes is the size of the largest module that a child compiles: 256 MiB.
	MaxModuleBytes = 256 << 20
)

// killDelay is how long to wait until the pipes of a child are closed after the child has ended or
// was killed. A process that the child started may still have them open.
const killDelay = 2 * time.Second

// Options configures the child and its limits.
type Options struct {
	// Command is the program and its arguments; the program must call [Serve]. Its path is
	// absolute. It must be the same build as the parent, because the parent cannot use other code.
	Command []string
	// Timeout limits the time of the child by the clock, up to MaxTimeout; 0 means DefaultTimeout.
	Timeout time.Duration
	// MaxMemory limits the memory of the child in bytes, from MinMaxMemory to 1 TiB; 0 means
	// DefaultMaxMemory. For short moments, the child may use up to 1.5 times that much.
	MaxMemory uint64
	// MaxOutput limits the size in bytes of a file that the child leaves and the parent reads, up
	// to 1 TiB; 0 means DefaultMaxOutput. It is enforced only on Unix.
	MaxOutput uint64
	// Processors is the number of processors that the child uses at once; 0 means all.
	Processors int
}

// Compile lets a child compile a module and leave the machine code in dir, an existing directory
// that nothing else uses. When ctx is done or the timeout expires, the child is killed and Compile
// returns immediately. The child has always ended when Compile returns. Every error is an [*Error];
// after an error, dir may contain partial files and must not be used. Compile is safe for
// concurrent use with different directories.
func Compile(ctx context.Context, o Options, wasm []byte, dir string) error {
	j, err := o.job(wasm, dir)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return cancelled(err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return unavailable("the current directory is unknown")
	}
	return start(ctx, o, j, wasm, dir).err(ctx, j, dir)
}

// job returns the job for a module, or an *Error that names the invalid option.
func (o Options) job(wasm []byte, dir string) (job, error) {
	j := job{
		timeout: cmp.Or(o.Timeout, DefaultTimeout), memory: cmp.Or(o.MaxMemory, DefaultMaxMemory),
		output: cmp.Or(o.MaxOutput, DefaultMaxOutput), size: uint64(len(wasm)),
	}
	switch {
	case len(o.Command) == 0 || !filepath.IsAbs(o.Command[0]):
		return j, unavailable("Options.Command must start with the absolute path of a program")
	case dir == "":
		return j, unavailable("no directory is given for the machine code")
	case len(wasm) > MaxModuleBytes:
		return j, &Error{Kind: Refused, Message: fmt.Sprintf("the module has %d bytes; the limit is %d", len(wasm), MaxModuleBytes)}
	}
	if err := j.check(); err != nil {
		return j, &Error{Kind: Unavailable, Message: err.Error()}
	}
	return j, nil
}

// errTimeout and errChatter are reasons for killing a child.
var (
	errTimeout = errors.New("the timeout expired")
	errChatter = errors.New("the child writes too much")
)

// start starts a child and waits until it has ended.
func start(ctx context.Context, o Options, j job, wasm []byte, dir string) ending {
	// On Linux, a child is killed when the thread that started it ends. The Go runtime may end any
	// thread to which no goroutine is locked.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	ctx, stopTimer := context.WithTimeoutCause(ctx, j.timeout, errTimeout)
	defer stopTimer()
	ctx, kill := context.WithCancelCause(ctx)
	defer kill(nil)

	stdout := &head{limit: maxReplyBytes, full: func() { kill(errChatter) }}
	stderr := &head{limit: maxDetailBytes}
	cmd := exec.CommandContext(ctx, o.Command[0], o.Command[1:]...)
	cmd.Dir = dir
	// nil would mean the parent's environment; Go and the engine need no variables
	cmd.Env = []string{}
	if o.Processors > 0 {
		cmd.Env = append(cmd.Env, fmt.Sprint("GOMAXPROCS=", o.Processors))
	}
	cmd.Stdin = io.MultiReader(bytes.NewReader(j.header()), bytes.NewReader(wasm))
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = killDelay
	isolate(cmd)

	e := ending{failure: cmd.Run(), cause: context.Cause(ctx)}
	// Run has returned, so the goroutines that write to the heads have ended.
	e.state, e.stdout, e.stderr = cmd.ProcessState, stdout.data, stderr.data
	return e
}

// head keeps the first bytes written to it and drops the rest.
type head struct {
	data  []byte
	limit int
	full  func() // called whenever bytes are dropped; may be nil
}

// Write never fails, even when it drops bytes. After an error the parent would stop reading, and
// the child would block or die, depending on timing.
func (h *head) Write(p []byte) (int, error) {
	first := p[:min(len(p), h.limit-len(h.data))]
	h.data = append(h.data, first...)
	if len(first) < len(p) && h.full != nil {
		h.full()
	}
	return len(p), nil
}
