package mcpserver

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"
)

// Limits of the notifications that a tool may send. After a burst, one notification is sent per
// interval.
const (
	logBurst, logEvery           = 100, 50 * time.Millisecond
	progressBurst, progressEvery = 20, 50 * time.Millisecond
)

// maxQueued limits the notifications that wait for a client that reads slowly. Further
// notifications are dropped. A tool must not wait for a client, because the wait could last past
// the tool's deadline.
const maxQueued = 2 * (logBurst + progressBurst)

// notifier sends the logs and progress of a running tool to the client. The Registry does not call
// it concurrently, but a call that hangs may still use the notifier after end has returned.
type notifier struct {
	ctx     context.Context
	session *mcp.ServerSession
	tool    string
	token   any // progress token of the client; nil if the client wants no progress

	logLimit, progressLimit *rate.Limiter

	queue   chan func()   // sends notifications; closed by end
	flushed chan struct{} // closed when the queue is closed and empty

	mu       sync.Mutex
	over     bool
	reported bool    // progress was reported
	done     float64 // value of the last progress
}

func newNotifier(ctx context.Context, req *mcp.CallToolRequest) *notifier {
	n := &notifier{
		ctx: ctx, session: req.Session, tool: req.Params.Name, token: req.Params.GetProgressToken(),
		logLimit:      rate.NewLimiter(rate.Every(logEvery), logBurst),
		progressLimit: rate.NewLimiter(rate.Every(progressEvery), progressBurst),

		queue: make(chan func(), maxQueued), flushed: make(chan struct{}),
	}
	go func() {
		defer close(n.flushed)
		for send := range n.queue {
			send()
		}
	}()
	return n
}

// enqueue queues a notification, or drops it if the queue is full.
func (n *notifier) enqueue(send func()) {
	select {
	case n.queue <- send:
	default:
	}
}

// log sends a log message. The session drops messages of levels that the client did not ask for.
func (n *notifier) log(level slog.Level, text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.over || !n.logLimit.Allow() {
		return
	}
	n.enqueue(func() {
		// An error means that the client is gone.
		//lint:ignore SA1019 clients of 2025-11-25 and earlier have no other way to receive logs
		_ = n.session.Log(n.ctx, &mcp.LoggingMessageParams{Logger: n.tool, Level: mcpLevel(level), Data: text})
	})
}

// progress sends the progress of the tool. The protocol requires it to increase each time.
func (n *notifier) progress(done, total float64, message string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.over || n.token == nil || n.reported && done <= n.done {
		return
	}
	if last := total > 0 && done >= total; !n.progressLimit.Allow() && !last {
		return
	}
	n.reported, n.done = true, done
	n.enqueue(func() {
		_ = n.session.NotifyProgress(n.ctx, &mcp.ProgressNotificationParams{
			ProgressToken: n.token, Progress: done, Total: total, Message: message,
		}) // fails if the client has disconnected
	})
}

// end refuses further notifications, and returns when all queued notifications were sent.
func (n *notifier) end() {
	n.mu.Lock()
	if !n.over {
		n.over = true
		close(n.queue)
	}
	n.mu.Unlock()
	<-n.flushed
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
