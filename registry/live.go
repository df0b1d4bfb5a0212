package registry

import (
	"context"
	"sync"
)

// liveCalls are the calls that run. It is safe for concurrent use.
type liveCalls struct {
	mu    sync.Mutex
	calls map[*execution]struct{}
}

// begin notes that a call runs under a context that x.stop ends. end takes the note away.
func (l *liveCalls) begin(ctx context.Context, x *execution) (running context.Context, end func()) {
	running, stop := context.WithCancelCause(ctx)
	x.stop = stop
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls == nil {
		l.calls = make(map[*execution]struct{})
	}
	l.calls[x] = struct{}{}
	return running, func() {
		l.mu.Lock()
		delete(l.calls, x)
		l.mu.Unlock()
		stop(nil)
	}
}

func (l *liveCalls) all() []*execution {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]*execution, 0, len(l.calls))
	for x := range l.calls {
		list = append(list, x)
	}
	return list
}
