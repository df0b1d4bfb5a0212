package commands

import (
	"context"
	"runtime"
)

// A guest has a single thread, on which a timer fires only when the running code yields. The
// interpreters of awk and jq never yield, but they check their context. These contexts therefore
// yield at each check.

// yieldingDone is a context for interpreters that call Done at each check.
type yieldingDone struct {
	context.Context
	asked uint
}

func (y *yieldingDone) Done() <-chan struct{} {
	if y.asked++; y.asked%1024 == 0 {
		runtime.Gosched()
	}
	return y.Context.Done()
}

// yieldingErr is a context for interpreters that call Done once and then check the channel. The
// channel is always closed, so the interpreters call Err at each check. Err returns nil until the
// context ends.
type yieldingErr struct {
	context.Context
	closed chan struct{}
}

func newYieldingErr(ctx context.Context) yieldingErr {
	closed := make(chan struct{})
	close(closed)
	return yieldingErr{ctx, closed}
}

func (y yieldingErr) Done() <-chan struct{} { return y.closed }

func (y yieldingErr) Err() error {
	runtime.Gosched()
	return y.Context.Err()
}
