package registry

import (
	"github.com/wasmtool/wasmtool/registry/pipeline"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Aliases for the types of package pipeline, so that embedding programs import only this package.
type (
	// Rules are the operator's rules for tools and calls.
	Rules = pipeline.Rules
	// ToolOptions are the operator's options for one tool.
	ToolOptions = pipeline.ToolOptions
	// Help tells an operator how to give a tool its missing permissions.
	Help = pipeline.Help
	// TenantOptions restricts the Rules for some calls, such as the calls of one tenant.
	TenantOptions = pipeline.TenantOptions
	// Approver decides whether a call may run. ApproverFunc is an Approver that calls a function.
	Approver     = pipeline.Approver
	ApproverFunc = pipeline.ApproverFunc
	// Question is a question to an Approver, and Answer its answer.
	Question = pipeline.Question
	// Within is the script that makes the call of a Question.
	Within = pipeline.Within
	Answer = pipeline.Answer
	// Access is what a tool may access when a tenant calls it.
	Access = pipeline.Access
	// Explained explains the decision about a call to the operator.
	Explained = pipeline.Explained
	// Handle is a call that runs concurrently with the caller.
	Handle = pipeline.Handle
	// Outcome is the outcome of one call of ExecuteAll.
	Outcome = tool.Outcome
	// ApprovalOptions configures approvals, and RetryOptions limits retries.
	ApprovalOptions = pipeline.ApprovalOptions
	RetryOptions    = pipeline.RetryOptions
)

// ErrNoApprover is returned by an Approver that cannot ask about a call.
var ErrNoApprover = pipeline.ErrNoApprover
