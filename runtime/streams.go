package runtime

import (
	"context"
	"io"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
)

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
	case s.call.Entry.ABI != Command:
		return 0, io.EOF
	}
	g.taintByCall("it reads its input where it cannot be stopped before")
	return s.stdin.Read(p)
}

func (g guestStdout) Write(p []byte) (int, error) {
	s := g.current.Load()
	if !g.mayGoOn() {
		return 0, errStreamClosed
	}
	g.taintByCall("it writes output while it starts")
	if s.call.Entry.ABI != Command {
		return s.stderr.Write(p)
	}
	return s.write(p)
}

func (g guestStderr) Write(p []byte) (int, error) {
	if !g.mayGoOn() {
		return 0, errStreamClosed
	}
	g.taintByCall("it writes diagnostics while it starts")
	return g.current.Load().stderr.Write(p)
}

// maxRandomRead bounds one read of randomness, so that a guest that asks for all
// its memory at once is looked at in between.
const maxRandomRead = 64 << 10

func (g guestRandom) Read(p []byte) (int, error) {
	if !g.mayGoOn() {
		return 0, errStreamClosed
	}
	b := g.current.Load().call.Bindings
	if !b.FixedRandom() {
		g.taint("it draws real randomness while it starts")
	}
	return b.Random.Read(p[:min(len(p), maxRandomRead)])
}

// clock is the clock of the call being served.
func (i *instance) clock() hostfuncs.Clock {
	if s := i.current.Load(); s != nil {
		return s.call.Bindings.Clock
	}
	return stoppedClock{}
}

// stoppedClock is what an instance without a call sees.
type stoppedClock struct{}

func (stoppedClock) Now() time.Time                       { return time.Unix(0, 0) }
func (stoppedClock) Elapsed() time.Duration               { return 0 }
func (stoppedClock) Sleep(context.Context, time.Duration) {}
