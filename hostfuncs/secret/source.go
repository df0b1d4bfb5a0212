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
	"time"

	"github.com/zalando/go-keyring"
)

// MaxBytes is the longest value of a secret.
const MaxBytes = 8 << 10

// commandTimeout is how long a command may take to tell a secret.
const commandTimeout = 10 * time.Second

// Source is where the value of one secret comes from. Implementations are safe for
// concurrent use and return when ctx is done. The text of an error names neither the value
// nor where it is kept.
type Source interface {
	// Value returns the value as it is there, but for one line end at its end.
	Value(ctx context.Context) ([]byte, error)
	// Kind is "variable", "file", "command" or "keyring".
	Kind() string
}

// FromEnv takes a secret from an environment variable, which lookup knows.
func FromEnv(name string, lookup func(name string) (string, bool)) Source {
	return source{"variable", func(context.Context) ([]byte, error) {
		value, ok := lookup(name)
		if !ok {
			return nil, errors.New("the variable is not set")
		}
		return []byte(value), nil
	}}
}

// FromFile takes a secret from a regular file that others than its owner cannot read.
func FromFile(path string) Source {
	return source{"file", func(context.Context) ([]byte, error) { return readFile(path) }}
}

func readFile(path string) ([]byte, error) {
	file, err := openRegular(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("there is no such file")
	case errors.Is(err, fs.ErrPermission):
		return nil, errors.New("the file may not be read")
	case err != nil:
		return nil, errors.New("the file cannot be opened")
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil || !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	case othersMay(info):
		return nil, errors.New("others can read the file; give it the mode 0600")
	}
	data, err := io.ReadAll(io.LimitReader(file, MaxBytes+2))
	if err != nil {
		return nil, errors.New("the file cannot be read")
	}
	return data, nil
}

// FromCommand takes a secret from what a program prints. argv is its name and arguments; no
// shell is asked. It has ten seconds, and is killed after them.
func FromCommand(argv []string) Source {
	return source{"command", func(ctx context.Context) ([]byte, error) {
		if len(argv) == 0 {
			return nil, errors.New("there is no command")
		}
		ctx, cancel := context.WithTimeout(ctx, commandTimeout)
		defer cancel()
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		out := &capped{}
		cmd.Stdout = out
		cmd.WaitDelay = time.Second // for what it started and left behind
		inGroup(cmd)
		err := cmd.Run()
		switch {
		case ctx.Err() != nil:
			return nil, errors.New("the command did not end in time")
		case err != nil:
			return nil, errors.New("the command failed; run it by hand to see why")
		}
		return out.Bytes(), nil
	}}
}

// capped keeps a little more than a secret may have, and drops the rest.
type capped struct{ bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	c.Buffer.Write(p[:min(len(p), max(0, MaxBytes+2-c.Len()))])
	return len(p), nil
}

// FromKeyring takes a secret from the keyring of the system.
func FromKeyring(service, user string) Source {
	return source{"keyring", func(context.Context) ([]byte, error) {
		value, err := keyring.Get(service, user)
		switch {
		case errors.Is(err, keyring.ErrNotFound):
			return nil, errors.New("the keyring has no such entry")
		case err != nil:
			return nil, errors.New("the keyring of this system cannot be used")
		}
		return []byte(value), nil
	}}
}

// source is a Source that a function reads.
type source struct {
	kind string
	read func(ctx context.Context) ([]byte, error)
}

// Kind implements Source.
func (s source) Kind() string { return s.kind }

// Value implements Source. Reading can hang in the host; then it goes on by itself.
func (s source) Value(ctx context.Context) ([]byte, error) {
	type outcome struct {
		value []byte
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := s.read(ctx)
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, o.err
		}
		return trimLineEnd(o.value)
	case <-ctx.Done():
		return nil, errors.New("it did not come in time")
	}
}

func trimLineEnd(value []byte) ([]byte, error) {
	value = bytes.TrimSuffix(bytes.TrimSuffix(value, []byte("\n")), []byte("\r"))
	switch {
	case len(value) == 0:
		return nil, errors.New("it is empty")
	case len(value) > MaxBytes:
		return nil, fmt.Errorf("it has more than %d bytes", MaxBytes)
	}
	return value, nil
}

func openRegular(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|nonBlocking, 0) }
