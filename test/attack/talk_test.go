package attack

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// If a guest sends too many messages, they are cut off, and the guest continues to run.
func TestFloodsOfMessages(t *testing.T) {
	l := newLab(t, setup{})
	tests := []struct {
		name string
		step step
	}{
		{"many lines", step{Do: "log", Text: "line", Repeat: 100_000}},
		{"long lines", step{Do: "log", Text: "long line ", Times: 10_000, Repeat: 1000}},
		{"no text", step{Do: "log", Text: "", Repeat: 100_000}},
		{"updates", step{Do: "update", Text: `{"title":"so far","metadata":{"a":[1]}}`, Repeat: 10_000}},
		{"large updates", step{Do: "update", Text: `{"metadata":{"a":"` + strings.Repeat("x", hostfuncs.MaxUpdate) + `"}}`, Repeat: 1000}},
		{"progress", step{Do: "progress", Text: "so far ", Times: 1000, Repeat: 10_000}},
	}
	for _, tt := range tests {
		lines, bytes, reports, updates := 0, 0, 0, 0
		call := script("script", tt.step, step{Do: "say", Text: "done"})
		call.OnLog = func(_ slog.Level, text string) {
			lines, bytes = lines+1, bytes+len(text)
			if len(text) > hostfuncs.MaxLogText || !utf8.ValidString(text) {
				t.Errorf("%s: a line of %d bytes", tt.name, len(text))
			}
		}
		call.OnProgress = func(_, _ float64, text string) {
			reports++
			if len(text) > hostfuncs.MaxProgressText {
				t.Errorf("%s: a report of %d bytes", tt.name, len(text))
			}
		}
		call.OnUpdate = func(u tool.Update) {
			if u.Progress == nil {
				updates++
			}
		}
		out := l.call(t, call)
		if out[1].Text != "done" {
			t.Errorf("%s: got %+v", tt.name, out)
		}
		if lines > hostfuncs.MaxLogLines+1 || bytes > hostfuncs.MaxLogBytes+hostfuncs.MaxLogText {
			t.Errorf("%s: %d lines of %d bytes", tt.name, lines, bytes)
		}
		if took := l.noted()[0].Duration; reports > int(took/hostfuncs.ProgressInterval)+2 || updates > hostfuncs.MaxUpdates*(int(took/time.Second)+1) {
			t.Errorf("%s: %d reports and %d updates in %v", tt.name, reports, updates, took)
		}
		if strings.HasSuffix(tt.name, "updates") && out[0].Code != int32(hostfuncs.CodeTooMuch) {
			t.Errorf("%s: the last message is accepted: %+v", tt.name, out[0])
		}
	}
}

// Secrets in a line are hidden before the line is cut, so that no part of a secret is left at its
// end.
func TestLinesAreCutAfterSecretsAreHidden(t *testing.T) {
	w := newWorld(t, hello)
	l := newLab(t, setup{tools: map[string]string{"script": secretiveAsked}, operator: secretiveGiven, env: secretEnv, http: w.options()})
	// The guest knows the secret from somewhere else, for example from its author.
	text := strings.Repeat("x", hostfuncs.MaxLogText-len(apiKey)+3) + apiKey + "xx"
	heard := ""
	call := script("script", get("https://api.example.com/"), step{Do: "log", Text: text})
	call.OnLog = func(_ slog.Level, line string) { heard += line }
	l.call(t, call)
	if heard == "" || strings.Contains(heard, "canary") {
		t.Errorf("the line ends with %q", heard[max(0, len(heard)-40):])
	}
}

// Secrets are hidden anywhere in an update, and the update stays valid JSON.
func TestUpdatesHoldNoSecret(t *testing.T) {
	w := newWorld(t, hello)
	l := newLab(t, setup{tools: map[string]string{"script": secretiveAsked}, operator: secretiveGiven, env: secretEnv, http: w.options()})
	text := `{"title":"` + apiKey + `","metadata":{"a":["` + apiKey + `"],"` + apiKey + `":1},"content":[{"type":"text","text":"` + apiKey + `"}]}`
	heard := ""
	call := script("script", get("https://api.example.com/"), step{Do: "update", Text: text})
	call.OnUpdate = func(u tool.Update) { heard += fmt.Sprintf("%s %s %v", u.Title, u.Metadata, u.Content) }
	if out := l.call(t, call); out[1].Code != 0 {
		t.Errorf("got %+v", out[1])
	}
	if strings.Count(heard, "[secret:") != 4 || strings.Contains(heard, "canary") {
		t.Errorf("heard %q", heard)
	}
}
