// Package terminal lays out text for terminals: columns, lines that are wrapped at words, and a
// status that disappears.
package terminal

import (
	"cmp"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// Is reports whether a stream is a terminal. A stream that is not a file is never a
// terminal.
func Is(stream any) bool {
	f := fileOf(stream)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// fileOf returns the file of a stream, or nil.
func fileOf(stream any) *os.File {
	switch f := stream.(type) {
	case *os.File:
		return f
	case *StatusLine:
		return f.file
	}
	return nil
}

// Columns returns the width of a terminal, or 0 for a stream that is not a terminal, whose
// lines are never wrapped.
func Columns(stream any) int {
	if !Is(stream) {
		return 0
	}
	if columns, _, err := term.GetSize(int(fileOf(stream).Fd())); err == nil && columns > 0 {
		return columns
	}
	return unknownColumns
}

// unknownColumns is the width of a terminal that does not report its width.
const unknownColumns = 80

// StatusLine is standard error on a terminal. Its last line can show a status, such as a progress
// or the seconds of a compilation. Each write to the stream first removes the status. A StatusLine
// is safe for concurrent use.
type StatusLine struct {
	file *os.File

	mu      sync.Mutex
	shown   bool   // the status is on the terminal
	partial bool   // the last write did not end a line, so that no status can be shown
	tasks   []task // the tasks that have not ended; the first one is shown
	turning bool   // a goroutine runs turn while there are tasks
	closed  bool
}

// NewStatusLine returns a StatusLine for stream, or nil if stream is not a terminal.
func NewStatusLine(stream any) *StatusLine {
	if !Is(stream) {
		return nil
	}
	return &StatusLine{file: fileOf(stream)}
}

// task is work that takes seconds.
type task struct {
	key, text string
	begun     time.Time
}

// Write implements io.Writer.
func (l *StatusLine) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	if len(p) > 0 {
		l.partial = p[len(p)-1] != '\n'
	}
	return l.file.Write(p)
}

// erase removes the status from the terminal.
func (l *StatusLine) erase() {
	if l.shown {
		fmt.Fprint(l.file, "\r\x1b[K")
		l.shown = false
	}
}

// Show replaces the status with text, or removes it if text is empty.
func (l *StatusLine) Show(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.replace(text)
}

func (l *StatusLine) replace(text string) {
	l.erase()
	if l.closed || l.partial || text == "" {
		return
	}
	fmt.Fprint(l.file, clip(text, cmp.Or(Columns(l.file), unknownColumns)-1))
	l.shown = true
}

// LineEnded is called after the person has ended the line that the last write began.
func (l *StatusLine) LineEnded() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.partial = false
}

// Close removes the status for good.
func (l *StatusLine) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	l.closed, l.tasks = true, nil
}

// Begin shows text and the seconds that pass until End is called with the same key.
func (l *StatusLine) Begin(key, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tasks = append(l.tasks, task{key, text, time.Now()})
	if !l.turning {
		l.turning = true
		go l.spin()
	}
}

// End removes a task. When it returns, the status of the task is no longer shown.
func (l *StatusLine) End(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, t := range l.tasks {
		if t.key == key {
			l.tasks = append(l.tasks[:i], l.tasks[i+1:]...)
			l.erase()
			return
		}
	}
}

// interval is the time between two pictures of a spinner.
const interval = 100 * time.Millisecond

// spin shows the first task until all have ended.
func (l *StatusLine) spin() {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for now := range ticker.C {
		if !l.turn(now) {
			return
		}
	}
}

// turn shows the first task, and reports whether there is one.
func (l *StatusLine) turn(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.turning = len(l.tasks) > 0; !l.turning {
		return false
	}
	const frames = `|/-\`
	passed := max(0, now.Sub(l.tasks[0].begun))
	frame := frames[passed/interval%time.Duration(len(frames))]
	l.replace(fmt.Sprintf("%c %s, %d s", frame, l.tasks[0].text, passed/time.Second))
	return true
}
