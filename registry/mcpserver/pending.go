package mcpserver

import (
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/internal/tenants"
)

// Bounds on the questions that wait for a client to come back with an answer.
const (
	maxPending     = 1000
	pendingTimeout = 5 * time.Minute
	// maxAnswers is how many answers of one call are kept while the next question is asked,
	// and maxAnswerBytes how long they may be together.
	maxAnswers     = 9
	maxAnswerBytes = 16 << 10
)

// pending are questions that clients took away to ask their users. A client comes back
// with a state that nobody can guess; each is good once, for its user and for exactly the
// question that it was given for. What the user answered to earlier questions of the call
// stays here meanwhile, out of the client's hands. It is safe for concurrent use.
type pending struct {
	now func() time.Time

	mu        sync.Mutex
	questions map[string]pendingQuestion // by state
	order     []string                   // of states, oldest first; some may be gone
}

type pendingQuestion struct {
	// user is who was asked, and input the name under which the answer comes back.
	user, input, fingerprint string
	earlier                  []answer
	asked                    time.Time // set by put
}

// answer is what a user said to the question of a fingerprint; nil is a client that came
// back without it.
type answer struct {
	fingerprint string
	result      *mcp.ElicitResult
}

func newPending() *pending {
	return &pending{now: time.Now, questions: make(map[string]pendingQuestion)}
}

// put keeps a question and returns its state. When there are too many, the oldest of the
// user with most of them gives way.
func (p *pending) put(q pendingQuestion) (state string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.order) >= maxPending {
		p.makeRoom()
	}
	state = rand.Text()
	q.asked = p.now()
	p.questions[state] = q
	p.order = append(p.order, state)
	return state
}

// makeRoom lets go of the states that are gone or too old or, where there are none, of one
// that waits. The lock is held.
func (p *pending) makeRoom() {
	p.order = slices.DeleteFunc(p.order, func(state string) bool {
		q, found := p.questions[state]
		if found && p.now().Sub(q.asked) < pendingTimeout {
			return false
		}
		delete(p.questions, state)
		return true
	})
	if len(p.order) < maxPending {
		return
	}
	user := func(state string) string { return p.questions[state].user }
	most, _ := tenants.Count(slices.Values(p.order), user).Largest(0)
	at := slices.IndexFunc(p.order, func(state string) bool { return user(state) == most })
	delete(p.questions, p.order[at])
	p.order = slices.Delete(p.order, at, at+1)
}

// take returns the question of a user that a state was given for not long ago, and makes the
// state void.
func (p *pending) take(user, state string) (_ pendingQuestion, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q, found := p.questions[state]
	delete(p.questions, state)
	return q, found && q.user == user && p.now().Sub(q.asked) < pendingTimeout
}
