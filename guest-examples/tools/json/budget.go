package json

import (
	"context"
	"fmt"
)

// errSteps is the error when the budget is used up.
var errSteps = fmt.Errorf("query: the program needs more than %d steps; check for an endless loop, or query for less", maxSteps)

// budget is a context that ends after a number of calls of Done. gojq calls Done before each
// instruction. Unlike with a deadline, a program therefore ends at the same step on every machine.
// budget is not safe for concurrent use.
type budget struct {
	context.Context
	left int
	done chan struct{}
}

func newBudget(steps int) *budget {
	return &budget{Context: context.Background(), left: steps, done: make(chan struct{})}
}

// Done counts a step.
func (b *budget) Done() <-chan struct{} {
	if b.left--; b.left == 0 {
		close(b.done)
	}
	return b.done
}

// Err returns errSteps after the budget is used up, and nil before.
func (b *budget) Err() error {
	if b.left > 0 {
		return nil
	}
	return errSteps
}
