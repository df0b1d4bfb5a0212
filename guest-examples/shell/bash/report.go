package bash

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest"
)

// ending describes how a script ended.
type ending struct {
	status int
	// stopped is the reason why the shell stopped the script; nil if the script ended normally.
	stopped error
}

// report builds the result of a call.
func report(args Args, limit time.Duration, end ending, out *capture) guest.Result {
	text, total, cut := out.text()
	metadata := map[string]any{"exit_code": end.status, "output_bytes": total}
	if cut > 0 {
		metadata["cut_bytes"] = cut
	}
	var note string
	switch {
	case end.stopped == errTimeout:
		metadata["timed_out"] = true
		note = fmt.Sprintf("stopped after %s: the time limit of timeout_ms is exceeded; exit status %d", limit, end.status)
	case end.stopped != nil:
		note = fmt.Sprintf("the script was stopped: %v; exit status %d", end.stopped, end.status)
	case end.status != 0:
		note = fmt.Sprintf("exit status %d", end.status)
	case text == "":
		note = "(no output)"
	}
	if note != "" {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += note + "\n"
	}
	return guest.Result{
		Content:  []guest.Content{guest.Text(text)},
		IsError:  end.status != 0,
		Title:    title(args),
		Metadata: metadata,
	}
}

// title returns a short line for people.
func title(args Args) string {
	const maximum = 80
	text := strings.TrimSpace(args.Description)
	if text == "" {
		text = strings.TrimSpace(args.Command)
	}
	text, _, _ = strings.Cut(text, "\n")
	text = strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
	if utf8.RuneCountInString(text) > maximum {
		text = string([]rune(text)[:maximum-1]) + "…"
	}
	return text
}
