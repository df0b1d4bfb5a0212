package commands

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
)

const (
	// brokenPipe is the exit status of a command that wrote to a pipe whose reader is closed: 128
	// plus the number of SIGPIPE.
	brokenPipe = 141
	// interrupted is the exit status of a command that was stopped at its time limit.
	interrupted = 124
)

// process is one run of a command.
type process struct {
	ctx    context.Context
	env    *command.Env
	name   string
	out    *bufio.Writer // buffered stdout; must be flushed before another writer uses stdout
	outErr error         // the first error of writing to stdout
	status int           // the exit status, which errorf sets
	// unreadable is the message format for an input that can't be read; its arguments are the name
	// and the reason.
	unreadable string
	ticks      uint
	ended      bool           // the context had ended when it was asked last
	maximum    int            // limit of the bytes kept in memory
	location   *time.Location // the zone that TZ names; nil before the first use
}

func newProcess(ctx context.Context, e *command.Env, name string) *process {
	return &process{ctx: ctx, env: e, name: name, out: bufio.NewWriterSize(e.Stdout, 32<<10), unreadable: "%s: %s", maximum: maxHeld}
}

// exit ends the run and returns the final exit status.
func (p *process) exit(status int) int {
	p.flush()
	switch {
	case command.IsBrokenPipe(p.outErr):
		return brokenPipe
	case p.ctx.Err() != nil:
		return interrupted
	case p.outErr != nil:
		p.errorf("write error: %s", message(p.outErr))
		return max(status, 1)
	}
	return status
}

// stopped reports whether the command must stop, because its time limit is exceeded or the reader
// of stdout is closed. Commands that run for a long time must call stopped often. stopped also
// yields, because a guest has a single thread and timers fire only when the running code yields.
func (p *process) stopped() bool {
	const every = 8 // asking the context costs more than handling a short line
	if p.ticks%256 == 255 {
		runtime.Gosched()
	}
	if p.ticks%every == 0 {
		p.ended = p.ctx.Err() != nil
	}
	p.ticks++
	return p.outErr != nil || p.ended
}

// Write appends to the buffer of stdout.
func (p *process) Write(b []byte) (int, error) {
	if p.outErr != nil {
		return 0, p.outErr
	}
	n, err := p.out.Write(b)
	p.outErr = err
	return n, err
}

// write, print and printf return no error; callers check the method stopped.
func (p *process) write(b []byte) { _, _ = p.Write(b) }

func (p *process) print(s string) {
	if p.outErr == nil {
		_, p.outErr = p.out.WriteString(s)
	}
}

func (p *process) printf(format string, args ...any) {
	if p.outErr == nil {
		_, p.outErr = fmt.Fprintf(p.out, format, args...)
	}
}

func (p *process) flush() {
	if p.outErr == nil {
		p.outErr = p.out.Flush()
	}
}

// errorf writes a line to stderr that begins with the name of the command, and sets the status to
// at least 1.
func (p *process) errorf(format string, args ...any) {
	p.flush()
	fmt.Fprintf(p.env.Stderr, "%s: %s\n", p.name, fmt.Sprintf(format, args...))
	p.status = max(p.status, 1)
}

// fail calls errorf and returns the status 1.
func (p *process) fail(format string, args ...any) int {
	p.errorf(format, args...)
	return 1
}

// path returns the absolute path of a name that is relative to the working directory.
func (p *process) path(name string) string { return command.Path(p.env.Dir, name) }

// run runs another command with the streams of this command, except that its standard input is
// stdin.
func (p *process) run(ctx context.Context, words []string, stdin io.Reader) int {
	p.flush()
	if p.outErr != nil {
		return brokenPipe
	}
	e := *p.env
	e.Args, e.Stdin = words, stdin
	return p.env.Run(ctx, words, &e)
}
