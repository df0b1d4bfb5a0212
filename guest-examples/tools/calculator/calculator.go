// Package calculator implements the built-in tool calculator, which evaluates arithmetic
// expressions. Results are exact if possible.
package calculator

import (
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

// MaxLength limits the length of an expression, in characters.
const MaxLength = 4000

// Args are the arguments of calculator.
type Args struct {
	// Expression is the expression to evaluate, such as "2 * (3 + 4)".
	Expression string `json:"expression"`
}

// Announce returns what to show while the call runs.
func (a Args) Announce() (title string, metadata map[string]any) {
	return "Calculating", nil
}

// Run writes the value of the expression to out: an exact decimal number if possible, otherwise 30
// digits and a note. The message of an error is written for a model. It has the column in
// characters; the first column is 1.
func Run(args Args, out io.Writer) error {
	v, err := evaluate(args.Expression)
	if err != nil {
		return fmt.Errorf("expression, %w", err)
	}
	return toolabi.WriteResult(out, toolabi.DetailedResult("", v.String()+"\n", nil, v.details()))
}

// Evaluate returns the text that Run writes, without the line feed.
func Evaluate(expression string) (string, error) {
	v, err := evaluate(expression)
	if err != nil {
		return "", err
	}
	return v.String(), nil
}

func evaluate(expression string) (value, error) {
	if n := utf8.RuneCountInString(expression); n > MaxLength {
		return value{}, fmt.Errorf("the expression has %d characters; the limit is %d, so evaluate it in parts", n, MaxLength)
	}
	return parse(expression)
}
