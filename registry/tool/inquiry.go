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
