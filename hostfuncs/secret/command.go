package secret

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/internal/procgroup"
)

const (
	commandTime = 10 * time.Second
	// commandLinger is how long child processes may keep the output open after the command ends.
	commandLinger = time.Second
)

// FromCommand returns the output of a program, at most 64 KiB, without a final line break. The
// program runs without a shell and without input, in wasmtool's environment. After ten seconds it
// is killed together with its child processes (on Windows without them). Its standard error is
// dropped, since it may contain the value.
func FromCommand(argv []string) Source { return fromCommand(argv, commandTime) }

func fromCommand(argv []string, limit time.Duration) Source {
	argv = slices.Clone(argv)
	return source{kind: "command", read: func(ctx context.Context) ([]byte, error) { return runCommand(ctx, argv, limit) }}
}

func runCommand(ctx context.Context, argv []string, limit time.Duration) ([]byte, error) {
	if len(argv) == 0 || argv[0] == "" {
		return nil, errors.New("has an empty command; write the program and its arguments")
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(bounded, argv[0], argv[1:]...)
	var out capped
	cmd.Stdout = &out
	cmd.WaitDelay = commandLinger
	procgroup.Set(cmd)
	cmd.Cancel = func() error { return procgroup.Kill(cmd) }
	err := cmd.Run()
	if cmd.Process != nil && errors.Is(err, exec.ErrWaitDelay) {
		// kill children that outlived the command; an error means that they have just ended
		_ = procgroup.Kill(cmd)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case out.over:
		return nil, errTooLong
	case bounded.Err() != nil:
		return nil, errors.New("has a command that takes longer than ten seconds; check whether it waits for input")
	case errors.Is(err, exec.ErrWaitDelay):
		return nil, errors.New("has a command that leaves child processes running; let the command wait for them")
	case err != nil && cmd.ProcessState == nil:
		return nil, errors.New("has a command that cannot be started; check the program's name")
	case err != nil:
		return nil, errors.New("has a command that failed; run it by hand to see why")
	}
	return cutNewline(out.p), nil
}

// capped collects bytes, and fails if there are more than MaxSource.
type capped struct {
	p    []byte
	over bool
}

func (c *capped) Write(p []byte) (int, error) {
	if len(p) > MaxSource-len(c.p) {
		c.over = true
		return 0, errTooLong
	}
	c.p = append(c.p, p...)
	return len(p), nil
}
