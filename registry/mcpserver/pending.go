package mcpserver

import (
	"crypto/rand"
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
	fingerprint string
	asked       time.Time
}

func newPending() *pending {
	return &pending{now: time.Now, questions: make(map[string]pendingQuestion)}
}

// put keeps a question and returns its state. The oldest give way when there are too many.
func (p *pending) put(fingerprint string) (state string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.order) >= maxPending {
		delete(p.questions, p.order[0])
		p.order = p.order[1:]
	}
	state = rand.Text()
	p.questions[state] = pendingQuestion{fingerprint: fingerprint, asked: p.now()}
	p.order = append(p.order, state)
	return state
}

// take reports whether a state was given for a question not long ago, and makes it void.
func (p *pending) take(state, fingerprint string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	q, found := p.questions[state]
	delete(p.questions, state)
	return found && q.fingerprint == fingerprint && p.now().Sub(q.asked) < pendingTimeout
}
