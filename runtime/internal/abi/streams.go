package abi

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/hostfuncs"
)

// config connects the guest to the engine's WASI. It contains no stream, clock or variable of the
// process.
func (g *Guest) config(c *Call) wazero.ModuleConfig {
	resolution := sys.ClockResolution(time.Millisecond)
	config := moduleConfig().
		WithArgs(append([]string{c.Name}, c.Args...)...).
		WithStdin(guestStdin{g}).
		WithStdout(guestStdout{g}).
		WithStderr(guestStderr{g}).
		WithRandSource(guestRandom{g}).
		WithWalltime(func() (int64, int32) {
			now := g.clock().Now()
			return now.Unix(), int32(now.Nanosecond())
		}, resolution).
		WithNanotime(func() int64 { return int64(g.clock().Elapsed()) }, resolution).
		WithFSConfig(g.mounts())
	env := c.Bindings.Env
	for _, name := range SortedKeys(env) {
		config = config.WithEnv(name, env[name])
	}
	if dot := g.workspace(); dot != "" {
		config = config.WithEnv("PWD", dot)
	}
	return config
}

// SortedKeys returns the sorted keys of a map. It allocates nothing for an empty map, which is the
// common case.
func SortedKeys(m map[string]string) []string {
	if len(m) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(m))
}

// The streams and the randomness of a guest. Each uses the call being served.
type (
	guestStdin  struct{ guest *Guest }
	guestStdout struct{ guest *Guest }
	guestStderr struct{ guest *Guest }
	guestRandom struct{ guest *Guest }
)

// Every read and write of a stream checks whether the call may continue, because one function of
// WASI can transfer millions of pieces.

func (s guestStdin) Read(p []byte) (int, error) {
	c := s.guest.current.Load()
	switch {
	case !s.guest.mayGoOn():
		return 0, errStreamClosed
	case c.Entry.Form != Command:
		return 0, io.EOF
	}
	s.guest.taintByCall("it reads its input at a place where it cannot be saved")
	return c.stdin.Read(p)
}

func (s guestStdout) Write(p []byte) (int, error) {
	if !s.guest.mayGoOn() {
		return 0, errStreamClosed
	}
	s.guest.taintByCall("it writes output during its start")
	c := s.guest.current.Load()
	if c.Entry.Form != Command {
		return c.stderr.Write(p)
	}
	return c.write(p)
}

func (s guestStderr) Write(p []byte) (int, error) {
	if !s.guest.mayGoOn() {
		return 0, errStreamClosed
	}
	s.guest.taintByCall("it writes diagnostics during its start")
	return s.guest.current.Load().stderr.Write(p)
}

// maxRandomRead limits one read of randomness. A guest that fills all its memory with randomness
// thus checks its deadline between reads.
const maxRandomRead = 64 << 10

func (s guestRandom) Read(p []byte) (int, error) {
	if !s.guest.mayGoOn() {
		return 0, errStreamClosed
	}
	p = p[:min(len(p), maxRandomRead)]
	b := s.guest.current.Load().Bindings
	if _, fixed := b.FixedRandom(); !fixed {
		if g := s.guest; g.startRandom != nil && !g.started && !g.traces.OwnFiles() {
			return g.startRandom.Read(p)
		}
		s.guest.Taint("it reads real randomness during its start")
	}
	return b.Random.Read(p)
}

// clock returns the clock of the call being served.
func (g *Guest) clock() hostfuncs.Clock {
	if c := g.current.Load(); c != nil {
		return c.Bindings.Clock
	}
	return stoppedClock{}
}

// stoppedClock is the clock of an instance without a call.
type stoppedClock struct{}

func (stoppedClock) Now() time.Time                       { return time.Unix(0, 0) }
func (stoppedClock) Elapsed() time.Duration               { return 0 }
func (stoppedClock) Sleep(context.Context, time.Duration) {}

// errStreamClosed is the error of a write to a stream that is full or closed.
var errStreamClosed = errors.New("the stream is closed")

// cappedBuffer stores up to limit bytes of what a guest writes. The write that would exceed the
// limit fails, and so do all writes after it. It is safe for concurrent use, because an abandoned
// call may still write while its buffer is read.
type cappedBuffer struct {
	mu     sync.Mutex
	data   []byte
	limit  int64
	closed bool
}

func (b *cappedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = b.closed || int64(len(b.data))+int64(len(p)) > b.limit
	if b.closed {
		return 0, errStreamClosed
	}
	b.data = append(b.data, p...)
	return len(p), nil
}

// drop discards the written data.
func (b *cappedBuffer) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.data = nil
}

// take closes the buffer and returns the written data.
func (b *cappedBuffer) take() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return b.data
}

// tailBuffer stores the last limit bytes of what a guest writes, because the end of an error stream
// matters most. It counts the bytes before them. It is safe for concurrent use.
type tailBuffer struct {
	mu      sync.Mutex
	data    []byte // at most 2*limit bytes; only the last limit bytes are part of the result
	limit   int
	dropped int64
}

func (b *tailBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(p)
	if n > b.limit {
		b.dropped += int64(n - b.limit)
		p = p[n-b.limit:]
	}
	b.data = append(b.data, p...)
	if len(b.data) > 2*b.limit {
		b.trim()
	}
	return n, nil
}

// trim cuts data to the last limit bytes.
func (b *tailBuffer) trim() {
	if over := len(b.data) - b.limit; over > 0 {
		b.dropped += int64(over)
		b.data = append(b.data[:0], b.data[over:]...)
	}
}

// drop discards the written data.
func (b *tailBuffer) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.data, b.dropped = nil, 0
}

// take returns the tail and the number of bytes before it.
func (b *tailBuffer) take() ([]byte, int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trim()
	return b.data, b.dropped
}
