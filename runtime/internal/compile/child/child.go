// Package child compiles a possibly hostile module in a child process that
// can be killed.
//
// The engine's compiler ignores its context, may take seconds and gigabytes for a
// module of a few kilobytes, and a panic in one of its goroutines ends the process.
// So Compile starts a program that calls Serve, which limits itself, compiles, and
// leaves the machine code in a scratch folder, where the parent finds it. What the
// child says is parsed strictly and decides nothing but what Compile returns; the
// code it leaves is trusted as much as the compiler.
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
	// MinMaxMemory is 256 MiB: below it, what Go keeps in reserve leaves no room.
	MinMaxMemory = 256 << 20
	// DefaultMaxOutput is 512 MiB.
	DefaultMaxOutput = 512 << 20
	// MaxModuleBytes is the largest module that is handed to a child: 256 MiB.
	MaxModuleBytes = 256 << 20
)

// killDelay is how long a child that was killed, or that ended, may keep its pipes
// open, through a process that it started.
const killDelay = 2 * time.Second

// Options say how to start a child and what it may use.
type Options struct {
	// Command is the program and its arguments; it must call Serve. The program is an
	// absolute path, and is of the same build as the parent, or its code is of no use.
	Command []string
	// Timeout is how long the child may take by the clock, at most MaxTimeout; 0 means
	// DefaultTimeout.
	Timeout time.Duration
	// MaxMemory is how many bytes of memory the child may use, MinMaxMemory to 1 TiB; 0
	// means DefaultMaxMemory. For moments, it may be half as much again.
	MaxMemory uint64
	// MaxOutput is how many bytes a file that the child leaves may have, at most
	// 1 TiB; 0 means DefaultMaxOutput. The parent will read them. It holds on Unix.
	MaxOutput uint64
	// Processors is how many processors the child uses at once; 0 means all.
	Processors int
}

// Compile has a child compile a module and leave the machine code in dir, which
// exists and is used by nobody else. When ctx is done or the time is over, the child is
// killed and Compile returns at once; in any case the child is gone when it returns.
// Every error is an *Error; dir may hold pieces then, and must not be used. Compile is
// safe for concurrent use with different folders.
func Compile(ctx context.Context, o Options, wasm []byte, dir string) error {
	j, err := o.job(wasm, dir)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return cancelled(err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return unavailable("the current folder is not known")
	}
	return start(ctx, o, j, wasm, dir).err(ctx, j, dir)
}

// job returns the job for a module, or an *Error that names what is wrong.
func (o Options) job(wasm []byte, dir string) (job, error) {
	j := job{
		timeout: cmp.Or(o.Timeout, DefaultTimeout), memory: cmp.Or(o.MaxMemory, DefaultMaxMemory),
		output: cmp.Or(o.MaxOutput, DefaultMaxOutput), size: uint64(len(wasm)),
	}
	switch {
	case len(o.Command) == 0 || !filepath.IsAbs(o.Command[0]):
		return j, unavailable("Options.Command must start with the absolute path of a program")
	case dir == "":
		return j, unavailable("no folder is named for the machine code")
	case len(wasm) > MaxModuleBytes:
		return j, &Error{Kind: Refused, Message: fmt.Sprintf("the module has %d bytes; at most %d are compiled", len(wasm), MaxModuleBytes)}
	}
	if err := j.check(); err != nil {
		return j, &Error{Kind: Unavailable, Message: err.Error()}
	}
	return j, nil
}

// errTimeout and errChatter are causes for killing a child.
var (
	errTimeout = errors.New("the time is over")
	errChatter = errors.New("the child writes without end")
)

// start runs a child to its end.
func start(ctx context.Context, o Options, j job, wasm []byte, dir string) ending {
	// On Linux a child is killed when the thread that started it ends, which the Go
	// runtime may let happen to any thread that no goroutine is locked to.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	ctx, stopTimer := context.WithTimeoutCause(ctx, j.timeout, errTimeout)
	defer stopTimer()
	ctx, kill := context.WithCancelCause(ctx)
	defer kill(nil)

	said := &head{limit: maxReplyBytes, full: func() { kill(errChatter) }}
	noise := &head{limit: maxDetailBytes}
	cmd := exec.CommandContext(ctx, o.Command[0], o.Command[1:]...)
	cmd.Dir = dir
	cmd.Env = []string{} // nil would be the parent's; Go and the engine need none
	if o.Processors > 0 {
		cmd.Env = append(cmd.Env, fmt.Sprint("GOMAXPROCS=", o.Processors))
	}
	cmd.Stdin = io.MultiReader(bytes.NewReader(j.header()), bytes.NewReader(wasm))
	cmd.Stdout, cmd.Stderr = said, noise
	cmd.WaitDelay = killDelay
	isolate(cmd)

	e := ending{failure: cmd.Run(), cause: context.Cause(ctx)}
	// Only now has everybody who writes to them returned.
	e.state, e.said, e.noise = cmd.ProcessState, said.data, noise.data
	return e
}

// head keeps the first bytes that are written to it, and drops the rest.
type head struct {
	data  []byte
	limit int
	full  func() // called whenever something is dropped; nil for nothing
}

// Write never fails: a writer that stops reading makes the child block or die, and
// which of them would depend on the moment.
func (h *head) Write(p []byte) (int, error) {
	kept := p[:min(len(p), h.limit-len(h.data))]
	h.data = append(h.data, kept...)
	if len(kept) < len(p) && h.full != nil {
		h.full()
	}
	return len(p), nil
}
