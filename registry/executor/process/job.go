package process

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// States of a job.
const (
	stateWaiting   = "waiting" // the call waits for approval
	stateRunning   = "running"
	stateCompleted = "completed"
	stateFailed    = "failed"
	stateKilled    = "killed"
)

// maxLog limits the log messages of a job that are kept while it runs, in bytes. The oldest are
// dropped first. The result does not count towards the limit.
const maxLog = 256 << 10

// job is a call in the background.
type job struct {
	owner       owner
	id, command string
	started     time.Time
	ended       chan struct{}
	call        tool.Started // set before other goroutines can see the job

	mu       sync.Mutex
	state    string
	killed   bool
	logged   messages
	progress string
	live     string // the end of the output so far, if the tool reports it
	endTime  time.Time
	result   tool.Result
	err      error
}

// begin records that the call was allowed to run.
func (j *job) begin() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.state == stateWaiting {
		j.state = stateRunning
	}
}

// await records the end of the call.
func (j *job) await() {
	result, err := j.call.Result(context.Background()) // the call ends when the table is closed
	j.mu.Lock()
	defer j.mu.Unlock()
	j.result, j.err, j.endTime = result, err, time.Now()
	var e *tool.Error
	switch {
	case err == nil:
		j.state = stateCompleted
	case j.killed && errors.As(err, &e) && e.Code == tool.CodeCancelled:
		j.state = stateKilled
	default:
		j.state = stateFailed
	}
	close(j.ended)
}

// kill cancels the call.
func (j *job) kill() {
	j.mu.Lock()
	j.killed = true
	j.mu.Unlock()
	j.call.Cancel()
}

func (j *job) over() bool {
	_, over := j.endedAt()
	return over
}

func (j *job) endedAt() (time.Time, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.endTime, !j.endTime.IsZero()
}

// log records a log message of the call.
func (j *job) log(_ slog.Level, text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.logged.add(text)
}

// update records the progress and the output of the call.
func (j *job) update(u tool.Update) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(u.Content) > 0 {
		j.live = tool.Result{Content: u.Content}.Text()
	}
	switch {
	case u.Progress != nil && u.Progress.Message != "":
		j.progress = u.Progress.Message
	case u.Title != "":
		j.progress = u.Title
	}
}

// messages holds the last log messages of a job.
type messages struct {
	texts  []string
	size   int // of texts, in bytes
	unread int // number of texts at the end that have not been returned by a poll
}

func (m *messages) add(text string) {
	m.texts, m.size, m.unread = append(m.texts, text), m.size+len(text), m.unread+1
	for m.size > maxLog && len(m.texts) > 1 {
		m.size -= len(m.texts[0])
		m.texts = m.texts[1:]
	}
	m.unread = min(m.unread, len(m.texts))
}

// news returns the messages that were logged since the last call of news.
func (m *messages) news() string {
	text := strings.Join(m.texts[len(m.texts)-m.unread:], "\n")
	m.unread = 0
	return text
}

func (m *messages) all() string { return strings.Join(m.texts, "\n") }
