package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// The bug that is planted into a copy of a real Go module, so that one of its tests fails.
const (
	correct = "	return altDepth == 0\n}"
	wrong   = "	return altDepth < 0\n}"
)

// brokenModule returns a copy of a Go module with a test that fails.
func brokenModule(t *testing.T) string {
	t.Helper()
	testlevel.Long(t, "it runs the tests of another module several times")
	testlevel.Program(t, "go")
	from, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/bmatcuk/doublestar/v4").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source := os.DirFS(strings.TrimSpace(string(from)))
	if err := os.CopyFS(dir, source); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "validate.go")
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), correct) {
		t.Fatalf("the bug cannot be planted: %v", err)
	}
	if err := os.Chmod(file, 0o600); err != nil { // files of the module cache are read-only
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), correct, wrong, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if moduleWorks(dir) {
		t.Fatal("the bug fails no test")
	}
	return dir
}

// moduleWorks runs the tests of a copy.
func moduleWorks(dir string) bool {
	cmd := exec.Command("go", "test", "-run", "TestValidatePattern", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	return cmd.Run() == nil
}

// repairs are the calls of a model that finds and removes the bug, one for each turn.
var repairs = []struct{ name, arguments string }{
	{"grep", `{"pattern":"altDepth","path":".","include":"*.go"}`},
	{"read", `{"file_path":"validate.go","offset":60}`},
	{"edit", fmt.Sprintf(`{"file_path":"validate.go","old_string":%q,"new_string":%q}`, wrong, correct)},
	{"grep", `{"pattern":"altDepth == 0","path":"."}`},
}

// repairer is the server of a model that repairs the module. Its streams are written from
// OpenAI's documentation of streamed chat completions, not recorded.
func repairer(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model    string
			Messages []struct {
				Role, Content string
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/v1/chat/completions" || body.Model != "mender" {
			http.Error(w, `{"error":{"message":"bad request"}}`, http.StatusBadRequest)
			return
		}
		turn, last := 0, ""
		for _, m := range body.Messages {
			if m.Role == "assistant" {
				turn++
			}
			last = m.Content
		}
		send := func(delta string, finish string) {
			fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n\n", delta, finish)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		if turn == len(repairs) {
			report, _ := json.Marshal("The last search found: " + last)
			send(`{"role":"assistant","content":`+string(report)+`}`, "null")
			send(`{}`, `"stop"`)
		} else {
			arguments, _ := json.Marshal(repairs[turn].arguments)
			send(fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_%d","type":"function","function":{"name":%q,"arguments":""}}]}`, turn, repairs[turn].name), "null")
			send(fmt.Sprintf(`{"tool_calls":[{"index":0,"function":{"arguments":%s}}]}`, arguments), "null")
			send(`{}`, `"tool_calls"`)
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

const repairTask = "go test fails: ValidatePattern refuses every pattern. Find the bug and fix it."

// agentCommand runs 'wasmtool agent' in a copy of the module.
func agentCommand(t *testing.T, dir string, flags ...string) (stdout, stderr string, status int) {
	t.Helper()
	program, cache := sharedProgram(t)
	var out, errs strings.Builder
	cmd := exec.Command(program, append([]string{"agent", "--config", noConfig(t), "--workspace", dir + ":rw", "--allow", "write:workspace", "--task", repairTask}, flags...)...)
	cmd.Env = append(os.Environ(), "WASMTOOL_CACHE="+cache, "XDG_STATE_HOME="+t.TempDir())
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// noConfig returns the path of an empty operator's file.
func noConfig(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "wasmtool.toml")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// The agent finds and fixes a bug in a copy of a real Go module. A recording repeats the run
// without a model. Without an approval, the bug stays.
func TestAgentRepairsModule(t *testing.T) {
	t.Parallel()
	recording := filepath.Join(t.TempDir(), "run.jsonl")
	first := brokenModule(t)
	stdout, stderr, status := agentCommand(t, first, "--provider", "openai", "--base-url", repairer(t), "--model", "mender", "--record", recording, "--auto-confirm")
	if status != exitOK || !strings.Contains(stdout, "validate.go") || !moduleWorks(first) {
		t.Fatalf("exit status %d\n%s%s", status, stdout, stderr)
	}
	for _, r := range repairs {
		if !strings.Contains(stderr, "wasmtool: "+r.name+" ") {
			t.Errorf("the step %s is not shown:\n%s", r.name, stderr)
		}
	}

	second := brokenModule(t)
	stdout, stderr, status = agentCommand(t, second, "--replay", recording, "--auto-confirm", "--json")
	var outcome struct {
		Success       bool
		Summary       string
		FilesModified []string
		ToolCallCount int
		EndReason     string
		Steps         []struct {
			ToolName, Status string
			Arguments        json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(stdout), &outcome); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	if status != exitOK || !moduleWorks(second) || !outcome.Success || outcome.EndReason != "done" || outcome.ToolCallCount != len(repairs) ||
		len(outcome.Steps) != len(repairs) || len(outcome.FilesModified) != 1 || outcome.FilesModified[0] != "/workspace/validate.go" {
		t.Errorf("exit status %d, %+v\n%s", status, outcome, stderr)
	}

	third := brokenModule(t)
	_, stderr, status = agentCommand(t, third, "--replay", recording)
	if status != exitOK || moduleWorks(third) || !strings.Contains(stderr, "no approver is available") {
		t.Errorf("without an approver: exit status %d\n%s", status, stderr)
	}
}

// A client of 'wasmtool serve' delegates the repair with the tool task, and its user approves the
// edit in a question about task.
func TestTaskRepairsModule(t *testing.T) {
	t.Parallel()
	dir := brokenModule(t)
	s := serveCommand(t, "--workspace", dir+":rw")
	config := fmt.Sprintf("[agent]\nprovider = \"openai\"\nmodel = \"mender\"\nbase_url = %q\n\n[tools.task]\nauto_execute = true\n", repairer(t))
	if err := os.WriteFile(s.config, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	questions := make(chan string, 10)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			questions <- r.Params.Message
			return &mcp.ElicitResult{Action: "accept"}, nil
		},
	})
	_, cache := sharedProgram(t)
	s.cmd.Env = append(s.cmd.Env, "WASMTOOL_CACHE="+cache)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: s.cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "task", Arguments: map[string]any{"task": repairTask}})
	if err != nil || result.IsError || !moduleWorks(dir) {
		t.Errorf("%v, %+v", err, result)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	close(questions)
	var asked []string
	for q := range questions {
		asked = append(asked, q)
	}
	if len(asked) != 1 || !strings.Contains(asked[0], "edit") || !strings.Contains(asked[0], "validate.go") {
		t.Errorf("asked %q", asked)
	}
}
