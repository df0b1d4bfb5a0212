package mcpserver

import (
	"fmt"
	"testing"
	"time"
)

// put keeps a question as the server does.
func put(p *pending, user, fingerprint string) string {
	return p.put(pendingQuestion{user: user, fingerprint: fingerprint})
}

// A state is good for its question and user, once, for some time, and while there are not too
// many.
func TestPending(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	p := newPending()
	p.now = func() time.Time { return now }
	takes := func(user, state, fingerprint string) bool {
		q, ok := p.take(user, state)
		return ok && q.fingerprint == fingerprint
	}
	state := put(p, "ann", "a")
	if takes("ann", "guess", "a") {
		t.Error("a state that was guessed is taken")
	}
	if !takes("ann", state, "a") {
		t.Error("the state is not taken")
	}
	if takes("ann", state, "a") {
		t.Error("the state is taken twice")
	}
	other := put(p, "ann", "a")
	if takes("bob", other, "a") || takes("ann", other, "a") {
		t.Error("the state is taken for another user, or after another tried it")
	}
	late := put(p, "ann", "a")
	now = now.Add(pendingTimeout)
	if takes("ann", late, "a") {
		t.Error("the state is taken after its time")
	}
	oldest := put(p, "ann", "first")
	var last string
	for i := range maxPending {
		last = put(p, "ann", fmt.Sprint(i))
	}
	if takes("ann", oldest, "first") || !takes("ann", last, fmt.Sprint(maxPending-1)) {
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
	bobs := put(p, "bob", "b")
	var first, last string
	for i := range maxPending + 10 {
		if last = put(p, "ann", "a"); i == 0 {
			first = last
		}
	}
	takes := func(user, state string) bool {
		_, ok := p.take(user, state)
		return ok
	}
	if takes("ann", first) || !takes("ann", last) {
		t.Error("the newest question of a user gave way to the oldest")
	}
	if !takes("bob", bobs) {
		t.Error("the question of another user gave way")
	}
}
