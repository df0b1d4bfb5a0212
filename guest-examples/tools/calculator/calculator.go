// Package calculator implements the built-in tool calculator, which evaluates arithmetic
// expressions as exactly as possible.
package calculator

import (
	"fmt"
	"io"
	"unicode/utf8"
)

// MaxLength limits the length of an expression, in characters.
const MaxLength = 4000

// Args are the arguments of calculator.
type Args struct {
	// Expression is the expression to evaluate, as in "2 * (3 + 4)".
	Expression string `json:"expression"`
}

// Run writes the value of the expression to out: the exact decimal if there is one, otherwise 30
// digits and a note. The text of an error is for a model, and names the column in characters,
// counted from 1.
func Run(args Args, out io.Writer) error {
	text, err := Evaluate(args.Expression)
	if err != nil {
		return fmt.Errorf("expression, %w", err)
	}
	_, err = fmt.Fprintln(out, text)
	return err
}

// Evaluate returns the value of the expression as Run writes it.
func Evaluate(expression string) (string, error) {
	if n := utf8.RuneCountInString(expression); n > MaxLength {
		return "", fmt.Errorf("%d characters: at most %d are allowed; evaluate it in parts", n, MaxLength)
	}
	v, err := parse(expression)
	if err != nil {
		return "", err
	}
	return v.String(), nil
}
