package registry

import "github.com/wasmtool/wasmtool/registry/pipeline"

// The types of calls, whose methods package pipeline has, under the front door's names.
type (
	// Rules is what the operator says about tools and calls.
	Rules = pipeline.Rules
	// Help is what an operator does about permissions that a tool asks for in vain.
	Help = pipeline.Help
	// Overlay is what holds for some calls besides the Rules, such as those of one tenant.
	TenantOptions = pipeline.TenantOptions
	// Approver answers whether a call may run, and ApproverFunc is a function as one.
	Approver     = pipeline.Approver
	ApproverFunc = pipeline.ApproverFunc
	// Question is what an Approver is asked, and Answer what it says.
	Question = pipeline.Question
	Answer   = pipeline.Answer
	// Offered is what a tool is given when a tenant calls it.
	Access = pipeline.Access
	// Explained is what decides about a call, for the operator.
	Explained = pipeline.Explained
	// Handle is a call that runs on its own.
	Handle = pipeline.Handle
	// Outcome is what Execute returns of one call of ExecuteAll.
	Outcome = pipeline.Outcome
	// ApprovalOptions says who is asked about calls, and RetryOptions how often they are tried.
	ApprovalOptions = pipeline.ApprovalOptions
	RetryOptions    = pipeline.RetryOptions
)

// ErrNoApprover is the error of an Approver that can ask no one about a call.
var ErrNoApprover = pipeline.ErrNoApprover
