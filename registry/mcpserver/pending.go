package mcpserver

import (
	"crypto/rand"
	"slices"
	"sync"
	"time"
)

// Bounds on the questions that wait for a client to come back with an answer.
const (
	maxPending     = 1000
	pendingTimeout = 5 * time.Minute
)

// pending are questions that clients took away to ask their users. A client comes back
// with a state that nobody can guess; each is good once, for exactly the question that it
// was given for. It is safe for concurrent use.
type pending struct {
	now func() time.Time

	mu        sync.Mutex
	questions map[string]pendingQuestion // by state
	order     []string                   // of states, oldest first; some may be gone
}

type pendingQuestion struct {
	user, fingerprint string
	asked             time.Time
}

func newPending() *pending {
	return &pending{now: time.Now, questions: make(map[string]pendingQuestion)}
}

// put keeps a question of a user and returns its state. When there are too many, the oldest
// of the user with most of them gives way.
func (p *pending) put(user, fingerprint string) (state string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.order) >= maxPending {
		p.makeRoom()
	}
	state = rand.Text()
	p.questions[state] = pendingQuestion{user, fingerprint, p.now()}
	p.order = append(p.order, state)
	return state
}

// makeRoom lets go of the states that are gone or too old or, where there are none, of one
// that waits. The lock is held.
func (p *pending) makeRoom() {
	waiting := make(map[string]int) // by user
	p.order = slices.DeleteFunc(p.order, func(state string) bool {
		q, found := p.questions[state]
		if found && p.now().Sub(q.asked) < pendingTimeout {
			waiting[q.user]++
			return false
		}
		delete(p.questions, state)
		return true
	})
	if len(p.order) < maxPending {
		return
	}
	most := 0
	for _, n := range waiting {
		most = max(most, n)
	}
	at := slices.IndexFunc(p.order, func(state string) bool { return waiting[p.questions[state].user] == most })
	delete(p.questions, p.order[at])
	p.order = slices.Delete(p.order, at, at+1)
}

// take reports whether a state was given for a question not long ago, and makes it void.
func (p *pending) take(state, fingerprint string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	q, found := p.questions[state]
	delete(p.questions, state)
	return found && q.fingerprint == fingerprint && p.now().Sub(q.asked) < pendingTimeout
}
