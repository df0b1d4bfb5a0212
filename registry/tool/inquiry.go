package tool

import (
	"context"
	"errors"
)

// Inquiry is what a tool wants to know from a person. A model wrote its texts: show them as
// such, and never as words of the host.
type Inquiry struct {
	// CallRef is the call that asks.
	CallRef
	// Text is the question, and Header a word or two that say what it is about; may be "".
	Text, Header string
	// Options are answers to choose from; without any the answer is a text.
	Options []InquiryOption
	// Multiple allows more than one of them.
	Multiple bool
}

// InquiryOption is an answer to choose.
type InquiryOption struct {
	Label string `json:"label"`
	// Description says what choosing it means; may be empty.
	Description string `json:"description,omitempty"`
}

// Reply is what came of an Inquiry.
type Reply struct {
	Status ReplyStatus `json:"status"`
	// Chosen are the labels of the options that were chosen, in the order of the options.
	Chosen []string `json:"chosen,omitempty"`
	// Text is an answer in the person's own words; may be there besides Chosen.
	Text string `json:"text,omitempty"`
}

// ReplyStatus says whether there is an answer.
type ReplyStatus string

// The statuses.
const (
	ReplyAnswered ReplyStatus = "answered"
	// ReplyDeclined: the person does not want to answer.
	ReplyDeclined ReplyStatus = "declined"
	// ReplyCancelled: the person went away from the question without a word to it.
	ReplyCancelled ReplyStatus = "cancelled"
)

// Asker puts inquiries to a person. It is safe for concurrent use.
type Asker interface {
	// Inquire returns what came of it, at the latest when ctx is done. An error that wraps
	// ErrNobodyToAsk means that there is nobody for this call.
	Inquire(ctx context.Context, q Inquiry) (Reply, error)
}

// ErrNobodyToAsk says that there is nobody to ask about a call.
var ErrNobodyToAsk = errors.New("there is nobody to ask")
