package abi

import (
	"context"
	"io"
	"maps"
	"slices"
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
