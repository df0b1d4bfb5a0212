package hostfuncs

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"math"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/hostfuncs/secret"
)

// Bounds of what a guest can tell in one call.
const (
	// MaxLogText is how many bytes of a log line are kept; the rest is cut off.
	MaxLogText = 8 << 10
	// MaxLogLines and MaxLogBytes are how much a call can log. The line that would pass
	// them is replaced by a warning, and further ones are dropped.
	MaxLogLines = 1000
	MaxLogBytes = 256 << 10
	// MaxProgressText is how many bytes of a progress message are kept.
	MaxProgressText = 1 << 10
	// ProgressInterval is how much time lies between two reports of progress at least;
	// those between are dropped, but for the one that says that all is done.
	ProgressInterval = 50 * time.Millisecond
)

// Listener hears what a guest tells while it runs. The functions may be nil. They are
// called on the guest's goroutine, one at a time for each call: return soon. The texts are
// valid UTF-8 of the guest's, which may hold anything else: make control characters
// harmless before a terminal sees them.
type Listener struct {
	// Log gets a line with its level, one of slog's four.
	Log func(level slog.Level, text string)
	// Progress gets how much is done of how much in all, in units of the guest's own, and
	// what it says about it. total is 0 when the guest does not know it.
	Progress func(done, total float64, message string)
	// Update gets what the call is doing or has found, in a few words, and values by name,
	// each of them JSON; either may be empty.
	Update func(title string, metadata map[string]json.RawMessage)

	hide *callSecrets // nil hides nothing
}

// tell is a guest's text as listeners get it. Secrets are hidden before it is cut, or half
// of one could be left at its end.
func (l *Listener) tell(text []byte, most int) string {
	if l.hide == nil {
		return legible(text, most)
	}
	return legible([]byte(l.hide.text(legible(text, most+secret.MaxForm))), most)
}

// Talk is what the guest of one call tells. It is safe for concurrent use.
type Messages struct {
	l Listener

	mu           sync.Mutex
	lines, bytes int
	told         time.Time // when progress was told last
	finished     bool      // and whether that was all
	updating     time.Time // when the second began in which there were
	updates      int       // so many of them
}

// NewMessages returns a Talk that a listener hears.
func NewMessages(l Listener) *Messages { return &Messages{l: l} }

// heard reports whether anybody listens.
func (t *Messages) heard() bool { return t.l.Log != nil || t.l.Progress != nil || t.l.Update != nil }

// LogLevel returns the level that a guest's number stands for: 0 debug, 1 information, 2
// warning, and 3 and more error.
func LogLevel(n uint32) slog.Level {
	return [...]slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}[min(n, 3)]
}

// Log hands on a line.
func (t *Messages) Log(level slog.Level, text []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.l.Log == nil || t.lines > MaxLogLines {
		return
	}
	line := t.l.tell(text, MaxLogText)
	t.lines++
	t.bytes += len(line)
	if t.lines > MaxLogLines || t.bytes > MaxLogBytes {
		t.lines = MaxLogLines + 1
		level, line = slog.LevelWarn, "the tool logs too much; what it logs from here on is dropped"
	}
	t.l.Log(level, line)
}

// Progress hands on how far the guest is. What is no number of work done is dropped.
func (t *Messages) Progress(done, total float64, message []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.l.Progress == nil || !isAmount(done) || !isAmount(total) {
		return
	}
	now := time.Now()
	finished := total > 0 && done >= total
	atOnce := finished && !t.finished
	if now.Sub(t.told) < ProgressInterval && !atOnce {
		return
	}
	t.told, t.finished = now, finished
	t.l.Progress(done, total, t.l.tell(message, MaxProgressText))
}

func isAmount(f float64) bool { return f >= 0 && !math.IsInf(f, 1) }

// legible is text of a guest as valid UTF-8, at most so many bytes of it.
func legible(text []byte, most int) string {
	s := strings.ToValidUTF8(string(text[:min(len(text), most)]), "\uFFFD")
	if len(s) > most { // what takes the place of a wrong byte is longer
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}

// Bounds of what a guest tells of its call.
const (
	// MaxUpdate is how many bytes of JSON one update has.
	MaxUpdate = 16 << 10
	// MaxUpdateTitle is how many bytes of a title are kept.
	MaxUpdateTitle = 256
	// MaxUpdates is how many updates are handed on in one second.
	MaxUpdates = 20
)

// Update hands on a title, metadata or both, as a JSON object. What is refused is a *Fault
// and has no effect, so that a guest does not take for told what nobody heard.
func (t *Messages) Update(text []byte) error {
	if len(text) > MaxUpdate {
		return newFault(CodeTooMuch, "too_large", "an update has at most %d bytes", MaxUpdate)
	}
	u, ok := readUpdate(text)
	if !ok {
		return errNoUpdate
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.l.Update == nil {
		return nil
	}
	now := time.Now()
	if now.Sub(t.updating) >= time.Second {
		t.updating, t.updates = now, 0
	}
	if t.updates >= MaxUpdates {
		return newFault(CodeTooMuch, "too_many", "at most %d updates are handed on in a second; try again later", MaxUpdates)
	}
	t.updates++
	if t.l.hide != nil {
		if hide := t.l.hide.scrubber(); hide != nil {
			clean, err := hide.JSON(context.Background(), text) // it is short
			if u, ok = readUpdate(clean); err != nil || !ok {
				return errNoUpdate
			}
		}
	}
	t.l.Update(legible([]byte(u.Title), MaxUpdateTitle), u.Metadata)
	return nil
}

// update is what a guest tells of its call.
type update struct {
	Title    string                     `json:"title"`
	Metadata map[string]json.RawMessage `json:"metadata"`
}

// errNoUpdate is the fault of an update that is none.
var errNoUpdate = newFault(CodeInvalid, "update", `an update is a JSON object such as {"title":"Reading","metadata":{"files":3}}`)

func readUpdate(text []byte) (update, bool) {
	var u *update // nil for null
	if !utf8.Valid(text) || !decodeOne(text, &u) || u == nil {
		return update{}, false
	}
	return *u, true
}

// decodeOne reads one JSON value with no unknown field and nothing after it.
func decodeOne(text []byte, into any) bool {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if d.Decode(into) != nil {
		return false
	}
	_, err := d.Token()
	return err == io.EOF
}
