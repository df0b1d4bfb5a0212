// Package linediff finds the fewest lines to delete and insert that turn one text into another,
// with Myers' algorithm in linear space.
package linediff

import "context"

// Change replaces the lines from OldStart to OldEnd of the first text with the lines from NewStart
// to NewEnd of the second. Lines are numbered from 0, and the ends are exclusive. One of the two
// ranges may be empty.
type Change struct{ OldStart, OldEnd, NewStart, NewEnd int }

// maxEffort limits the steps of the search for the minimum. After that many steps, all lines that
// are not yet matched are reported as changed.
const maxEffort = 20_000_000

// Changes returns the differences between older and newer, in order. Lines with equal numbers are
// equal. The only error is the error of the context.
func Changes(ctx context.Context, older, newer []int) ([]Change, error) {
	return changes(ctx, older, newer, maxEffort)
}

func changes(ctx context.Context, older, newer []int, effort int) ([]Change, error) {
	d := differ{
		ctx: ctx, old: older, new: newer, effort: effort,
		deleted: make([]bool, len(older)+1), inserted: make([]bool, len(newer)+1),
	}
	d.compare(0, len(older), 0, len(newer))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	slide(older, d.deleted, d.inserted)
	slide(newer, d.inserted, d.deleted)
	return d.changes(), nil
}

// Numbers assigns numbers to the pieces of two texts for Changes; pieces with equal keys get the
// same number.
func Numbers(older, newer [][]byte, key func(piece []byte) []byte) (oldNumbers, newNumbers []int) {
	known := map[string]int{}
	numbers := func(pieces [][]byte) []int {
		all := make([]int, len(pieces))
		for i, piece := range pieces {
			k := key(piece)
			n, ok := known[string(k)]
			if !ok {
				n = len(known)
				known[string(k)] = n
			}
			all[i] = n
		}
		return all
	}
	return numbers(older), numbers(newer)
}

type differ struct {
	ctx               context.Context
	old, new          []int
	deleted, inserted []bool
	forward, backward []int
	effort            int // remaining steps
}

// compare marks the differences in a part of the texts.
func (d *differ) compare(a, aEnd, b, bEnd int) {
	for {
		for a < aEnd && b < bEnd && d.old[a] == d.new[b] {
			a, b = a+1, b+1
		}
		for a < aEnd && b < bEnd && d.old[aEnd-1] == d.new[bEnd-1] {
			aEnd, bEnd = aEnd-1, bEnd-1
		}
		if a == aEnd || b == bEnd {
			break
		}
		x, y, ok := d.middle(a, aEnd, b, bEnd)
		if !ok {
			break
		}
		d.compare(a, x, b, y)
		a, b = x, y
	}
	for ; a < aEnd; a++ {
		d.deleted[a] = true
	}
	for ; b < bEnd; b++ {
		d.inserted[b] = true
	}
}

// middle returns a point on a shortest path through the part, which begins and ends with a
// difference. ok is false if the search took too long.
func (d *differ) middle(a, aEnd, b, bEnd int) (x, y int, ok bool) {
	n, m := aEnd-a, bEnd-b
	size := n + m + 3
	if len(d.forward) < 2*size {
		d.forward, d.backward = make([]int, 2*size), make([]int, 2*size)
	}
	forward, backward := d.forward, d.backward
	// A diagonal is numbered x-y, where x and y count from the start of the part.
	center, delta := m+1, n-m
	odd := delta%2 != 0
	// No diagonal outside the rectangle is followed.
	forward[center+1], backward[center+delta-1] = 0, n
	for cost := 0; ; cost++ {
		if d.effort -= 2*cost + 2; d.effort < 0 || d.ctx.Err() != nil {
			return 0, 0, false
		}
		for k := -cost; k <= cost; k += 2 {
			if k < -m || k > n {
				continue
			}
			i := center + k
			var at int
			if k == -cost || k == -m || k != cost && k != n && forward[i-1] < forward[i+1] {
				at = forward[i+1]
			} else {
				at = forward[i-1] + 1
			}
			for at < n && at-k < m && d.old[a+at] == d.new[b+at-k] {
				at++
			}
			forward[i] = at
			if c := k - delta; odd && c >= -(cost-1) && c <= cost-1 && backward[i] <= at {
				return a + at, b + at - k, true
			}
		}
		for c := -cost; c <= cost; c += 2 {
			k := c + delta
			if k < -m || k > n {
				continue
			}
			i := center + k
			var at int
			if c == cost || k == n || c != -cost && k != -m && backward[i-1] < backward[i+1] {
				at = backward[i-1]
			} else {
				at = backward[i+1] - 1
			}
			for at > 0 && at-k > 0 && d.old[a+at-1] == d.new[b+at-k-1] {
				at--
			}
			backward[i] = at
			if !odd && k >= -cost && k <= cost && forward[i] >= at {
				return a + at, b + at - k, true
			}
		}
	}
}

// slide moves runs of changed lines as far towards the end as equal lines allow, and joins runs
// that meet. It then moves each run back to a change of the other text, if there is one. The
// program diff also shows runs in such places.
func slide(lines []int, changed, other []bool) {
	s := slider{lines: lines, changed: changed, other: other}
	for s.next() {
		for {
			length := s.end - s.start
			s.towardsStart()
			joint := s.towardsEnd()
			if s.end-s.start == length {
				s.backTo(joint)
				break
			}
		}
	}
}

// slider is the position of a run of changed lines, from start to end. It also has the line of the
// other text that corresponds to end.
type slider struct {
	lines          []int
	changed, other []bool
	start, end, at int
}

// next moves to the next run.
func (s *slider) next() bool {
	for ; s.end < len(s.lines) && !s.changed[s.end]; s.end++ {
		s.forward()
	}
	if s.end == len(s.lines) {
		return false
	}
	for s.start = s.end; s.end < len(s.lines) && s.changed[s.end]; s.end++ {
		// Move to the end of the run.
	}
	for s.other[s.at] {
		s.at++
	}
	return true
}

// forward skips an unchanged line of the other text, and the changed lines before it.
func (s *slider) forward() {
	for s.other[s.at] {
		s.at++
	}
	s.at++
}

func (s *slider) towardsStart() {
	for s.start > 0 && s.lines[s.start-1] == s.lines[s.end-1] {
		s.start, s.end = s.start-1, s.end-1
		s.changed[s.start], s.changed[s.end] = true, false
		for s.start > 0 && s.changed[s.start-1] {
			s.start--
		}
		for s.at--; s.other[s.at]; s.at-- {
			// Skip the changes of the other text.
		}
	}
}

// towardsEnd returns the last end of the run at which the other text has changes. If there is none,
// it returns the end of the text.
func (s *slider) towardsEnd() int {
	joint := len(s.lines)
	if s.at > 0 && s.other[s.at-1] {
		joint = s.end
	}
	for s.end < len(s.lines) && s.lines[s.start] == s.lines[s.end] {
		s.changed[s.start], s.changed[s.end] = false, true
		s.start, s.end = s.start+1, s.end+1
		for s.end < len(s.lines) && s.changed[s.end] {
			s.end++
		}
		for s.at++; s.other[s.at]; s.at++ {
			joint = s.end
		}
	}
	return joint
}

func (s *slider) backTo(joint int) {
	for joint < s.end {
		s.start, s.end = s.start-1, s.end-1
		s.changed[s.start], s.changed[s.end] = true, false
		for s.at--; s.other[s.at]; s.at-- {
			// Skip the changes of the other text.
		}
	}
}

// changes returns the marked changes.
func (d *differ) changes() []Change {
	var all []Change
	for i, j := 0, 0; i < len(d.old) || j < len(d.new); {
		if !d.deleted[i] && !d.inserted[j] {
			i, j = i+1, j+1
			continue
		}
		c := Change{OldStart: i, NewStart: j}
		for d.deleted[i] {
			i++
		}
		for d.inserted[j] {
			j++
		}
		c.OldEnd, c.NewEnd = i, j
		all = append(all, c)
	}
	return all
}
