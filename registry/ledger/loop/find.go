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

// repeats reports whether s made no progress compared with an earlier step. If candidate is set, s
// has not run yet and has no result.
func (s *step) repeats(earlier *step, candidate bool) bool {
	return s.tool == earlier.tool && s.arguments == earlier.arguments &&
		!s.changed && !earlier.changed && (candidate || s.result == earlier.result)
}

// Loop is a sequence of calls that is repeated. The zero value means none.
type Loop struct {
	// Tools are the tools of one repetition of the sequence, in order.
	Tools []string `json:"tools"`
	// Count is the number of repetitions since the last approval. Total is the number of all
	// repetitions that are on record.
	Count int `json:"count"`
	Total int `json:"total"`
}

// Period returns the number of calls in the sequence; 0 means that there is no loop.
func (l Loop) Period() int { return len(l.Tools) }

// find returns the loop at the end of the steps. If candidate is not nil, it is a further step that
// has not run yet. If several sequences are repeated, find returns the sequence with the most
// repetitions. Among sequences with equally many repetitions, it returns the shortest.
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
		same := 0 // number of steps that equal the step one period earlier
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

// String describes the loop, such as "grep was called 3 times in a row with the same arguments,
// without a new result".
func (l Loop) String() string {
	switch l.Period() {
	case 0:
		return "nothing is repeated"
	case 1:
		return fmt.Sprintf("%s was called %d times in a row with the same arguments, without a new result", l.Tools[0], l.Total)
	}
	return fmt.Sprintf("the sequence of calls %s was made %d times with the same arguments, without a new result", strings.Join(l.Tools, ", "), l.Total)
}

// Advice tells a model what it can do about a Loop.
const Advice = "change the arguments, use another tool, or say what is missing"
