package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/internal/guesttest"
)

// operatorFile is the operator's file of a user who lets an agent edit files and run some related
// commands without approval. Anything else that a script does needs approval.
const operatorFile = `
[tools.edit]
auto_execute = true
[tools.multi_edit]
auto_execute = true
[tools.write]
auto_execute = true
[tools.apply_patch]
auto_execute = true

[shell]
allow = ["mkdir -p *", "sed -i *"]
`

// person is the user of the client. It answers each question as the current step says.
type person struct {
	mu     sync.Mutex
	answer answer
	asked  []string
}

// expect begins a step.
func (p *person) expect(a answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer, p.asked = a, nil
}

// questions returns the questions that were asked since the step began.
func (p *person) questions() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.asked, "\n")
}

func (p *person) elicit(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, r.Params.Message)
	if p.answer.No {
		return &mcp.ElicitResult{Action: "decline"}, nil
	}
	return &mcp.ElicitResult{Action: "accept", Content: p.answer.Form}, nil
}

// agent is a client that started 'wasmtool serve'.
type agent struct {
	session *mcp.ClientSession
	person  *person
	taken   taken
}

// startAgent starts the command on a workspace. Compiled modules are kept in the cache that all
// tests on this machine share.
func startAgent(t *testing.T, workspace string) *agent {
	t.Helper()
	private := t.TempDir()
	// wasmtool refuses an operator's file in a directory that others can access
	if err := os.Chmod(private, 0o700); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(private, "wasmtool.toml")
	if err := os.WriteFile(config, []byte(operatorFile), 0o600); err != nil {
		t.Fatal(err)
	}
	a := &agent{person: new(person), taken: taken{}}
	program := guesttest.Program(t, t.TempDir())
	cmd := exec.Command(program, "serve", "--workspace", workspace+":rw", "--config", config)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(private, "state"), "WASMTOOL_CACHE="+guesttest.ModuleCache(t, program))
	cmd.Dir, cmd.Stderr = t.TempDir(), t.Output()
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, &mcp.ClientOptions{ElicitationHandler: a.person.elicit})
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.session = session
	return a
}

// do makes the call of a step and compares the result with the expected result. It returns the text
// of the result.
func (a *agent) do(ctx context.Context, s step) (text string, _ error) {
	arguments, err := a.taken.fill(s.With)
	if err != nil {
		return "", err
	}
	a.person.expect(s.Answer)
	result, err := a.session.CallTool(ctx, &mcp.CallToolParams{Name: s.Tool, Arguments: arguments})
	if err != nil {
		return "", err
	}
	for _, block := range result.Content {
		if block, ok := block.(*mcp.TextContent); ok {
			text += block.Text + "\n"
		}
	}
	failures := s.compare(text, a.taken)
	if code, _ := result.Meta["io.github.wasmtool/code"].(string); result.IsError != (s.Fails != "") || code != s.Fails {
		failures = append(failures, fmt.Sprintf("the error is %q, not %q", code, s.Fails))
	}
	if asked := a.person.questions(); (asked != "") != (s.Asked != "") || !strings.Contains(asked, s.Asked) {
		failures = append(failures, fmt.Sprintf("the person is asked %q, not %q", asked, s.Asked))
	}
	if s.Tool == "bash" && (s.Fails == "" || s.Fails == "execution") {
		failures = append(failures, exitFailures(result, s.Exit)...)
	}
	if err := a.taken.take(s, text); err != nil {
		failures = append(failures, err.Error())
	}
	if len(failures) > 0 {
		return text, errors.New(strings.Join(failures, "\n"))
	}
	return text, nil
}

// exitFailures reports a missing title, and an exit status other than the given one. Both are in
// the metadata of the result.
func exitFailures(result *mcp.CallToolResult, want int) []string {
	metadata, _ := result.Meta["io.github.wasmtool/metadata"].(map[string]any)
	var failures []string
	if got := metadata["exit_code"]; got != float64(want) {
		failures = append(failures, fmt.Sprintf("the exit status is %v, not %d", got, want))
	}
	if title, _ := result.Meta["io.github.wasmtool/title"].(string); title == "" {
		failures = append(failures, "there is no title")
	}
	return failures
}
