package tool

import (
	"context"
	"errors"
)

// Inquiry is a tool's question to a person. A model wrote the question and the options: show
// them as the model's words, never as the host's.
type Inquiry struct {
	// CallRef identifies the call that asks.
	CallRef
	// Text is the question. Header is its topic in one or two words, and may be "".
	Text, Header string
	// Options are the answers to choose from. Without options, the answer is free text.
	Options []InquiryOption
	// Multiple allows choosing several options.
	Multiple bool
}

// InquiryOption is one answer to choose.
type InquiryOption struct {
	Label string `json:"label"`
	// Description explains the option; may be empty.
	Description string `json:"description,omitempty"`
}

// Reply is the outcome of an [Inquiry].
type Reply struct {
	Status ReplyStatus `json:"status"`
	// Chosen are the labels of the chosen options, in the order of the options.
	Chosen []string `json:"chosen,omitempty"`
	// Text is an answer in the person's own words. It may be set in addition to Chosen.
	Text string `json:"text,omitempty"`
}

// ReplyStatus is the kind of outcome of an [Inquiry].
type ReplyStatus string

// The statuses.
const (
	ReplyAnswered ReplyStatus = "answered"
	// ReplyDeclined means that the person refused to answer.
	ReplyDeclined ReplyStatus = "declined"
	// ReplyCancelled means that the person dismissed the question.
	ReplyCancelled ReplyStatus = "cancelled"
)

// Asker shows inquiries to a person. Implementations must be safe for concurrent use.
type Asker interface {
	// Inquire asks q and returns the outcome, at the latest when ctx is done. An error that wraps
	// ErrNoApprover means that the Asker cannot ask anyone about this call.
	Inquire(ctx context.Context, q Inquiry) (Reply, error)
}

// ErrNoApprover means that there is no one to ask about a call.
var ErrNoApprover = errors.New("no approver is available")

// AskReason is the reason why a call needs an approval. If there are several reasons, the first in
// the order of the constants counts. The zero value means that the call needs none.
type AskReason string

// The reasons, the most explicit first.
const (
	// AskOutside means that the call names a path of the host outside all workspaces. An approval
	// is only for this call and is never remembered.
	AskOutside AskReason = "outside"
	// AskRepeated means that the call has been repeated too often.
	AskRepeated AskReason = "repeated"
	// AskRule means that the operator requires the approval: by a rule of the policy, by the
	// patterns for commands of scripts, or by the policy of the tenant. It is also the reason for
	// everything that no other reason describes.
	AskRule AskReason = "rule"
	// AskDangerous means that the tool is dangerous: Spec.Dangerous.
	AskDangerous AskReason = "dangerous"
	// AskScript means that the call's script may do more than read.
	AskScript AskReason = "script"
	// AskEffects means that the call may do more than read, and that the operator did not allow it.
	AskEffects AskReason = "effects"
)

// Values of Receipt.ApprovedBy.
const (
	// ApprovedByApprover means that an approver was asked during the call.
	ApprovedByApprover = "approver"
	// ApprovedByRemembered means that an earlier approval covers the call.
	ApprovedByRemembered = "remembered"
	// ApprovedByAgent means that Call.AutoConfirm approved the call, without a question.
	ApprovedByAgent = "agent"
)
