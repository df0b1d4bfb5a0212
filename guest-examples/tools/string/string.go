// Package stringtool implements the built-in tool string, which changes, splits, searches and
// measures texts.
package stringtool

import (
	"fmt"
	"io"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

const (
	// MaxText limits the length of the text in bytes.
	MaxText = 1 << 20
	// MaxOutput limits the length of the result in bytes.
	MaxOutput = 1 << 20
)

// Operation is the operation of a call.
type Operation string

// Side is the left side of a text, the right side, or both.
type Side string

// The sides. An empty side means Both for trim and Right for pad.
const (
	Left  Side = "left"
	Right Side = "right"
	Both  Side = "both"
)

// Args are the arguments of string. Operation decides which of them are used.
type Args struct {
	Operation Operation `json:"operation"`
	// Text is the input of each operation except join.
	Text *string `json:"text"`
	// Search is the string to search for, or a regular expression if Regex is set.
	Search *string `json:"search"`
	// Regex means that Search is a regular expression in RE2 syntax. For extract it always is.
	Regex bool `json:"regex"`
	// IgnoreCase makes the search ignore the difference between upper and lower case.
	IgnoreCase bool `json:"ignore_case"`
	// Replacement replaces each match; nil means "".
	Replacement *string `json:"replacement"`
	// Items are the strings that join joins.
	Items []string `json:"items"`
	// Separator is the string that join writes between items; nil means ", ".
	Separator *string `json:"separator"`
	// Start and End select the characters from index Start up to, but not including, index End.
	// Indices begin at 0; negative indices are relative to the end.
	Start toolabi.Int  `json:"start"`
	End   *toolabi.Int `json:"end"`
	// Length is the length in characters of the result of pad and truncate.
	Length *toolabi.Int `json:"length"`
	// Count is the number of repetitions for repeat. For the other operations it is the maximum
	// number of matches to replace, extract or split at; nil means no limit.
	Count *toolabi.Int `json:"count"`
	// Fill is what pad adds (nil means a space), the ending that truncate adds (nil means "…"), and
	// the characters that trim removes (nil means white space).
	Fill *string `json:"fill"`
	// Side is the side that trim and pad change.
	Side Side `json:"side"`
	// Format is the format for encode and decode.
	Format Format `json:"format"`
}

// Announce returns what to show while the call runs.
func (a Args) Announce() (title string, metadata map[string]any) {
	return "Text: " + string(a.Operation), nil
}

// operations are all supported operations.
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

// Run writes the result to out. The message of an error is written for a model.
func Run(args Args, out io.Writer) error {
	operation, err := toolabi.Operation(operations, args.Operation)
	if err != nil {
		return err
	}
	if args.Text == nil && args.Operation != "join" {
		return missing("text")
	}
	if args.Text != nil && len(*args.Text) > MaxText {
		return fmt.Errorf(`the argument "text" has %d bytes; the limit is %d, so split it`, len(*args.Text), MaxText)
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

// Operations returns the names of all operations in alphabetical order.
func Operations() []string { return toolabi.Operations(operations) }

// onText returns an operation that uses only the argument Text.
func onText(change func(string) string) func(Args) (string, error) {
	return func(args Args) (string, error) { return change(*args.Text), nil }
}

func missing(parameter string) error { return fmt.Errorf("the argument %q is missing", parameter) }

func tooLong() error {
	return fmt.Errorf("the result is larger than the limit of %d bytes; process a smaller part", MaxOutput)
}
