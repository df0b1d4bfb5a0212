package edit

import (
	"bytes"
	"slices"
)

// maxChanges limits the number of separate changes; further changes are merged into the last one.
// The diff is truncated long before this limit.
const maxChanges = 5000

// change is a range of the old text and the range of the new text that replaces it.
type change struct{ old, new span }

// addChange appends a change. c must follow the other changes in the text.
func addChange(changes []change, c change) []change {
	if len(changes) < maxChanges {
		return append(changes, c)
	}
	last := &changes[len(changes)-1]
	last.old.end, last.new.end = c.old.end, c.new.end
	return changes
}

// changed reports whether at least one of the changes alters the text.
func changed(from, to []byte, changes []change) bool {
	return slices.ContainsFunc(changes, func(c change) bool {
		return !bytes.Equal(from[c.old.start:c.old.end], to[c.new.start:c.new.end])
	})
}

// compose combines the changes from a first to a second text and from the second to a third text.
// It returns the changes from the first to the third text. Changes that touch each other in the
// second text are merged.
func compose(first, second []change) []change {
	if len(first) == 0 {
		return second
	}
	var all []change
	// before is the number of bytes that the changes of first have added so far. The variable after
	// is the same number for the changes of second.
	before, after := 0, 0
	for len(first) > 0 || len(second) > 0 {
		c := change{old: span{-before, -before}, new: span{after, after}}
		var middle span
		for open := false; ; open = true {
			next, ofFirst := earlier(first, second)
			if open && (next.end < 0 || next.start > middle.end) {
				break
			}
			if !open {
				middle = next
				c.old.start += next.start
				c.new.start += next.start
			}
			middle.end = max(middle.end, next.end)
			if ofFirst {
				before += first[0].new.len() - first[0].old.len()
				first = first[1:]
			} else {
				after += second[0].new.len() - second[0].old.len()
				second = second[1:]
			}
		}
		c.old.end, c.new.end = middle.end-before, middle.end+after
		all = addChange(all, c)
	}
	return all
}

// earlier returns the range in the second text of the earliest remaining change. ofFirst reports
// whether the change is from first. The end of the range is -1 if no change remains.
func earlier(first, second []change) (middle span, ofFirst bool) {
	switch {
	case len(first) == 0 && len(second) == 0:
		return span{end: -1}, false
	case len(second) == 0 || len(first) > 0 && first[0].new.start <= second[0].old.start:
		return first[0].new, true
	}
	return second[0].old, false
}
