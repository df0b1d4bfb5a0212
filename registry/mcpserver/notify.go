package mcpserver

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"
)

// Bounds on what a tool may make a client hear: so many at once, and then one in so much
// time.
const (
	logBurst, logEvery           = 100, 50 * time.Millisecond
	progressBurst, progressEvery = 20, 50 * time.Millisecond
)

// maxUntold is how many messages wait for a client that reads slowly. Further ones are left
// out: no tool waits for a client, which could keep it beyond its deadline.
const maxUntold = 2 * (logBurst + progressBurst)

// notifier tells a client what the tool tells while it runs. The Registry calls it for one
// thing at a time, but a call that hangs may come late.
type notifier struct {
	ctx     context.Context
	session *mcp.ServerSession
	tool    string
	token   any // of the client for progress; nil when it wants none

	logs, steps *rate.Limiter

	untold chan func()   // is closed when nothing more comes
	ended  chan struct{} // is closed when all was told

	mu   sync.Mutex
	over bool
	done float64 // of the last step that was told
	told bool    // a step was
}

func newNotifier(ctx context.Context, req *mcp.CallToolRequest) *notifier {
	n := &notifier{
		ctx: ctx, session: req.Session, tool: req.Params.Name, token: req.Params.GetProgressToken(),
		logs:  rate.NewLimiter(rate.Every(logEvery), logBurst),
		steps: rate.NewLimiter(rate.Every(progressEvery), progressBurst),

		untold: make(chan func(), maxUntold), ended: make(chan struct{}),
	}
	go func() {
		defer close(n.ended)
		for tell := range n.untold {
			tell()
		}
	}()
	return n
}

// later has something told, if there is room.
func (n *notifier) later(tell func()) {
	select {
	case n.untold <- tell:
	default:
	}
}

// log tells a line. The session knows which levels the client wants to hear.
func (n *notifier) log(level slog.Level, text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.over || !n.logs.Allow() {
		return
	}
	n.later(func() {
		//lint:ignore SA1019 clients of 2025-11-25 and before have no other way to hear a log
		_ = n.session.Log(n.ctx, &mcp.LoggingMessageParams{Logger: n.tool, Level: mcpLevel(level), Data: text}) // a client that is gone hears nothing
	})
}

// progress tells how far the tool is. The protocol wants it to grow with each step.
func (n *notifier) progress(done, total float64, message string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.over || n.token == nil || n.told && done <= n.done {
		return
	}
	if last := total > 0 && done >= total; !n.steps.Allow() && !last {
		return
	}
	n.told, n.done = true, done
	n.later(func() {
		_ = n.session.NotifyProgress(n.ctx, &mcp.ProgressNotificationParams{
			ProgressToken: n.token, Progress: done, Total: total, Message: message,
		}) // a client that is gone hears nothing
	})
}

// end lets nothing more through, and returns when the client was told all that waits.
func (n *notifier) end() {
	n.mu.Lock()
	if !n.over {
		n.over = true
		close(n.untold)
	}
	n.mu.Unlock()
	<-n.ended
}

//lint:ignore SA1019 as above
func mcpLevel(level slog.Level) mcp.LoggingLevel {
	switch {
	case level >= slog.LevelError:
		return "error"
	case level >= slog.LevelWarn:
		return "warning"
	case level >= slog.LevelInfo:
		return "info"
	}
	return "debug"
}
