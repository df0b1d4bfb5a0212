package agent

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// The types of a UIStep for tools that a user interface shows in a special way. The type of every
// other tool is TypeToolCall.
const (
	TypeBash        = "bash"
	TypeBashConfirm = "bash-confirm"
	TypeDelegate    = "delegate"
	TypeToolCall    = "tool_call"
)

// UIStep is a step as user interfaces show it.
type UIStep struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	// Status is pending, running, completed, failed or awaiting-confirmation.
	Status string `json:"status"`
	// Timestamp is when the step began, in milliseconds since 1970.
	Timestamp  int64     `json:"timestamp"`
	TurnIndex  int       `json:"turnIndex,omitempty"`
	ToolCallID string    `json:"toolCallId,omitempty"`
	ToolCall   *ToolCall `json:"toolCall,omitempty"`
	Thinking   string    `json:"thinking,omitempty"`
	Result     string    `json:"result,omitempty"`
	Summary    string    `json:"summary,omitempty"`
	Error      string    `json:"error,omitempty"`
	// ToolAgentResult is the outcome of a step of the type delegate.
	ToolAgentResult *ToolAgentResult `json:"toolAgentResult,omitempty"`
}

// ToolCall is the call of a UIStep.
type ToolCall struct {
	ID        string          `json:"id"`
	ToolName  string          `json:"toolName"`
	Arguments json.RawMessage `json:"arguments"`
}

// ToolAgentResult is the part of a Result that a UIStep shows.
type ToolAgentResult struct {
	Success       bool     `json:"success"`
	Summary       string   `json:"summary"`
	ToolCallCount int      `json:"toolCallCount"`
	FilesModified []string `json:"filesModified,omitempty"`
	Errors        []string `json:"errors,omitempty"`
}

// UI returns the step as user interfaces show it.
func (s Step) UI() UIStep {
	u := UIStep{
		ID: s.CallID, Type: uiType(s.ToolName, false), Title: s.ToolName, Timestamp: s.Timestamp, TurnIndex: s.Turn,
		Status:     map[StepStatus]string{"": "running", StepSuccess: "completed", StepFailed: "failed"}[s.Status],
		ToolCallID: s.CallID, ToolCall: &ToolCall{s.CallID, s.ToolName, s.Arguments},
		Thinking: s.Thinking, Summary: s.Summary, Error: s.Error,
	}
	if s.Result != nil {
		u.Title, u.Result = s.Result.Title, s.Result.Output
	}
	return u
}

// UIStepOf returns the state of a call as user interfaces show it. arguments are the arguments of
// the call; nil leaves them out.
func UIStepOf(c state.Call, arguments json.RawMessage) UIStep {
	u := UIStep{
		ID: c.ID, Type: uiType(c.Tool, c.Status == state.AwaitingConfirmation), Title: cmp.Or(c.Title, c.Tool), Status: c.Status.StepStatus(),
		Timestamp: c.Started.UnixMilli(), ToolCallID: c.ID,
	}
	if c.Status == state.Completed {
		u.Status = "completed"
	}
	if arguments != nil {
		u.ToolCall = &ToolCall{c.ID, c.Tool, arguments}
	}
	if c.Result != nil {
		u.Result = c.Result.Text()
		u.ToolAgentResult = delegated(u.Type, *c.Result)
	}
	if c.Err != nil {
		u.Error = c.Err.Error()
	}
	return u
}

// delegated returns the outcome of a step of the type delegate, or nil.
func delegated(kind string, r tool.Result) *ToolAgentResult {
	text := r.Structured
	if failed, ok := r.Metadata[MetaResult]; ok {
		text, _ = json.Marshal(failed) // metadata always encodes
	}
	var out ToolAgentResult
	if kind != TypeDelegate || json.Unmarshal(text, &out) != nil {
		return nil
	}
	return &out
}

// uiType returns the type for a tool. asking is set while the call waits for an approval.
func uiType(name string, asking bool) string {
	switch {
	case name == "bash" && asking:
		return TypeBashConfirm
	case slices.Contains([]string{TypeBash, "read", "write", "edit", "glob", "grep", "skill"}, name):
		return name
	case name == TaskTool:
		return TypeDelegate
	}
	return TypeToolCall
}
