package mcpserver

import (
	"fmt"
	"testing"
	"time"
)

// An answer is good for its question, once, for some time, and while there are not too many.
func TestPending(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	p := newPending()
	p.now = func() time.Time { return now }
	state := p.put("ann", "a")
	if p.take("guess", "a") {
		t.Error("a state that was guessed is taken")
	}
	if !p.take(state, "a") {
		t.Error("the state is not taken")
	}
	if p.take(state, "a") {
		t.Error("the state is taken twice")
	}
	other := p.put("ann", "a")
	if p.take(other, "b") || p.take(other, "a") {
		t.Error("the state is taken for another question, or after it was tried for one")
	}
	late := p.put("ann", "a")
	now = now.Add(pendingTimeout)
	if p.take(late, "a") {
		t.Error("the state is taken after its time")
	}
	oldest := p.put("ann", "first")
	var last string
	for i := range maxPending {
		last = p.put("ann", fmt.Sprint(i))
	}
	if p.take(oldest, "first") || !p.take(last, fmt.Sprint(maxPending-1)) {
		t.Error("the newest question gave way to the oldest")
	}
	if len(p.questions) > maxPending || len(p.order) > maxPending {
		t.Errorf("%d questions and %d states are kept, want at most %d", len(p.questions), len(p.order), maxPending)
	}
}

// The questions of one user do not drive out those of others.
func TestPendingOfOthers(t *testing.T) {
	t.Parallel()
	p := newPending()
	bobs := p.put("bob", "b")
	var first, last string
	for i := range maxPending + 10 {
		if last = p.put("ann", "a"); i == 0 {
			first = last
		}
	}
	if p.take(first, "a") || !p.take(last, "a") {
		t.Error("the newest question of a user gave way to the oldest")
	}
	if !p.take(bobs, "b") {
		t.Error("the question of another user gave way")
	}
}
