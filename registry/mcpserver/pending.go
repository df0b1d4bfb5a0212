package mcpserver

import (
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/internal/tenants"
)

// Limits of the questions that wait for a client to call again with an answer.
const (
	maxPending     = 1000
	pendingTimeout = 5 * time.Minute
	// maxAnswers and maxAnswerBytes limit the earlier answers of one call that are kept while
	// the next question is asked.
	maxAnswers     = 9
	maxAnswerBytes = 16 << 10
)

// pending holds the questions that clients are asking their users. Each question has a state, which
// cannot be guessed, and the client sends the state back when it calls again. A state is valid
// once, only for its user, and only for its question. The earlier answers of the call are kept
// here, so that the client cannot change them. pending is safe for concurrent use.
type pending struct {
	now func() time.Time

	mu        sync.Mutex
	questions map[string]pendingQuestion // by state
	order     []string                   // states, oldest first; some are no longer in questions
}

type pendingQuestion struct {
	// user is the user who was asked; input is the name of the question and of its answer.
	user, input, fingerprint string
	earlier                  []answer
	asked                    time.Time // set by put
}

// answer is the answer to the question with a fingerprint. result is nil if the client called
// again without an answer.
type answer struct {
	fingerprint string
	result      *mcp.ElicitResult
}

func newPending() *pending {
	return &pending{now: time.Now, questions: make(map[string]pendingQuestion)}
}

// put keeps a question and returns its state. When there are too many, it drops the oldest
// question of the user with the most questions.
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

// makeRoom drops the states that were used or are too old. If there are none, it drops one question
// that still waits. p.mu is held.
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
	largest, _ := tenants.Count(slices.Values(p.order), user).Largest(0)
	at := slices.IndexFunc(p.order, func(state string) bool { return user(state) == largest })
	delete(p.questions, p.order[at])
	p.order = slices.Delete(p.order, at, at+1)
}

// take returns the question of a state and makes the state invalid. ok is false if the question is
// unknown, too old, or of another user.
func (p *pending) take(user, state string) (_ pendingQuestion, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q, found := p.questions[state]
	delete(p.questions, state)
	return q, found && q.user == user && p.now().Sub(q.asked) < pendingTimeout
}
