package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"text/tabwriter"
	"unicode/utf16"

	"golang.org/x/term"

	"github.com/wasmtool/wasmtool/internal/plainjson"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// isTerminal reports whether a stream is one, which only a file can be.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// table lays out the columns of a list. Flush it.
func (s Streams) table() *tabwriter.Writer { return tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0) }

// warn says what is wrong without ending the command.
func (s Streams) warn(err error) { s.printWarnings(err.Error()) }

func (s Streams) printWarnings(warnings ...string) {
	for _, w := range warnings {
		fmt.Fprintf(s.Err, "wasmtool: warning: %s\n", indent(printable(w)))
	}
}

// printJSON prints a value as indented JSON, numbers and texts as they are, but with
// the characters that do something to a terminal as escapes.
func (s Streams) printJSON(v any) error {
	text, err := plainjson.Indented(v)
	if err != nil {
		return fmt.Errorf("the result is no JSON: %w", err)
	}
	_, err = io.WriteString(s.Out, escapeInJSON(string(text)))
	return outputFailed(err)
}

// escapeInJSON writes the control and hidden characters of a JSON text, which can only
// stand in its strings, as \u escapes. What is line and space of the text itself stays.
func escapeInJSON(s string) string {
	return plaintext.Replace(s, plaintext.Lines, func(f plaintext.Finding) string {
		var b strings.Builder
		for _, unit := range utf16.Encode([]rune{f.Rune}) {
			fmt.Fprintf(&b, "\\u%04x", unit)
		}
		return b.String()
	})
}

// hintFolder tells who wrote the name of a folder how to write it, when no tool has the name.
func (s Streams) hintFolder(target string) {
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		fmt.Fprintf(s.Err, "wasmtool: for the tool in the folder %s, write ./%s\n", quote(target), oneLine(target))
	}
}

// announceCompile says on a terminal that a module is compiled, which takes a
// moment the first time.
func (s Streams) announceCompile(name *string) func(runtime.CompileEvent) {
	if !isTerminal(s.Err) {
		return nil
	}
	return func(e runtime.CompileEvent) {
		fmt.Fprintf(s.Err, "wasmtool: compiling %s (%s), the first time only ...\n", oneLine(*name), byteCount(uint64(e.Bytes)))
	}
}

// talk shows on standard error what a tool tells while it runs: its log by lines, and on a
// terminal how far it is, on a line that is written over. The functions of a call that
// hangs may come late, so it is safe for concurrent use.
type talk struct {
	err     io.Writer
	name    string
	least   slog.Level // lines below are not shown
	mu      sync.Mutex
	showing bool // there is a line of progress
	over    bool
}

// log shows a line.
func (t *talk) log(level slog.Level, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if level < t.least || t.over {
		return
	}
	t.clear()
	io.WriteString(t.err, logLine(t.name, level, text))
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
	fmt.Fprintf(t.err, "%s: %s", oneLine(t.name), text)
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
		fmt.Fprint(t.err, "\r\x1b[K")
		t.showing = false
	}
}

// lineWriter writes whole lines to standard error, from many calls at a time.
type lineWriter struct {
	err io.Writer
	mu  sync.Mutex
}

// Write implements io.Writer for a handler that writes a line at a time.
func (w *lineWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err.Write(line)
}

func (w *lineWriter) receipt(r tool.Receipt) {
	if line, err := json.Marshal(r); err == nil {
		fmt.Fprintf(w, "%s\n", escapeInJSON(string(line)))
	}
}

func (w *lineWriter) log(name string, level slog.Level, text string) {
	_, _ = w.Write([]byte(logLine(name, level, text))) // as for all that is said on standard error
}

// warningHandler is a slog.Handler that turns each warning into a message with its
// reason.
type warningHandler func(message string)

// Enabled implements slog.Handler.
func (h warningHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn
}

// Handle implements slog.Handler.
func (h warningHandler) Handle(_ context.Context, r slog.Record) error {
	message := r.Message
	r.Attrs(func(attr slog.Attr) bool {
		if attr.Key == "reason" {
			message += ": " + attr.Value.String()
		}
		return true
	})
	h(message)
	return nil
}

// WithAttrs implements slog.Handler.
func (h warningHandler) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup implements slog.Handler.
func (h warningHandler) WithGroup(string) slog.Handler { return h }
