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
	"time"
	"unicode/utf16"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/terminal"
	"github.com/wasmtool/wasmtool/internal/plainjson"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// Values of --color.
const (
	colorAuto   = "auto"
	colorAlways = "always"
	colorNever  = "never"
)

// setColor decides which streams get colour. The variable NO_COLOR is explained on no-color.org.
func (a *app) setColor(word string) {
	none, _ := a.getenv("NO_COLOR")
	kind, _ := a.getenv("TERM")
	auto := word == colorAuto && none == "" && kind != "dumb"
	a.colorOut = word == colorAlways || auto && terminal.Is(a.Out)
	a.colorErr = word == colorAlways || auto && terminal.Is(a.Err)
}

// Styles of text, as parameters of the escape sequence SGR.
const (
	bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
)

// out returns text for standard output in a style, if that has colour.
func (s Streams) out(style, text string) string { return paint(s.colorOut, style, text) }

func paint(colored bool, style, text string) string {
	if !colored || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// table returns a layout for standard output, whose first table has the given header. The caller
// must flush the layout.
func (s Streams) table(header ...string) *terminal.Layout {
	return &terminal.Layout{
		Out: s.Out, Columns: terminal.Columns(s.Out), Header: header,
		Heading: func(text string) string { return s.out(bold, text) },
	}
}

// note prints a message for a person on standard error.
func (s Streams) note(format string, args ...any) {
	s.message(paint(s.colorErr, bold, "wasmtool:")+" ", fmt.Sprintf(format, args...))
}

// message prints text on standard error and wraps it at words on a terminal. The first line begins
// with prefix and the others are indented.
func (s Streams) message(prefix, text string) {
	columns := terminal.Columns(s.Err)
	var b strings.Builder
	for i, line := range strings.Split(prefix+strings.TrimRight(text, "\n"), "\n") {
		parts := []string{strings.TrimSuffix(line, terminal.Verbatim)}
		if parts[0] == line {
			parts = terminal.Wrap(line, columns-2)
		}
		for n, part := range parts {
			b.WriteString(strings.Repeat("  ", min(i+n, 1)) + part + "\n")
		}
	}
	fmt.Fprint(s.Err, b.String())
}

// warn prints an error as a warning, for a command that continues after the error.
func (s Streams) warn(err error) { s.printWarnings(err.Error()) }

func (s Streams) printWarnings(warnings ...string) {
	for _, w := range warnings {
		if s.log != nil {
			s.log.Warn(w)
			continue
		}
		s.message("wasmtool: "+paint(s.colorErr, yellow, "warning:")+" ", printable(w))
	}
}

// printJSON prints a value as indented JSON. It escapes control and hidden characters, which a
// terminal could interpret, and changes nothing else in numbers and strings.
func (s Streams) printJSON(v any) error {
	text, err := plainjson.Indented(v)
	if err != nil {
		return fmt.Errorf("the result cannot be printed as JSON: %w", err)
	}
	_, err = io.WriteString(s.Out, escapeInJSON(string(text)))
	return outputFailed(err)
}

// escapeInJSON replaces control and hidden characters with \u escapes. In valid JSON, such
// characters occur only inside strings. The line breaks and spaces between tokens are kept.
func escapeInJSON(s string) string {
	return plaintext.Replace(s, plaintext.Lines, func(f plaintext.Finding) string {
		var b strings.Builder
		for _, unit := range utf16.Encode([]rune{f.Rune}) {
			fmt.Fprintf(&b, "\\u%04x", unit)
		}
		return b.String()
	})
}

// hintDirectory is called when no tool has the name target. If target is a directory, it prints the
// argument that names the tool in this directory.
func (s Streams) hintDirectory(target string) {
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		s.note("for the tool in the directory %s, write ./%s", quote(target), oneLine(target))
	}
}

// showCompile makes the runtime show each compilation on a terminal, because the first call of a
// tool waits for it. text returns the work, such as "compiling grep".
func (s Streams) showCompile(o *runtime.Options, text func() string) {
	line, ok := s.Err.(*terminal.StatusLine)
	if !ok {
		return
	}
	o.Events.Compile = func(e runtime.CompileEvent) {
		if e.Cached {
			return
		}
		line.Begin(e.Digest, fmt.Sprintf("%s (%s)", text(), byteCount(uint64(e.Bytes))))
		e.OnEnd(func(time.Duration, error) { line.End(e.Digest) })
	}
}

// callOutput shows the log lines and the progress of a running tool on standard error. An abandoned
// call may still report, so callOutput is safe for concurrent use.
type callOutput struct {
	err      io.Writer
	name     string
	minLevel slog.Level // lines below this level are not shown
	mu       sync.Mutex
	found    tool.Diagnostics
	ended    bool // later reports are ignored
}

// log shows a log line of the tool.
func (t *callOutput) log(level slog.Level, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if level < t.minLevel || t.ended {
		return
	}
	io.WriteString(t.err, logLine(t.name, level, text))
}

// diagnose records the diagnostics of the tool, for printDiagnostics.
func (t *callOutput) diagnose(d tool.Diagnostics) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.found = d
}

// printDiagnostics shows the diagnostics that the error of the call does not have.
func (t *callOutput) printDiagnostics(failure error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text := t.found.Text(failure); text != "" {
		fmt.Fprintf(t.err, "%s: %s\n", oneLine(t.name), indent(printable(text)))
	}
}

// logLine formats a log line of a tool. It begins with the name of the tool, so that the line
// cannot be mistaken for a message of wasmtool.
func logLine(tool string, level slog.Level, text string) string {
	return fmt.Sprintf("%s: %s: %s\n", oneLine(tool), strings.ToLower(level.String()), indent(printable(text)))
}

// progress shows the progress of the tool on a terminal: a percentage if total is known, and
// otherwise the value of done.
func (t *callOutput) progress(done, total float64, message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	line, ok := t.err.(*terminal.StatusLine)
	if t.ended || !ok {
		return
	}
	text := fmt.Sprintf("%g", done)
	if total > 0 {
		text = fmt.Sprintf("%.0f %%", 100*min(1, done/total))
	}
	if message != "" {
		text += "  " + oneLine(message)
	}
	line.Show(oneLine(t.name) + ": " + text)
}

// end removes the line of progress. Later reports are ignored.
func (t *callOutput) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if line, ok := t.err.(*terminal.StatusLine); ok {
		line.Show("")
	}
	t.ended = true
}

// warningHandler is a slog.Handler that calls a function for each record of level warning or above.
// The argument is the message of the record, followed by the value of the attribute "reason".
// Records of failed calls are left out, because the commands report these errors themselves.
type warningHandler func(message string)

// Enabled implements slog.Handler.
func (h warningHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn
}

// Handle implements slog.Handler.
func (h warningHandler) Handle(_ context.Context, r slog.Record) error {
	if strings.HasPrefix(r.Message, ledger.FailedPrefix) {
		return nil
	}
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

// logOptions are the flags for the log of a command that runs until it is stopped.
type logOptions struct {
	format, level choice
	verbose       bool
}

// The values of --log-format.
const (
	logText = "text"
	logJSON = "json"
)

func (o *logOptions) add(cmd *cobra.Command) {
	o.format.add(cmd, false, "log-format", "write log lines as `FORMAT`", logText, logJSON)
	o.level.add(cmd, false, "log-level", "write log lines of `LEVEL` and above", "info", "debug", "warn", "error")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "short for --log-level debug")
}

// open returns the log, which writes to standard error.
func (o *logOptions) open(err io.Writer) *serveLog {
	var level slog.Level
	_ = level.UnmarshalText([]byte(o.level.word)) // the flag accepts only the names of levels
	if o.verbose {
		level = slog.LevelDebug
	}
	lines, options := &lineWriter{err: err, escape: printable}, &slog.HandlerOptions{Level: level}
	if o.format.word == logJSON {
		lines.escape = escapeInJSON
		return &serveLog{slog.New(slog.NewJSONHandler(lines, options)), lines}
	}
	return &serveLog{slog.New(slog.NewTextHandler(lines, options)), lines}
}

// serveLog is the log of a server. It is safe for concurrent use.
type serveLog struct {
	*slog.Logger
	lines *lineWriter
}

// ended logs a call that succeeded. The registry logs failed calls.
func (l *serveLog) ended(r tool.Receipt) {
	if r.Code != "" {
		return
	}
	attrs := []any{"tool", r.Tool, "call", r.ID, "duration", r.Duration}
	if r.Tenant != "" {
		attrs = append(attrs, "tenant", r.Tenant)
	}
	l.Info(ledger.FailedPrefix+r.Tool+" ended", attrs...)
}

// receipt writes a receipt as a line of JSON.
func (l *serveLog) receipt(r tool.Receipt) {
	if line, err := json.Marshal(r); err == nil {
		// a failed write cannot be reported anywhere
		_, _ = l.lines.Write([]byte(escapeInJSON(string(line)) + "\n"))
	}
}

// lineWriter writes whole lines and is safe for concurrent use.
type lineWriter struct {
	escape func(string) string // escapes what a terminal could interpret, but no line breaks

	mu  sync.Mutex
	err io.Writer
}

// Write implements io.Writer for a handler that writes one line per call.
func (w *lineWriter) Write(line []byte) (int, error) {
	shown := w.escape(strings.TrimSuffix(string(line), "\n")) + "\n"
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := io.WriteString(w.err, shown); err != nil {
		return 0, err
	}
	return len(line), nil
}
