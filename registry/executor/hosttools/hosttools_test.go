package hosttools_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/delegated"
	"github.com/wasmtool/wasmtool/registry/executor/hosttools"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func echo(_ context.Context, call tool.Invocation) (tool.Result, error) {
	return tool.TextResult(call.Call.Tool+" "+string(call.Arguments), nil)
}

func TestNamesAreSorted(t *testing.T) {
	want := []string{"browser", "canvas", "cron", "message", "session_status", "sessions_list", "sessions_send", "sessions_spawn", "task"}
	if got := hosttools.Names(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Each definition can be registered both with a backend and with an inbox, and describes each
// parameter.
func TestDefinitionsAreValid(t *testing.T) {
	inbox := delegated.NewInbox(delegated.Options{})
	t.Cleanup(func() { _ = inbox.Close() })
	for _, name := range hosttools.Names() {
		t.Run(name, func(t *testing.T) {
			spec, executor, err := hosttools.Define(name, echo)
			if err != nil {
				t.Fatal(err)
			}
			if executor == nil || spec.Name != name || spec.Title == "" || spec.Category == "" || len(spec.Tags) == 0 || spec.Source != "host" || spec.Sandboxed {
				t.Errorf("got %+v", spec)
			}
			if _, _, err := inbox.Define(spec, delegated.Later); err != nil {
				t.Errorf("with an inbox: %v", err)
			}
			var schema struct {
				AdditionalProperties *bool
				Properties           map[string]struct{ Description string }
			}
			if err := json.Unmarshal(spec.Parameters, &schema); err != nil {
				t.Fatal(err)
			}
			for parameter, p := range schema.Properties {
				if p.Description == "" || strings.HasSuffix(p.Description, ".") {
					t.Errorf("%s is described as %q", parameter, p.Description)
				}
			}
		})
	}
}

// Tools that act outside of the conversation, or without a user, need approval each time.
func TestToolsWithOutsideEffectsAreDangerous(t *testing.T) {
	for _, name := range hosttools.Names() {
		spec, err := hosttools.Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		if want := slices.Contains([]string{"browser", "cron", "message"}, name); spec.Dangerous != want {
			t.Errorf("%s: dangerous is %v", name, spec.Dangerous)
		}
	}
}

// The backend receives valid arguments unchanged. For invalid arguments, the error names the
// parameter.
func TestArgumentsReachBackendOrAreRefused(t *testing.T) {
	tools := registry.New(registry.Options{Approvals: registry.ApprovalOptions{Approver: yes{}}})
	t.Cleanup(func() { _ = tools.Close() })
	for _, name := range hosttools.Names() {
		spec, executor, err := hosttools.Define(name, echo)
		if err == nil {
			err = tools.Tools().Register(spec, executor)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		tool, arguments, want string
	}{
		{"sessions_list", `{}`, `{"messageLimit":0,"limit":50}`},
		{"sessions_list", `{"kinds":["main","cron"],"limit":1}`, `"kinds":["main","cron"]`},
		{"sessions_list", `{"kinds":["all"]}`, `"kinds[0]"`},
		{"sessions_send", `{"sessionKey":"main","message":"hello"}`, `"timeoutSeconds":30`},
		{"sessions_send", `{"sessionKey":"main"}`, "message"},
		{"sessions_spawn", `{"task":"count the files","cleanup":"delete"}`, `"task":"count the files"`},
		{"sessions_spawn", `{"task":""}`, `parameter "task"`},
		{"session_status", `{}`, "session_status {}"},
		{"message", `{"to":"ann","text":"hello","channel":"email"}`, `"channel":"email"`},
		{"message", `{"text":"hello"}`, "to"},
		{"browser", `{"action":"click","ref":"e12"}`, `"ref":"e12"`},
		{"browser", `{"action":"evaluate"}`, `parameter "action"`},
		{"canvas", `{"action":"show","content":"<p>x</p>"}`, `"kind":"html"`},
		{"cron", `{"action":"add","schedule":"0 9 * * 1","task":"tell the news"}`, `"enabled":true`},
		{"task", `{"task":"review","expectedOutcome":"a list"}`, `"expectedOutcome":"a list"`},
		{"task", `{"context":"x"}`, "task"},
	} {
		result, err := tools.Execute(t.Context(), tool.Call{Tool: c.tool, Arguments: json.RawMessage(c.arguments)})
		got := result.Text()
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s %s: got %s, want %s", c.tool, c.arguments, got, c.want)
		}
	}
}

type yes struct{}

func (yes) Approve(context.Context, registry.Question) (registry.Answer, error) {
	return registry.Answer{Yes: true}, nil
}

func TestUnknownToolAndNilBackendAreRefused(t *testing.T) {
	for _, name := range []string{"mesage", "", "../message", "Message"} {
		_, _, err := hosttools.Define(name, echo)
		var e *tool.Error
		if !errors.As(err, &e) || e.Code != tool.CodeNotFound || !strings.Contains(e.Message, "sessions_list") {
			t.Errorf("%q: got %v", name, err)
		}
	}
	_, _, err := hosttools.Define("mesage", echo)
	if !strings.Contains(err.Error(), `did you mean "message"?`) {
		t.Errorf("got %v", err)
	}
	if _, _, err := hosttools.Define("message", nil); err == nil {
		t.Error("a tool without a backend was made")
	}
}
