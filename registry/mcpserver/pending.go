package mcpserver

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/tenants"
)

// Limits of suspended calls. A call counts with the bytes of its arguments, and at least
// minPendingBytes.
const (
	maxPendingBytes = 1000 * minPendingBytes
	minPendingBytes = 64 << 10
	pendingTimeout  = 5 * time.Minute
)

// question is a question of a call to the user of its client.
type question struct {
	call   *servedCall
	input  string // name of the question and of its answer
	form   *mcp.ElicitParams
	answer chan *mcp.ElicitResult // receives one value, which is nil if the user does not answer

	// The fields below are set by put.
	state  string
	expiry *time.Timer
}

func (q *question) user() string { return userOf(q.call.first.Extra) }

func (q *question) size() int { return max(len(q.call.first.Params.Arguments), minPendingBytes) }

// abandon cancels the call, whose question will not be answered.
func (q *question) abandon() {
	q.call.cancel()
	q.answer <- nil
}

// pending holds the suspended calls: the questions that clients are asking their users. Each
// question has a state, which cannot be guessed, and the client sends the state back with the
// answer. A state is valid once, only for its user, and only for its question. The zero value is
// ready to use. pending is safe for concurrent use.
type pending struct {
	mu        sync.Mutex
	questions []*question // oldest first
}

// put keeps a question and returns its state. The call is cancelled if no answer comes within
// pendingTimeout. When there are too many suspended calls, put cancels the oldest call of the user
// with the most.
func (p *pending) put(q *question) (state string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q.state = rand.Text()
	q.expiry = time.AfterFunc(pendingTimeout, func() {
		if p.take(q.state) != nil {
			q.abandon()
		}
	})
	p.questions = append(p.questions, q)
	for {
		total, sizes := 0, make(map[string]int)
		for _, q := range p.questions {
			total += q.size()
			sizes[q.user()] += q.size()
		}
		if total <= maxPendingBytes {
			return q.state
		}
		largest, _ := tenants.Largest(sizes, func(size int) int { return size }, 0)
		p.remove(func(q *question) bool { return q.user() == largest }).abandon()
	}
}

// take returns the question of a state and makes the state invalid. It returns nil if the state is
// unknown or no longer valid.
func (p *pending) take(state string) *question {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.remove(func(q *question) bool { return q.state == state })
}

// remove removes and returns the oldest question that matches; nil if there is none. p.mu is held.
func (p *pending) remove(matches func(*question) bool) *question {
	at := slices.IndexFunc(p.questions, matches)
	if at < 0 {
		return nil
	}
	q := p.questions[at]
	p.questions = slices.Delete(p.questions, at, at+1)
	q.expiry.Stop()
	return q
}

// resume returns the suspended call that a request continues, after passing it the answer. From
// then on, notifications of the call go to notify. resume returns nil for a request that begins a
// call. If a state comes from another user or with another call, its question is abandoned, because
// the state is no longer secret or the user was asked about something else.
func (p *pending) resume(req *mcp.CallToolRequest, notify *notifier) *servedCall {
	if req.Params.RequestState == "" || req.ProtocolVersion() < sinceInputRequests {
		return nil
	}
	q := p.take(req.Params.RequestState)
	if q == nil {
		return nil
	}
	asked := q.call.first
	if userOf(req.Extra) != userOf(asked.Extra) || req.Params.Name != asked.Params.Name || !sameJSON(req.Params.Arguments, asked.Params.Arguments) {
		q.abandon()
		return nil
	}
	q.call.notify.Store(notify)
	answer, _ := req.Params.InputResponses[q.input].(*mcp.ElicitResult)
	q.answer <- answer
	return q.call
}

// sameJSON reports whether a and b are equal as JSON. The order of fields, white space and the way
// that numbers and strings are written do not matter.
func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	bounds := jsontree.Document("the arguments")
	left, err := jsontree.Parse(a, bounds)
	if err != nil {
		return false
	}
	right, err := jsontree.Parse(b, bounds)
	return err == nil && bytes.Equal(left.Key(), right.Key())
}
