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

// Limits of the messages of one call.
const (
	// MaxLogText limits a log line in bytes; the rest is cut off.
	MaxLogText = 8 << 10
	// MaxLogLines and MaxLogBytes limit the log of a call. The line that would exceed them is
	// replaced by a warning, and further lines are dropped.
	MaxLogLines = 1000
	MaxLogBytes = 256 << 10
	// MaxProgressText limits a progress message in bytes; the rest is cut off.
	MaxProgressText = 1 << 10
	// ProgressInterval is the minimum time between two progress reports. Reports in between are
	// dropped, except the one that reports completion.
	ProgressInterval = 50 * time.Millisecond
)

// Listener receives the messages of a guest while it runs. The functions may be nil. They are
// called on the guest's goroutine, one at a time for each call, and should return quickly. Strings
// are valid UTF-8 but otherwise untrusted: escape control characters before writing them to a
// terminal.
type Listener struct {
	// Log receives a line with one of the four levels of slog.
	Log func(level slog.Level, text string)
	// Progress receives the amount done and the total, in units that the guest chooses, and a
	// message. total is 0 if the guest does not know it.
	Progress func(done, total float64, message string)
	// Update receives what a guest reports about its call.
	Update func(Update)

	hide *callSecrets // nil hides nothing
}

// Update is a guest's report about its running call. Empty fields change nothing.
type Update struct {
	// Title is a short line about an action or a result of the call.
	Title string
	// Metadata are JSON values by name.
	Metadata map[string]json.RawMessage
	// Texts are the blocks of the result so far. They replace the blocks of the previous update.
	Texts []string
}

// clean returns a guest's text for listeners. It hides secrets before it cuts the text, because
// otherwise half a secret could be left at the end.
func (l *Listener) clean(text []byte, limit int) string {
	if l.hide == nil {
		return legible(text, limit)
	}
	return legible([]byte(l.hide.text(legible(text, limit+secret.MaxForm))), limit)
}

// Messages passes the messages of one call to a listener. It is safe for concurrent use.
type Messages struct {
	l Listener

	mu           sync.Mutex
	lines, bytes int
	reported     time.Time // time of the last progress report
	finished     bool      // the last report said that the work is complete
	updating     time.Time // start of the second in which updates are counted
	updates      int       // number of updates in that second
}

// NewMessages returns Messages for a listener.
func NewMessages(l Listener) *Messages { return &Messages{l: l} }

// hasListener reports whether any listener function is set.
func (t *Messages) hasListener() bool {
	return t.l.Log != nil || t.l.Progress != nil || t.l.Update != nil
}

// LogLevel returns the level for a guest's number: 0 debug, 1 info, 2 warning, 3 or more error.
func LogLevel(n uint32) slog.Level {
	return [...]slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}[min(n, 3)]
}

// Log passes a line to the listener.
func (t *Messages) Log(level slog.Level, text []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.l.Log == nil || t.lines > MaxLogLines {
		return
	}
	line := t.l.clean(text, MaxLogText)
	t.lines++
	t.bytes += len(line)
	if t.lines > MaxLogLines || t.bytes > MaxLogBytes {
		t.lines = MaxLogLines + 1
		level, line = slog.LevelWarn, "the tool logs too much; further log lines are dropped"
	}
	t.l.Log(level, line)
}

// Progress passes a progress report to the listener. It drops negative and infinite amounts and
// NaN.
func (t *Messages) Progress(done, total float64, message []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.l.Progress == nil || !isAmount(done) || !isAmount(total) {
		return
	}
	now := time.Now()
	finished := total > 0 && done >= total
	atOnce := finished && !t.finished
	if now.Sub(t.reported) < ProgressInterval && !atOnce {
		return
	}
	t.reported, t.finished = now, finished
	t.l.Progress(done, total, t.l.clean(message, MaxProgressText))
}

func isAmount(f float64) bool { return f >= 0 && !math.IsInf(f, 1) }

// legible returns text as valid UTF-8, cut to at most limit bytes.
func legible(text []byte, limit int) string {
	s := strings.ToValidUTF8(string(text[:min(len(text), limit)]), "\uFFFD")
	if len(s) > limit { // the replacement character is longer than an invalid byte
		s = strings.ToValidUTF8(s[:limit], "")
	}
	return s
}

// Limits of the updates of one call.
const (
	// MaxUpdate limits the JSON text of one update, in bytes.
	MaxUpdate = 16 << 10
	// MaxUpdateTitle limits a title in bytes; the rest is cut off.
	MaxUpdateTitle = 256
	// MaxUpdates limits the updates per second.
	MaxUpdates = 20
)

// Update passes an update to the listener; text is a JSON object with title, metadata and content,
// each of which may be missing. If the update is
// refused, Update returns an [*Error], so the guest knows that it was not delivered.
func (t *Messages) Update(text []byte) error {
	if len(text) > MaxUpdate {
		return newError(CodeTooMuch, "too_large", "an update must be at most %d bytes long", MaxUpdate)
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
		return newError(CodeTooMuch, "too_many", "at most %d updates are accepted per second; try again later", MaxUpdates)
	}
	t.updates++
	if t.l.hide != nil {
		if hide := t.l.hide.scrubber(); hide != nil {
			hidden, err := hide.JSON(context.Background(), text) // text is short
			if u, ok = readUpdate(hidden); err != nil || !ok {
				return errNoUpdate
			}
		}
	}
	passed := Update{Title: legible([]byte(u.Title), MaxUpdateTitle), Metadata: u.Metadata}
	for _, block := range u.Content {
		passed.Texts = append(passed.Texts, block.Text)
	}
	t.l.Update(passed)
	return nil
}

// update is the JSON object in which a guest describes an update.
type update struct {
	Title    string                     `json:"title"`
	Metadata map[string]json.RawMessage `json:"metadata"`
	Content  []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
}

// errNoUpdate is the error for text that is not an update.
var errNoUpdate = newError(CodeInvalid, "update", `an update must be a JSON object such as {"title":"Reading","metadata":{"files":3},"content":[{"type":"text","text":"a.txt"}]}`)

func readUpdate(text []byte) (update, bool) {
	var u *update // nil for null
	if !utf8.Valid(text) || !DecodeOne(text, &u) || u == nil {
		return update{}, false
	}
	for _, block := range u.Content {
		if block.Type != "text" {
			return update{}, false
		}
	}
	return *u, true
}

// DecodeOne decodes text into the value that into points to. It returns false unless text is
// exactly one JSON value without unknown fields.
func DecodeOne(text []byte, into any) bool {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if d.Decode(into) != nil {
		return false
	}
	_, err := d.Token()
	return err == io.EOF
}
