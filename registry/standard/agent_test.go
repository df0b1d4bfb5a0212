package standard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// modelServer is a server of a model that calls a tool in each turn in which it may,
// and then reports.
type modelServer struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
	hold     chan struct{} // if not nil, answers wait for it
}

func newModelServer(t *testing.T) *modelServer {
	t.Helper()
	s := &modelServer{}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *modelServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.requests, s.bodies = append(s.requests, r), append(s.bodies, string(body))
	n := len(s.bodies)
	s.mu.Unlock()
	if s.hold != nil {
		select {
		case <-s.hold:
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta, finish string) {
		fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n\n", delta, finish)
	}
	if strings.Contains(string(body), `"tool_choice":"none"`) || n > 8 {
		send(`{"role":"assistant","content":"The report."}`, `"stop"`)
	} else {
		send(fmt.Sprintf(`{"role":"assistant","tool_calls":[{"index":0,"id":"id-%d","type":"function","function":{"name":"change","arguments":"{\"n\":%d}"}}]}`, n, n), `"tool_calls"`)
	}
	fmt.Fprint(w, `data: {"choices":[],"usage":{"prompt_tokens":90,"completion_tokens":10}}`+"\n\ndata: [DONE]\n\n")
}

// delegate calls the tool task of a registry with a section [agent], and returns the outcome. The
// section has the required keys, the address of the server, and the text.
func (s *modelServer) delegate(t *testing.T, section, rest string) (outcome map[string]any, changed int, failure error) {
	t.Helper()
	base := s.URL + "/v1"
	if !strings.Contains(section, "base_url") {
		section = "base_url = \"" + base + "\"\n" + section
	}
	text := "[agent]\nprovider = \"openai\"\nmodel = \"m\"\n" + section + "\n" + rest + "\n[tools.task]\nauto_execute = true\n"
	c, err := config.Decode(config.File{Name: "wasmtool.toml"}, []byte(text), func(name string) (string, bool) { return "the key", name == "KEY" })
	if err != nil {
		t.Fatal(err)
	}
	reg, err := standard.New(standard.Options{Config: c, Sources: standard.Sources{NoBuiltins: true}, NoCache: true, Host: standard.Host{Asker: noOne{}}, HTTP: localNames()})
	if err != nil {
		return nil, 0, err
	}
	t.Cleanup(func() { _ = reg.Close() })
	changes := &counter{}
	if err := reg.Tools().Register(tool.Spec{Name: "change", Description: "Changes something.", Dangerous: true, Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}, changes); err != nil {
		t.Fatal(err)
	}
	result, err := reg.Execute(t.Context(), tool.Call{Tool: "task", Arguments: json.RawMessage(`{"task":"the task"}`)})
	if len(result.Structured) > 0 {
		if err := json.Unmarshal(result.Structured, &outcome); err != nil {
			t.Fatal(err)
		}
	}
	return outcome, int(changes.calls.Load()), err
}

// Each key of the section [agent] has its effect on the runs of the tool task.
func TestKeysOfAgent(t *testing.T) {
	t.Parallel()
	for key, check := range map[string]func(t *testing.T, s *modelServer){
		"provider": func(t *testing.T, s *modelServer) {
			s.delegate(t, "", "")
			if got := s.requests[0].URL.Path; got != "/v1/chat/completions" {
				t.Errorf("the path is %s", got)
			}
		},
		"model": func(t *testing.T, s *modelServer) {
			s.delegate(t, "", "")
			if !strings.Contains(s.bodies[0], `"model":"m"`) {
				t.Errorf("sent %s", s.bodies[0])
			}
		},
		"base_url and private": func(t *testing.T, s *modelServer) {
			named := strings.Replace(s.URL, "127.0.0.1", "llm.example", 1) + "/v1"
			if _, _, err := s.delegate(t, `base_url = "`+named+`"`, ""); err == nil || len(s.bodies) != 0 || !strings.Contains(err.Error(), "private") {
				t.Errorf("without private: %d requests, %v", len(s.bodies), err)
			}
			if _, _, err := s.delegate(t, "auto_confirm_dangerous = true\nprivate = true\nbase_url = \""+named+"\"", ""); err != nil || len(s.bodies) == 0 {
				t.Errorf("with private: %d requests, %v", len(s.bodies), err)
			}
		},
		"secret": func(t *testing.T, s *modelServer) {
			s.delegate(t, `secret = "K"`, "[secrets.K]\nenv = \"KEY\"\nurls = [\""+s.URL+"/v1\"]\n")
			if got := s.requests[0].Header.Get("Authorization"); got != "Bearer the key" {
				t.Errorf("the header is %q", got)
			}
		},
		"max_turns": func(t *testing.T, s *modelServer) {
			outcome, _, _ := s.delegate(t, "auto_confirm_dangerous = true\nmax_turns = 3", "")
			if len(s.bodies) != 3 || outcome["endReason"] != "max_turns" {
				t.Errorf("%d requests, %v", len(s.bodies), outcome)
			}
		},
		"max_tool_calls": func(t *testing.T, s *modelServer) {
			outcome, _, _ := s.delegate(t, "auto_confirm_dangerous = true\nmax_tool_calls = 2", "")
			if outcome["toolCallCount"] != 2.0 || outcome["endReason"] != "max_tool_calls" {
				t.Errorf("%v", outcome)
			}
		},
		"max_tokens": func(t *testing.T, s *modelServer) {
			outcome, _, _ := s.delegate(t, "auto_confirm_dangerous = true\nmax_tokens = 150", "")
			if len(s.bodies) != 3 || outcome["endReason"] != "max_tokens" {
				t.Errorf("%d requests, %v", len(s.bodies), outcome)
			}
		},
		"max_output_tokens": func(t *testing.T, s *modelServer) {
			s.delegate(t, "max_output_tokens = 321", "")
			if !strings.Contains(s.bodies[0], "321") {
				t.Errorf("sent %s", s.bodies[0])
			}
		},
		"timeout": func(t *testing.T, s *modelServer) {
			s.hold = make(chan struct{})
			defer close(s.hold)
			if _, _, err := s.delegate(t, `timeout = "1s"`, ""); tool.CodeOf(err) != tool.CodeTimeout || !strings.Contains(err.Error(), "within 1s") {
				t.Errorf("%v", err)
			}
		},
		"auto_confirm_dangerous and max_auto_confirm": func(t *testing.T, s *modelServer) {
			if _, changed, _ := s.delegate(t, "max_turns = 4", ""); changed != 0 {
				t.Errorf("without: %d calls ran", changed)
			}
			if _, changed, _ := s.delegate(t, "max_turns = 4\nauto_confirm_dangerous = true\nmax_auto_confirm = 2", ""); changed != 2 {
				t.Errorf("with: %d calls ran", changed)
			}
		},
		"allow_task": func(t *testing.T, s *modelServer) {
			s.delegate(t, "max_turns = 1", "")
			s.delegate(t, "max_turns = 1\nallow_task = true", "")
			if strings.Contains(s.bodies[0], `"name":"task"`) || !strings.Contains(s.bodies[1], `"name":"task"`) {
				t.Errorf("sent %q", s.bodies)
			}
		},
		"allow_question": func(t *testing.T, s *modelServer) {
			s.delegate(t, "max_turns = 1", "")
			s.delegate(t, "max_turns = 1\nallow_question = true", "")
			if strings.Contains(s.bodies[0], `"name":"question"`) || !strings.Contains(s.bodies[1], `"name":"question"`) {
				t.Errorf("sent %q", s.bodies)
			}
		},
	} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			check(t, newModelServer(t))
		})
	}
}

// A model that cannot be used is an error of New that names the line and the fix.
func TestUnusableModel(t *testing.T) {
	t.Parallel()
	for want, section := range map[string]string{
		"name a secret in [agent], or set OPENAI_API_KEY":         "",
		"/chat/completions is not among the urls of the secret K": "secret = \"K\"\n[secrets.K]\nenv = \"KEY\"\nurls = [\"https://elsewhere.example/\"]",
	} {
		text := "[agent]\nprovider = \"openai\"\nmodel = \"m\"\n" + section
		c, err := config.Decode(config.File{Name: "wasmtool.toml"}, []byte(text), func(string) (string, bool) { return "", false })
		if err != nil {
			t.Fatal(err)
		}
		_, err = standard.New(standard.Options{Config: c, NoCache: true})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "wasmtool.toml:1") || tool.CodeOf(err) != tool.CodeUsage {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// counter is a tool outside the sandbox that counts its calls.
type counter struct{ calls atomic.Int32 }

func (*counter) Prepare(context.Context) error { return nil }
func (*counter) Close() error                  { return nil }

func (c *counter) Execute(context.Context, tool.Invocation) (tool.Result, error) {
	c.calls.Add(1)
	return tool.TextResult("changed", nil)
}

// noOne is an Asker that finds no one to ask.
type noOne struct{}

func (noOne) Inquire(context.Context, tool.Inquiry) (tool.Reply, error) {
	return tool.Reply{}, tool.ErrNoApprover
}

// localNames resolves every name to the local host.
func localNames() egress.Transport {
	return egress.Transport{LookupNetIP: func(context.Context, string, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}}
}
