package loop

import (
	"fmt"
	"strings"
)

// step is one call of a session.
type step struct {
	tool, arguments, result string
	changed, approved       bool
}

// repeats reports whether s brought nothing new over an earlier step. The result of a
// candidate is not known.
func (s *step) repeats(earlier *step, candidate bool) bool {
	return s.tool == earlier.tool && s.arguments == earlier.arguments &&
		!s.changed && !earlier.changed && (candidate || s.result == earlier.result)
}

// Loop is what is repeated. The zero value is nothing.
type Loop struct {
	// Tools are those of the calls that follow each other, in the order of one
	// repetition that ends with the last call.
	Tools []string `json:"tools"`
	// Count is how often they were made since somebody last said yes, and Total how often
	// in all, as far as is known.
	Count int `json:"count"`
	Total int `json:"total"`
}

// Period is how many calls are repeated; 0 for nothing.
func (l Loop) Period() int { return len(l.Tools) }

// find returns the repetition that the steps end with, together with a candidate that has
// not run yet, if any. Of several it is the one with most repetitions, and of equals the
// shortest.
func find(steps []step, candidate *step) Loop {
	n := len(steps)
	at := func(i int) *step {
		if i == len(steps) {
			return candidate
		}
		return &steps[i]
	}
	if candidate != nil {
		n++
	}
	var best Loop
	for period := 1; period <= maxPeriod && period < n; period++ {
		same := 0 // steps that repeat the one a period before
		for i := n - 1; i >= period && at(i).repeats(at(i-period), candidate != nil && i == n-1); i-- {
			same++
		}
		total := (same + period) / period
		if same < period || total <= best.Total {
			continue
		}
		best = Loop{Total: total, Count: total}
		for i := n - period; i < n; i++ {
			best.Tools = append(best.Tools, at(i).tool)
		}
		for i := n - 1; i >= n-same-period; i-- {
			if at(i).approved {
				best.Count = max(1, (n-i)/period)
				break
			}
		}
	}
	return best
}

// String says what is repeated, such as "grep was called 3 times in a row with the same
// arguments and nothing new came of it".
func (l Loop) String() string {
	switch l.Period() {
	case 0:
		return "nothing is repeated"
	case 1:
		return fmt.Sprintf("%s was called %d times in a row with the same arguments, and nothing new came of it", l.Tools[0], l.Total)
	}
	return fmt.Sprintf("the calls of %s were made %d times over with the same arguments, and nothing new came of it", strings.Join(l.Tools, ", "), l.Total)
}

// Advice is what a model can do about a Loop.
const Advice = "change the arguments, use another tool, or say what is missing"
