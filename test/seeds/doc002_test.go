package seeds

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/agent"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/llm"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// readFile is the static tool of the document.
func readFile() (tool.Spec, tool.Executor, error) {
	type params struct {
		FilePath string `json:"file_path" jsonschema:"File path to read"`
	}
	o := native.Options{
		Spec:      tool.Spec{Name: "read", Title: "Read File", Description: "Read contents of a file"},
		OnInvalid: func([]tool.Violation) string { return "give me a file_path" },
	}
	return native.DefineCall(o, func(_ context.Context, call tool.Call, args params) (tool.Result, error) {
		call.OnUpdate(tool.Update{Title: "Reading " + args.FilePath})
		result, err := tool.TextResult("hello", nil)
		result.Title, result.Metadata = "Read "+args.FilePath, map[string]any{"lines": 1}
		return result, err
	})
}

// skillTool is the asynchronous tool of the document. It counts how often it is initialised.
func skillTool(skills []string, initialised *int) (tool.Spec, tool.Executor, error) {
	type params struct {
		Skill string `json:"skill"`
	}
	o := native.Options{
		Spec: tool.Spec{Name: "skill", Title: "Skill", Description: "Load a skill."},
		Init: func(context.Context) (tool.Definition, error) {
			*initialised++
			schema, err := json.Marshal(map[string]any{"type": "object", "required": []string{"skill"}, "properties": map[string]any{"skill": map[string]any{"enum": skills}}})
			return tool.Definition{Description: "Load a skill. Available: " + strings.Join(skills, ", "), Parameters: schema}, err
		},
	}
	return native.Define(o, func(_ context.Context, args params) (string, error) { return "How to " + args.Skill, nil })
}

func TestDocument002Definitions(t *testing.T) {
	t.Parallel()
	t.Run("static tool, ToolContext, ToolResult", func(t *testing.T) {
		w := open(t, "", bare)
		spec, executor, err := readFile()
		w.add(t, spec, executor, err)
		var updates []tool.Update
		result, err := w.Execute(t.Context(), tool.Call{
			ID: "call", Session: "session", Message: "message", WorkingDirectory: "/workspace",
			Tool: "read", Arguments: json.RawMessage(`{"file_path": "a.txt"}`),
			OnUpdate: func(u tool.Update) { updates = append(updates, u) },
		})
		if err != nil {
			t.Fatal(err)
		}
		wantJSON(t, updates, `[{"title": "Reading a.txt"}]`)
		wantJSON(t, result.Output(), `{"title": "Read a.txt", "output": "hello", "metadata": {"lines": 1}}`)
		wantText(t, w.fail(t, "read", `{}`, tool.CodeInvalidArgument).Message, "give me a file_path")
	})
	t.Run("abortSignal", func(t *testing.T) {
		w := open(t, "", bare)
		ctx, abort := context.WithCancel(t.Context())
		spec, executor, err := native.Define(named("waits"), func(ctx context.Context, _ in) (string, error) {
			abort()
			<-ctx.Done()
			return "", ctx.Err()
		})
		w.add(t, spec, executor, err)
		_, err = w.Execute(ctx, tool.Call{Tool: "waits", Arguments: json.RawMessage(`{"input": "x"}`)})
		wantCode(t, err, tool.CodeCancelled)
	})
	t.Run("asynchronous tool", func(t *testing.T) {
		w, initialised := open(t, "", bare), 0
		spec, executor, err := skillTool([]string{"review", "release"}, &initialised)
		w.add(t, spec, executor, err)
		wantJSON(t, w.Tools().List(catalogue.Filter{}), `[{"description": "Load a skill."}]`)
		wantText(t, w.run(t, "skill", `{"skill": "review"}`).Text(), "How to review")
		w.fail(t, "skill", `{"skill": "other"}`, tool.CodeInvalidArgument)
		wantJSON(t, w.Tools().List(catalogue.Filter{}), `[{"description": "Load a skill. Available: review, release",
			"parameters": {"properties": {"skill": {"enum": ["review", "release"]}}}}]`)
		if initialised != 1 {
			t.Errorf("initialised %d times", initialised)
		}
	})
	t.Run("registerToolV2, unregisterTool, executeTool, getAllToolsAsync, getToolsForAI", func(t *testing.T) {
		w, initialised := open(t, "", bare), 0
		spec, executor, err := readFile()
		w.add(t, spec, executor, err)
		spec, executor, err = skillTool([]string{"review"}, &initialised)
		w.add(t, spec, executor, err)
		if err := w.Tools().Describe(t.Context()); err != nil {
			t.Fatal(err)
		}
		all := w.Tools().List(catalogue.Filter{})
		wantJSON(t, all, `[{"name": "read"}, {"name": "skill", "description": "Load a skill. Available: review"}]`)
		tools, err := llm.New(llm.OpenAI, all, llm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		wantJSON(t, tools.Definitions(), `[{"type": "function", "function": {"name": "read", "description": "*", "parameters": {"type": "object"}}}, {"function": {"name": "skill"}}]`)
		w.run(t, "skill", `{"skill": "review"}`)
		if existed, err := w.Tools().Unregister("skill"); !existed || err != nil {
			t.Errorf("got %v, %v", existed, err)
		}
	})
	t.Run("initializeToolRegistry, built-in tools", func(t *testing.T) {
		w := open(t, "")
		for _, name := range []string{"bash", "read", "write", "edit", "glob", "grep", "skill"} {
			info, err := w.Tools().Get(name)
			if err != nil || info.Source != "builtin" || info.Disabled {
				t.Errorf("%s: %+v, %v", name, info, err)
			}
		}
		if n := w.Tools().Stats().Total; n < 7 {
			t.Errorf("there are %d tools", n)
		}
	})
	t.Run("ToolDefinition and ToolParameter", func(t *testing.T) {
		w := open(t, "[tools.glob]\nauto_execute = true\n[tools.write]\nenabled = false\n")
		glob, err := w.Tools().Get("glob")
		if err != nil {
			t.Fatal(err)
		}
		wantJSON(t, glob, `{"name": "glob", "title": "*", "description": "*", "enabled": true, "auto_execute": true, "category": "*", "source": "builtin"}`)
		write, err := w.Tools().Get("write")
		if err != nil {
			t.Fatal(err)
		}
		wantJSON(t, write, `{"enabled": false, "auto_execute": false}`)
		parameters, err := w.Tools().Parameters("glob")
		if err != nil {
			t.Fatal(err)
		}
		wantJSON(t, parameters[0], `{"name": "pattern", "type": "string", "description": "*", "required": true}`)
		parameters, err = w.Tools().Parameters("datetime")
		if err != nil {
			t.Fatal(err)
		}
		wantJSON(t, parameters[0], `{"name": "operation", "type": "string", "required": false, "enum": ["now", "convert", "add", "diff"]}`)
	})
}

// The built-in tools answer the requests of a user interface.
func TestDocument002Host(t *testing.T) {
	t.Parallel()
	h := host(t, "grants.allow = [\"write:workspace\"]\nmounts.skills = \"workspace/skills\"\n", map[string]string{
		"src/old.ts": "old", "src/new.ts": "new", "notes.md": "a note",
		"skills/review/SKILL.md": "---\nname: review\ndescription: How we review\n---\nLook at the tests first.\n",
	})
	yesterday := time.Now().Add(-24 * time.Hour)
	if err := os.Chtimes(filepath.Join(h.workspace, "src", "old.ts"), yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
	t.Run("EXECUTE_TOOL", func(t *testing.T) {
		got := h.ask(t, `{"toolId": "read", "arguments": {"file_path": "notes.md"}, "messageId": "m", "sessionId": "s"}`)
		wantJSON(t, got, `{"success": true, "result": {"title": "Read notes.md (1 line)", "output": "     1\ta note\n", "metadata": {"path": "notes.md"}}}`)
		wantJSON(t, h.ask(t, `{"toolId": "read", "arguments": {}, "messageId": "m", "sessionId": "s"}`), `{"success": false, "error": "*"}`)
	})
	t.Run("Glob: newest files first, and a live title", func(t *testing.T) {
		got := h.call(t, "glob", `{"pattern": "**/*.ts"}`)
		wantJSON(t, got, `{
			"success": true,
			"result": {"title": "Found 2 files", "output": "src/new.ts\nsrc/old.ts\n", "metadata": {"pattern": "**/*.ts", "searchPath": ".", "count": 2, "truncated": false}},
			"updates": [{"title": "Searching: **/*.ts", "metadata": {"pattern": "**/*.ts", "searchPath": ".", "count": 0}}]}`)
		wantJSON(t, h.call(t, "glob", `{"pattern": "*.ts", "path": "src"}`), `{"result": {"metadata": {"searchPath": "src", "count": 2}}}`)
	})
	t.Run("Skill", func(t *testing.T) {
		wantJSON(t, h.call(t, "skill", `{"name": "review"}`), `{"success": true, "result": {"output": "Look at the tests first."}}`)
		wantText(t, h.call(t, "skill", `{"name": "relase"}`).Error, `"review"`)
	})
	t.Run("Skill: the parameter skill", func(t *testing.T) {
		needsBuild(t, "skill")
		wantJSON(t, h.call(t, "skill", `{"skill": "review"}`), `{"success": true}`)
	})
	t.Run("ToolExecutionContext: workingDirectory", func(t *testing.T) {
		needsBuild(t, "read")
		got := h.ask(t, `{"toolId": "read", "arguments": {"file_path": "new.ts"}, "workingDirectory": "/workspace/src"}`)
		wantJSON(t, got, `{"success": true, "result": {"output": "     1\tnew\n"}}`)
		wantJSON(t, h.ask(t, `{"toolId": "bash", "arguments": {"command": "pwd"}, "workingDirectory": "/workspace/src"}`), `{"result": {"output": "/workspace/src\n"}}`)
		wantText(t, h.ask(t, `{"toolId": "read", "arguments": {"file_path": "../../wasmtool.toml"}, "workingDirectory": "/workspace/src"}`).Error, "outside the workspace")
	})
	t.Run("Bash: allow, ask and deny", func(t *testing.T) {
		wantJSON(t, h.call(t, "bash", `{"command": "cat notes.md | grep note"}`), `{"success": true, "result": {"output": "a note\n"}, "questions": null}`)

		const remove = `{"toolId": "bash", "arguments": {"command": "rm src/old.ts"}, "messageId": "m", "sessionId": "s", "toolCallId": "c", "approve": %s}`
		rejected := h.ask(t, strings.ReplaceAll(remove, "%s", "false"))
		wantJSON(t, rejected, `{"success": false, "error": "*", "questions": [{
			"reason": "script", "patterns": ["rm *"], "session": "s", "message": "m", "call_id": "c", "title": "Run a script with bash?"}]}`)
		wantText(t, rejected.Error, "not approved")
		wantJSON(t, h.ask(t, strings.ReplaceAll(remove, "%s", "true")), `{"success": true}`)
		if _, err := os.Stat(filepath.Join(h.workspace, "src", "old.ts")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the file is still there: %v", err)
		}

		denied := h.call(t, "bash", `{"command": "sudo ls"}`)
		wantJSON(t, denied, `{"success": false, "questions": null}`)
		wantText(t, denied.Error, "sudo")
	})
	t.Run("sandbox boundary", func(t *testing.T) {
		wantText(t, h.call(t, "read", `{"file_path": "../wasmtool.toml"}`).Error, "outside the workspace")
		wantText(t, h.call(t, "read", `{"file_path": "/etc/passwd"}`).Error, "outside the workspace")
		wantJSON(t, h.call(t, "read", `{"file_path": "/workspace/notes.md"}`), `{"success": true}`)
	})
}

func TestDocument002Direct(t *testing.T) {
	t.Parallel()
	w := open(t, `[servers.mcp-server]`+"\nurl = \""+serveMCP(t)+"\"\n", bare, func(o *standard.Options) { o.Sources.Servers = []string{"mcp-server"} })
	w.answer.Yes = true
	spec, executor, err := readFile()
	w.add(t, spec, executor, err)
	// executeToolDirectly: one function calls tools of MCP servers and all others.
	for name, arguments := range map[string]string{"mcp__mcp-server__tool-name": `{"param1": "x"}`, "read": `{"file_path": "x"}`} {
		if result := w.run(t, name, arguments); result.IsError {
			t.Errorf("%s: %+v", name, result)
		}
	}
}

// commands002 are the commands that the document lists for each class, and some of its examples
// with arguments.
var commands002 = []struct {
	list   string
	effect policy.Effect
	script []string
}{
	{"READ_ONLY_COMMANDS", policy.Allow, []string{"cat a", "ls", "pwd", "grep x a", "find . -name a"}},
	{"GIT_READ_ONLY", policy.Allow, []string{"git status", "git log", "git diff", "git branch"}},
	{"DANGEROUS_COMMANDS", policy.Ask, []string{"rm a", "mv a b", "cp a b", "mkdir a", "chmod 600 a"}},
	{"GIT_WRITE", policy.Ask, []string{"git add .", "git commit -m x", "git push", "git merge b"}},
	{"FORBIDDEN_COMMANDS", policy.Deny, []string{"sudo ls", "shutdown now", "reboot", "mkfs.ext4 /dev/sda1", "mkfs /dev/sda1"}},
	{"the worst command decides", policy.Deny, []string{"ls && sudo ls", "cat $(reboot)"}},
	{"a command in no list", policy.Ask, []string{"unknown-command", "curl https://example.com"}},
}

func TestDocument002Commands(t *testing.T) {
	t.Parallel()
	for _, row := range commands002 {
		for _, script := range row.script {
			t.Run("classifyCommand: "+row.list+": "+script, func(t *testing.T) {
				if got := shellcommand.Classify(script, shellcommand.Settings{}); got.Effect != row.effect {
					t.Errorf("got %s (%s), want %s", got.Effect, got.Reason, row.effect)
				}
			})
		}
	}
	t.Run("ToolSettings: confirmDangerousCommands and dangerousCommandWhitelist", func(t *testing.T) {
		for script, want := range map[string]policy.Effect{"npm run build": policy.Allow, "npm install": policy.Ask} {
			if got := shellcommand.Classify(script, shellcommand.Settings{Allow: []string{"npm run *"}}); got.Effect != want {
				t.Errorf("%s: got %s, want %s", script, got.Effect, want)
			}
		}
	})
}

func TestDocument002Settings(t *testing.T) {
	t.Parallel()
	const file = `
[policy]
enable_tool_calls = ENABLE
[tools.read]
enabled = true
auto_execute = true
[tools.glob]
enabled = false
[mounts]
workspace = "work"
notes = "notes"
[shell]
confirm_dangerous = true
allow = ["npm run *"]
`
	const agents = `
[agent]
auto_confirm_dangerous = true
max_tool_calls = 20
timeout = "5m"
provider = "anthropic"
model = "a-model"
`
	settings := func(t *testing.T, enable string) *world {
		w := open(t, "", func(o *standard.Options) { o.Workspace = "" }, func(o *standard.Options) {
			dir := t.TempDir()
			for _, name := range []string{"work", "notes"} {
				if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			o.Config = decode(t, dir, strings.Replace(file, "ENABLE", enable, 1))
		})
		return w
	}
	t.Run("ToolSettings and BashToolSettings", func(t *testing.T) {
		w := settings(t, "true")
		read, _ := w.Tools().Get("read")
		wantJSON(t, read, `{"enabled": true, "auto_execute": true}`)
		w.fail(t, "glob", `{"pattern": "*"}`, tool.CodeDisabled)
	})
	t.Run("ToolSettings as they are written get answers", func(t *testing.T) {
		_, err := config.Decode(config.File{}, []byte("enableToolCalls = true\n[tools.read]\nautoExecute = true\n[bash]\n[shell]\ndangerousCommandWhitelist = []\n[toolAgentSettings]\n"), nil)
		wantText(t, fmt.Sprint(err), "write enable_tool_calls in [policy]", `did you mean "auto_execute"?`, "write commands in [shell]", "write allow", "write [agent]")
	})
	t.Run("ToolSettings: enableToolCalls", func(t *testing.T) {
		if all := settings(t, "false").Tools().List(catalogue.Filter{}); len(all) > 0 {
			t.Errorf("there are %d tools", len(all))
		}
	})
	t.Run("ToolSettings are changed by a settings page", func(t *testing.T) {
		w, no := settings(t, "true"), false
		if err := w.SetToolRule("read", policy.ToolRule{Enabled: &no}); err != nil {
			t.Fatal(err)
		}
		read, _ := w.Tools().Get("read")
		wantJSON(t, read, `{"enabled": false, "auto_execute": false}`)
	})
	t.Run("ToolAgentSettings", func(t *testing.T) {
		o := standard.AgentOptions(decode(t, t.TempDir(), agents).Agent())
		if !o.AutoConfirmDangerous || o.MaxToolCalls != 20 || o.Timeout != 5*time.Minute {
			t.Errorf("got %+v", o)
		}
	})
}

// A whole run; the tests of package agent have a row for each sentence about it.
func TestDocument002Agent(t *testing.T) {
	t.Parallel()
	w := open(t, "", bare)
	for _, o := range []native.Options{named("look"), named("mcp__server__look"), {Spec: tool.Spec{Name: "remove", Description: "Removes.", Dangerous: true}}} {
		spec, executor, err := native.Define(o, func(_ context.Context, arguments in) (string, error) {
			if arguments.Input == "" {
				return "", errors.New("no name")
			}
			return o.Spec.Name + " " + arguments.Input, nil
		})
		w.add(t, spec, executor, err)
	}
	recording, err := os.Open(filepath.Join("testdata", "002.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer recording.Close()
	model, err := agent.OpenReplay(recording)
	if err != nil {
		t.Fatal(err)
	}
	var started, progress []string
	var completed, summaries []agent.Step
	text := ""
	result, err := agent.New(agent.Of(w.Registry, "", registry.TenantOptions{}), model, agent.Options{AutoConfirmDangerous: true}).Run(t.Context(),
		agent.Request{Task: "Tidy up.", Context: "Only a.txt.", ExpectedOutcome: "What you removed.", SessionID: "s", MessageID: "m"},
		agent.Events{
			OnStepStart:    func(s agent.Step) { started = append(started, s.ToolName) },
			OnStepComplete: func(s agent.Step) { completed = append(completed, s) },
			OnStepSummary:  func(s agent.Step) { summaries = append(summaries, s) },
			OnTextChunk:    func(chunk string) { text += chunk },
			OnProgress:     func(message string) { progress = append(progress, message) },
			OnError:        func(message string) { t.Errorf("the run failed: %s", message) },
		})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("ToolAgentResult", func(t *testing.T) {
		wantJSON(t, result, `{"success": true, "summary": "a.txt is removed.", "details": "*", "filesModified": [], "errors": ["*"], "toolCallCount": 4, "executionTimeMs": "*"}`)
		if asked := w.questions(); len(asked) > 0 {
			t.Errorf("asked %d times", len(asked))
		}
	})
	// The thinking before several calls is in the first of their steps, the summary in the last.
	t.Run("ToolAgentStep", func(t *testing.T) {
		wantJSON(t, result.Steps, `[
			{"toolName": "look", "arguments": {"input": "a.txt"}, "result": {"output": "look a.txt"}, "status": "success", "timestamp": "*", "thinking": "First I look.", "summary": "It is old, so I remove it."},
			{"toolName": "remove", "status": "success", "thinking": "It is old, so I remove it."},
			{"toolName": "mcp__server__look", "status": "success"},
			{"toolName": "look", "status": "failed", "error": "*", "summary": "a.txt is removed."}]`)
	})
	t.Run("ToolAgentEvents", func(t *testing.T) {
		if slices.Sort(started); !slices.Equal(started, []string{"look", "look", "mcp__server__look", "remove"}) || len(completed) != 4 || len(summaries) != 2 || len(progress) == 0 {
			t.Errorf("started %q, completed %d, summarised %d, progress %q", started, len(completed), len(summaries), progress)
		}
		if text != "First I look.It is old, so I remove it.a.txt is removed." {
			t.Errorf("the text is %q", text)
		}
	})
	t.Run("Step", func(t *testing.T) {
		wantJSON(t, result.Steps[1].UI(), `{"id": "call_2", "type": "tool_call", "title": "remove", "status": "completed", "timestamp": "*", "turnIndex": 2, "toolCallId": "call_2",
			"toolCall": {"id": "call_2", "toolName": "remove", "arguments": {"input": "a.txt"}}, "thinking": "*", "result": "remove a.txt"}`)
	})
}
