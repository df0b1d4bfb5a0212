package json

import (
	"context"
	"fmt"
)

// errSteps is the error of an exhausted budget.
var errSteps = fmt.Errorf("query: the program takes more than %d steps; it may loop forever; if not, query for less", maxSteps)

// budget is a context that ends after a number of calls of Done. gojq calls Done before each
// instruction, so a program ends at the same step on every machine, unlike with a deadline. It is
// not safe for concurrent use.
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

// Err returns errSteps once the budget is used up.
func (b *budget) Err() error {
	if b.left > 0 {
		return nil
	}
	return errSteps
}
