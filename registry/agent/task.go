package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// TaskTool is the name of the tool that delegates a task to an agent, and QuestionTool of the tool
// that asks the user.
const (
	TaskTool     = "task"
	QuestionTool = "question"
)

// maxDepth limits how many agents work for one another.
const maxDepth = 2

// TaskOptions configures the tool task.
type TaskOptions struct {
	// Agent configures the agents.
	Agent Options
	// AllowTask lets an agent delegate parts of its own task, once. AllowQuestion lets it ask the
	// user. Both are false for the zero value.
	AllowTask, AllowQuestion bool
	// MaxRunning limits the agents of a tenant that run at once, so that the calls of agents find
	// a free slot; 0 means no limit. Beyond the limit, task fails with resource_exhausted.
	MaxRunning int
}

// Task returns the backend of the tool task; see package hosttools. Its calls are nested in the
// call of task: they have the same tenant and session, and questions about them appear as questions
// about task. The registry must be the one that runs the tool.
func Task(reg *registry.Registry, model Model, o TaskOptions) func(ctx context.Context, in tool.Invocation) (tool.Result, error) {
	var mu sync.Mutex
	running := make(map[string]int) // by tenant
	count := func(tenant string, n int) int {
		mu.Lock()
		defer mu.Unlock()
		if running[tenant] += n; running[tenant] == 0 {
			delete(running, tenant)
		}
		return running[tenant]
	}
	return func(ctx context.Context, in tool.Invocation) (tool.Result, error) {
		defer count(in.Call.Tenant, -1)
		if count(in.Call.Tenant, 1) > o.MaxRunning && o.MaxRunning > 0 {
			return tool.Result{}, tool.Errorf(tool.CodeResourceExhausted, "%d agents are running; wait until one has reported", o.MaxRunning)
		}
		if in.Depth >= maxDepth {
			return tool.Result{}, tool.Errorf(tool.CodePermissionDenied, "an agent of an agent cannot delegate; carry out the task with the other tools")
		}
		agentOptions := o.Agent
		agentOptions.Exclude = slices.Clone(agentOptions.Exclude)
		if !o.AllowTask || in.Depth > 0 {
			agentOptions.Exclude = append(agentOptions.Exclude, TaskTool)
		}
		if !o.AllowQuestion {
			agentOptions.Exclude = append(agentOptions.Exclude, QuestionTool)
		}
		request := Request{SessionID: in.Call.Session, MessageID: in.Call.Message, WorkingDirectory: in.Call.WorkingDirectory}
		request.Task, _ = in.Text("task")
		request.Context, _ = in.Text("context")
		request.ExpectedOutcome, _ = in.Text("expectedOutcome")
		result, err := New(ofInvocation{reg, in}, model, agentOptions).Run(ctx, request, Events{
			OnStepStart: func(s Step) { in.Update(tool.Update{Title: s.ToolName}) },
			OnProgress:  func(text string) { in.Update(tool.Update{Title: brief(text)}) },
		})
		if err == nil && !result.Success {
			err = tool.Errorf(tool.CodeExecution, "the agent did not succeed (%s)", result.End)
		}
		return taskResult(result), err
	}
}

// MetaResult is the key of the outcome in the metadata of a task that failed. A task that succeeded
// has the outcome as its structured result.
const MetaResult = "tool_agent_result"

// taskResult returns the outcome of a run as the result of the tool task. For a failure, the text
// includes the log of the steps, so that the caller can go on from there.
func taskResult(r Result) tool.Result {
	out := tool.Result{Title: fmt.Sprintf("%s after %d calls", r.End, r.ToolCallCount), Content: []tool.Content{tool.TextContent(r.Summary)}}
	out.Call.Usage.FilesWritten = r.FilesModified
	if r.Success {
		out.Structured, _ = json.Marshal(r) // a Result has only strings, numbers and lists of them
		return out
	}
	const maxText, maxErrors = 8 << 10, 20
	out.Content = []tool.Content{tool.TextContent(strings.TrimSpace(r.Summary + "\n\n" + r.Details))}
	r.Summary, r.Details = start(r.Summary, maxText), start(r.Details, maxText)
	r.Errors = r.Errors[:min(len(r.Errors), maxErrors)]
	r.FilesModified = r.FilesModified[:min(len(r.FilesModified), maxErrors)]
	out.Metadata = map[string]any{MetaResult: r}
	return out
}
