package process

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// The states of a job.
const (
	stateWaiting   = "waiting" // for a yes
	stateRunning   = "running"
	stateCompleted = "completed"
	stateFailed    = "failed"
	stateKilled    = "killed"
)

// maxTold is how many bytes are kept of what a job tells while it runs; the oldest lines go
// first. Its result is kept besides.
const maxTold = 256 << 10

// job is one call.
type job struct {
	owner       owner
	id, command string
	started     time.Time
	ended       chan struct{}
	call        tool.Started // set before anybody else has the job

	mu       sync.Mutex
	state    string
	killed   bool
	told     lines
	progress string
	live     string // the last of the output, where the tool tells of that
	endTime  time.Time
	result   tool.Result
	err      error
}

// begin says that the call may run.
func (j *job) begin() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.state == stateWaiting {
		j.state = stateRunning
	}
}

// await takes the end of the call in.
func (j *job) await() {
	result, err := j.call.Result(context.Background()) // the call ends with the table
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

// kill ends the call.
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

// log and update take in what the call tells.
func (j *job) log(_ slog.Level, text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.told.add(text)
}

func (j *job) update(u tool.Update) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if raw, told := u.Metadata["output"]; told {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			j.live = text
		}
	}
	switch {
	case u.Progress != nil && u.Progress.Message != "":
		j.progress = u.Progress.Message
	case u.Title != "":
		j.progress = u.Title
	}
}

// lines are the last lines that were told.
type lines struct {
	kept   []string
	size   int
	lost   int // lines that had to go
	unread int // of the kept ones, those at the end that no poll has shown
}

func (l *lines) add(text string) {
	l.kept, l.size, l.unread = append(l.kept, text), l.size+len(text), l.unread+1
	for l.size > maxTold && len(l.kept) > 1 {
		l.size -= len(l.kept[0])
		l.kept = l.kept[1:]
		l.lost++
	}
	l.unread = min(l.unread, len(l.kept))
}

// news returns what was told since it was asked last.
func (l *lines) news() string {
	text := strings.Join(l.kept[len(l.kept)-l.unread:], "\n")
	l.unread = 0
	return text
}

func (l *lines) all() string { return strings.Join(l.kept, "\n") }
