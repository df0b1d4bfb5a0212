package secret

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/internal/plainfile"
	"github.com/wasmtool/wasmtool/internal/procgroup"
)

// MaxSource limits the value of a source, in bytes.
const MaxSource = 64 << 10

var errTooLong = errors.New("is longer than 64 KiB; use a shorter value")

// Source reads the value of one secret. It must be safe for concurrent use.
type Source interface {
	// Value reads the value again each time. Its errors contain neither a value nor a path. An
	// error message continues a sentence that begins with the name of the secret: "is not set in
	// the environment".
	Value(ctx context.Context) ([]byte, error)
	// Kind is "env", "file", "command" or the kind passed to [FromFunc].
	Kind() string
}

// cutNewline returns p without one final line break, which editors and commands add.
func cutNewline(p []byte) []byte {
	if cut, ok := bytes.CutSuffix(p, []byte("\n")); ok {
		return bytes.TrimSuffix(cut, []byte("\r"))
	}
	return p
}

// hidden is embedded in types whose values must print as "[secret]" with every verb.
type hidden struct{}

// Format writes "[secret]".
func (hidden) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[secret]") }

// source is a Source that calls a function.
type source struct {
	hidden
	kind string
	read func(ctx context.Context) ([]byte, error)
}

func (s source) Kind() string { return s.kind }

func (s source) Value(ctx context.Context) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := s.read(ctx)
	switch {
	case err != nil:
		return nil, err
	case len(p) > MaxSource:
		return nil, errTooLong
	}
	return p, nil
}

// FromEnv returns the value of an environment variable, unchanged. lookup is a function such as
// os.LookupEnv and must be safe for concurrent use.
func FromEnv(name string, lookup func(string) (string, bool)) Source {
	return source{kind: "env", read: func(context.Context) ([]byte, error) {
		if lookup == nil {
			return nil, errors.New("cannot be read; no environment is available here")
		}
		value, ok := lookup(name)
		if !ok {
			return nil, errors.New("is not set in the environment; export the variable before you start wasmtool")
		}
		return []byte(value), nil
	}}
}

// FromFunc returns the result of read, at most 64 KiB. read cannot be interrupted: when its context
// ends, Value returns while the function read continues in the background. read must be safe for
// concurrent use. Its errors continue a sentence that begins with the name of the secret, and
// contain neither a value nor a path. kind names the source in errors, for example "keyring".
func FromFunc(kind string, read func() (string, error)) Source {
	return source{kind: kind, read: func(ctx context.Context) ([]byte, error) {
		var value string
		var err error
		done := make(chan struct{})
		go func() {
			defer close(done)
			value, err = read()
		}()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-done:
			return []byte(value), err
		}
	}}
}

// FromFile returns the content of a regular file, at most 64 KiB, without a final line break. The
// file must not be a symbolic link. Except on Windows, it must belong to the user of this process
// or to root and give no access to its group or others. Also, no other user may be able to replace
// it through one of its parent directories.
func FromFile(path string) Source {
	return source{kind: "file", read: func(context.Context) ([]byte, error) { return readFile(path) }}
}

func readFile(path string) ([]byte, error) {
	named, err := os.Lstat(path)
	if err != nil {
		return nil, fileError(err)
	}
	if !named.Mode().IsRegular() {
		return nil, errors.New("is not in a regular file; name the file itself, not a link, directory or device")
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, fileError(err)
	}
	defer func() { _ = f.Close() }() // the file was only read
	opened, err := f.Stat()
	switch {
	case err != nil:
		return nil, fileError(err)
	case !os.SameFile(named, opened):
		return nil, errors.New("is in a file that was replaced while it was opened; try again")
	case exposed(opened.Mode()):
		return nil, errors.New("is in a file that users other than its owner may access; run chmod 600 on it")
	}
	// A user who can write the file chooses what is sent in the operator's name.
	if problems := plainfile.Distrust(path, opened, "choose its value"); len(problems) > 0 {
		return nil, fmt.Errorf("is in a file that %w", problems[0])
	}
	p, err := io.ReadAll(io.LimitReader(f, MaxSource+1))
	switch {
	case err != nil:
		return nil, fileError(err)
	case len(p) > MaxSource:
		return nil, errTooLong
	}
	return cutNewline(p), nil
}

// fileError returns the reason without the path that err contains.
func fileError(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("is in a file that does not exist; create it or correct its path")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("is in a file that this process has no permission to read; let the user that runs wasmtool read it")
	}
	return errors.New("is in a file that cannot be read; check its path and the disk")
}

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
