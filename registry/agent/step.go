package agent

import (
	"encoding/json"

	"github.com/wasmtool/wasmtool/registry/llm"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// StepStatus is the outcome of a Step.
type StepStatus string

// The statuses. A step that has begun and not ended has none.
const (
	StepSuccess StepStatus = "success"
	StepFailed  StepStatus = "failed"
)

// Step is a call of a tool in a run.
type Step struct {
	// CallID is the ID of the call in states, events, questions and receipts. It is the ID that the
	// model gave the call, unless the model gave none or used it before.
	CallID string `json:"-"`
	// Turn is the number of the model's message, counted from 1.
	Turn int `json:"-"`
	// ToolName is the name of the tool. If there is no such tool, it is the name that the model
	// wrote.
	ToolName string `json:"toolName"`
	// Arguments is the JSON object of the arguments as the model wrote them; {} if they are not an
	// object.
	Arguments json.RawMessage `json:"arguments"`
	// Result is the result; nil before the end. A long text is cut.
	Result *tool.OutputView `json:"result"`
	Status StepStatus       `json:"status"`
	// Timestamp is when the step began, in milliseconds since 1970.
	Timestamp int64 `json:"timestamp"`
	// Error is the message of a failure.
	Error string `json:"error,omitempty"`
	// Thinking is what the model wrote before the call: its text, or its reasoning if it wrote no
	// text. Summary is what it wrote after the results, before the next call.
	Thinking string `json:"thinking,omitempty"`
	Summary  string `json:"summary,omitempty"`

	files []string // that the call changed
}

// EndReason is the reason why a run ended.
type EndReason string

// The reasons.
const (
	// EndDone means that the model reported.
	EndDone EndReason = "done"
	// EndMaxTurns, EndMaxToolCalls and EndMaxTokens mean that a limit was reached. The model then
	// had one more turn to report.
	EndMaxTurns     EndReason = "max_turns"
	EndMaxToolCalls EndReason = "max_tool_calls"
	EndMaxTokens    EndReason = "max_tokens"
	// EndTimeout means that the time was over, and EndCancelled that the context was cancelled.
	EndTimeout   EndReason = "timeout"
	EndCancelled EndReason = "cancelled"
	// EndRefused means that the model or its provider refused to answer.
	EndRefused EndReason = "refused"
	// EndModelError means that the model failed, or that its message is invalid or too long.
	EndModelError EndReason = "model_error"
)

// Result is the outcome of a run.
type Result struct {
	// Success is set if the model reported, possibly after a limit, and not all steps failed.
	Success bool `json:"success"`
	// Summary is the model's report. If the model did not report, it says why the run ended.
	Summary string `json:"summary"`
	// Details is the log of the steps, one line each.
	Details string `json:"details"`
	// FilesModified are the paths of files that calls changed, as the tools see them, sorted. The
	// host observed the changes of tools in the sandbox; other tools are not observed.
	FilesModified []string `json:"filesModified"`
	// Errors are the failures of steps and of the model.
	Errors []string `json:"errors"`
	// ToolCallCount is the number of steps. Calls beyond the limit are not counted.
	ToolCallCount int `json:"toolCallCount"`
	// ExecutionTimeMS is the duration in milliseconds.
	ExecutionTimeMS int64 `json:"executionTimeMs"`
	// End is why the run ended.
	End EndReason `json:"endReason"`
	// Turns is the number of the model's messages, and Usage the sum of their tokens.
	Turns int       `json:"turns"`
	Usage llm.Usage `json:"usage"`
	// Steps are the steps in the order in which the model requested them.
	Steps []Step `json:"-"`
}
