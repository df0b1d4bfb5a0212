// Package stringtool is the built-in tool string: it changes a text, cuts it,
// searches it and tells about it.
package stringtool

import (
	"fmt"
	"io"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

const (
	// MaxText is the greatest length of text, in bytes.
	MaxText = 1 << 20
	// MaxOutput is the greatest length of a result, in bytes.
	MaxOutput = 1 << 20
)

// Operation is what a call does.
type Operation string

// Side is an end of a text, or both.
type Side string

// The sides. What is left out is Both for trim and Right for pad.
const (
	Left  Side = "left"
	Right Side = "right"
	Both  Side = "both"
)

// Args are the arguments of string. Which of them count depends on Operation.
type Args struct {
	Operation Operation `json:"operation"`
	// Text is what the operation is about; only join does without it.
	Text *string `json:"text"`
	// Search is what is looked for: a text, or a regular expression if Regex.
	Search *string `json:"search"`
	// Regex makes Search a regular expression (RE2); for extract it always is.
	Regex bool `json:"regex"`
	// IgnoreCase lets Search match upper and lower case alike.
	IgnoreCase bool `json:"ignore_case"`
	// Replacement takes the place of what is found; nil means "".
	Replacement *string `json:"replacement"`
	// Items are what join joins.
	Items []string `json:"items"`
	// Separator is what join puts between items; nil means ", ".
	Separator *string `json:"separator"`
	// Start and End cut out a part, in characters from 0, End being the first
	// one that is left out. Negative ones count from the end.
	Start toolabi.Int  `json:"start"`
	End   *toolabi.Int `json:"end"`
	// Length is that of the result of pad and truncate, in characters.
	Length *toolabi.Int `json:"length"`
	// Count is how often to repeat, or how many to replace, find or split off;
	// the latter are all if it is nil.
	Count *toolabi.Int `json:"count"`
	// Fill is what pad fills with, and what truncate ends with; nil means a
	// space and "…".
	Fill *string `json:"fill"`
	// Side is where trim and pad work.
	Side Side `json:"side"`
	// Format is that of encode and decode.
	Format Format `json:"format"`
}

// operations are all there are.
var operations = map[Operation]func(Args) (string, error){
	"upper":       onText(strings.ToUpper),
	"lower":       onText(strings.ToLower),
	"title":       onText(title),
	"capitalize":  onText(capitalize),
	"camel":       onText(camel),
	"pascal":      onText(pascal),
	"snake":       onText(snake),
	"kebab":       onText(kebab),
	"constant":    onText(constant),
	"slug":        onText(slug),
	"reverse":     onText(reverse),
	"length":      onText(length),
	"lines":       onText(lines),
	"trim":        trim,
	"pad":         pad,
	"repeat":      repeat,
	"truncate":    truncate,
	"substring":   substring,
	"join":        join,
	"contains":    contains,
	"starts_with": startsWith,
	"ends_with":   endsWith,
	"index_of":    indexOf,
	"count":       count,
	"replace":     replace,
	"split":       split,
	"extract":     extract,
	"encode":      encode,
	"decode":      decode,
}

// Run writes the result to out. The text of an error is written for a model.
func Run(args Args, out io.Writer) error {
	operation, err := toolabi.Operation(operations, args.Operation)
	if err != nil {
		return err
	}
	if args.Text == nil && args.Operation != "join" {
		return missing("text")
	}
	if args.Text != nil && len(*args.Text) > MaxText {
		return fmt.Errorf("text has %d bytes; at most %d are allowed, do it in parts", len(*args.Text), MaxText)
	}
	result, err := operation(args)
	if err == nil && len(result) > MaxOutput {
		err = tooLong()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", args.Operation, err)
	}
	_, err = io.WriteString(out, result)
	return err
}

// Operations returns the names of all operations in their order.
func Operations() []string { return toolabi.Operations(operations) }

// onText returns the operation that needs nothing but a text.
func onText(change func(string) string) func(Args) (string, error) {
	return func(args Args) (string, error) { return change(*args.Text), nil }
}

func missing(parameter string) error { return fmt.Errorf("%s is missing", parameter) }

func tooLong() error {
	return fmt.Errorf("the result has more than %d bytes; do less at once", MaxOutput)
}
