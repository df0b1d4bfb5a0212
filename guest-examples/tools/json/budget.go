package json

import (
	"context"
	"fmt"
)

// errSteps is the error of a budget that is used up.
var errSteps = fmt.Errorf("query: the program takes more than %d steps; it may never end, otherwise query for less", maxSteps)

// budget is a context that is done after so many questions whether it is. gojq
// asks before each instruction, so the end is the same on every machine, which
// a deadline would not be. Not for concurrent use.
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

// Err returns errSteps once the steps are used up.
func (b *budget) Err() error {
	if b.left > 0 {
		return nil
	}
	return errSteps
}
