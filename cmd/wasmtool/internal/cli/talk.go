package cli

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
)

// talk shows on standard error what a tool tells while it runs: its log by lines, and on a
// terminal how far it is, on a line that is written over. The functions of a call that
// hangs may come late, so it is safe for concurrent use.
type talk struct {
	a       *app
	name    string
	least   slog.Level // lines below are not shown
	mu      sync.Mutex
	showing bool // there is a line of progress
	over    bool
}

func (a *app) newTalk(name string, verbose bool) *talk {
	t := &talk{a: a, name: name, least: slog.LevelWarn}
	if verbose {
		t.least = slog.LevelDebug
	}
	return t
}

// log shows a line.
func (t *talk) log(level slog.Level, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if level < t.least || t.over {
		return
	}
	t.clear()
	io.WriteString(t.a.Err, logLine(t.name, level, text))
}

// logLine is what a tool logged, marked as its own.
func logLine(tool string, level slog.Level, text string) string {
	return fmt.Sprintf("%s: %s: %s\n", oneLine(tool), strings.ToLower(level.String()), indent(printable(text)))
}

// maxShownProgress keeps a line of progress on one line of a terminal.
const maxShownProgress = 60

// progress shows how far the tool is.
func (t *talk) progress(done, total float64, message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	text := fmt.Sprintf("%g", done)
	if total > 0 {
		text = fmt.Sprintf("%.0f %%", 100*min(1, done/total))
	}
	if runes := []rune(oneLine(message)); len(runes) > 0 {
		text += "  " + string(runes[:min(len(runes), maxShownProgress)])
	}
	t.clear()
	fmt.Fprintf(t.a.Err, "%s: %s", oneLine(t.name), text)
	t.showing = true
}

// end takes the line of progress away and shows nothing more.
func (t *talk) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clear()
	t.over = true
}

// clear takes the line of progress away.
func (t *talk) clear() {
	if t.showing {
		fmt.Fprint(t.a.Err, "\r\x1b[K")
		t.showing = false
	}
}
