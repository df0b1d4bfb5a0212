package commands

import (
	"context"
	"runtime"
)

// A guest has a single thread, on which a timer goes off only when what runs lets
// it. The interpreters of awk and jq never do, but they ask their context: these
// let the others run when they are asked.

// yieldingDone is for those that call Done again and again.
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

// yieldingErr is for those that call Done once, look at the channel every now and
// then, and take the answer of Err for granted, which may be nil here although the
// channel is closed.
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
