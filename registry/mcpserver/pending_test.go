package mcpserver

import (
	"fmt"
	"testing"
	"time"
)

// put adds a question as the server does.
func put(p *pending, user, fingerprint string) string {
	return p.put(pendingQuestion{user: user, fingerprint: fingerprint})
}

// A state is valid once, for its user, until it is too old or displaced by newer states.
func TestStateIsValidOnce(t *testing.T) {
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
		t.Error("an unknown state is accepted")
	}
	if !takes("ann", state, "a") {
		t.Error("the state is refused")
	}
	if takes("ann", state, "a") {
		t.Error("the state is accepted twice")
	}
	other := put(p, "ann", "a")
	if takes("bob", other, "a") || takes("ann", other, "a") {
		t.Error("the state is accepted from another user, or after another user tried it")
	}
	late := put(p, "ann", "a")
	now = now.Add(pendingTimeout)
	if takes("ann", late, "a") {
		t.Error("the state is accepted after its time")
	}
	oldest := put(p, "ann", "first")
	var last string
	for i := range maxPending {
		last = put(p, "ann", fmt.Sprint(i))
	}
	if takes("ann", oldest, "first") || !takes("ann", last, fmt.Sprint(maxPending-1)) {
		t.Error("the newest question was dropped instead of the oldest")
	}
	if len(p.questions) > maxPending || len(p.order) > maxPending {
		t.Errorf("%d questions and %d states are kept, want at most %d", len(p.questions), len(p.order), maxPending)
	}
}

// The questions of one user do not displace the questions of other users.
func TestPendingQuestionsOfOtherUsersStay(t *testing.T) {
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
		t.Error("the newest question of a user was dropped instead of the oldest")
	}
	if !takes("bob", bobs) {
		t.Error("the question of another user was dropped")
	}
}
