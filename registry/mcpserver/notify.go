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

// notifier tells a client what the tool tells while it runs. The Registry calls it for one
// thing at a time, but a call that hangs may come late.
type notifier struct {
	ctx     context.Context
	session *mcp.ServerSession
	tool    string
	token   any // of the client for progress; nil when it wants none

	logs, steps *rate.Limiter

	mu   sync.Mutex
	over bool
	done float64 // of the last step that was told
	told bool    // a step was
}

func newNotifier(ctx context.Context, req *mcp.CallToolRequest) *notifier {
	return &notifier{
		ctx: ctx, session: req.Session, tool: req.Params.Name, token: req.Params.GetProgressToken(),
		logs:  rate.NewLimiter(rate.Every(logEvery), logBurst),
		steps: rate.NewLimiter(rate.Every(progressEvery), progressBurst),
	}
}

// log tells a line. The session knows which levels the client wants to hear.
func (n *notifier) log(level slog.Level, text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.over || !n.logs.Allow() {
		return
	}
	//lint:ignore SA1019 clients of 2025-11-25 and before have no other way to hear a log
	_ = n.session.Log(n.ctx, &mcp.LoggingMessageParams{Logger: n.tool, Level: mcpLevel(level), Data: text}) // a client that is gone hears nothing
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
	_ = n.session.NotifyProgress(n.ctx, &mcp.ProgressNotificationParams{
		ProgressToken: n.token, Progress: done, Total: total, Message: message,
	}) // a client that is gone hears nothing
}

// end lets nothing more through.
func (n *notifier) end() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.over = true
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
