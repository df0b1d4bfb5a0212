package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"sync"

	"github.com/wasmtool/wasmtool/internal/lines"
)

// Bounds on what a server sends.
const (
	// maxLine is the longest message, in bytes.
	maxLine = 16 << 20
	// maxQueued is how many messages wait to be written. A server that reads none of them
	// makes requests wait until they are given up.
	maxQueued = 64
	// maxID is the longest ID of a request that is answered, in bytes.
	maxID = 256
)

// Codes of JSON-RPC.
const codeMethodNotFound = -32601

// rpcError is an answer that tells of a failure of the protocol.
type rpcError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

// errGone is the error of requests to a server that has gone.
var errGone = errors.New("the server has gone")

// errFlood is why a server is let go that sends a message without end.
var errFlood = errors.New("it sent a message of more than " + strconv.Itoa(maxLine>>20) + " MiB")

// conn sends requests to a server and finds the answers among what comes back. It is safe
// for concurrent use.
type conn struct {
	// notified hears of notifications, one at a time.
	notified func(method string, params json.RawMessage)

	out    chan []byte
	closed chan struct{} // closed when nothing more comes
	cause  error         // why; set before closed is closed

	mu      sync.Mutex
	last    int64
	waiting map[int64]*request
}

// request is one that waits for its answer.
type request struct {
	answer   chan answer
	progress func(json.RawMessage)
}

type answer struct {
	result json.RawMessage
	err    error
}

// newConn begins to read and write. Both end when the stream does.
func newConn(s io.ReadWriter, notified func(method string, params json.RawMessage)) *conn {
	c := &conn{
		notified: notified, out: make(chan []byte, maxQueued), closed: make(chan struct{}),
		waiting: make(map[int64]*request),
	}
	if u, ok := s.(unreliable); ok {
		u.onFailure(func(id int64, err error) { c.end(id, answer{err: err}) })
	}
	go c.write(s)
	go c.read(lines.New(s, maxLine))
	return c
}

// unreliable is a stream that can fail to deliver one request and still be of use.
type unreliable interface {
	// onFailure says whom to tell that the request of that ID gets no answer, and why. It is
	// called before the first write.
	onFailure(failed func(id int64, err error))
}

// end gives a request its answer, unless it was given up, or never asked.
func (c *conn) end(id int64, a answer) {
	if r := c.forget(id); r != nil {
		r.answer <- a
	}
}

// forget takes a request from those that wait, and returns it; nil when it does not wait.
func (c *conn) forget(id int64) *request {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.waiting[id]
	delete(c.waiting, id)
	return r
}

func (c *conn) write(w io.Writer) {
	for {
		select {
		case line := <-c.out:
			if _, err := w.Write(line); err != nil {
				return // reading ends too, and tells
			}
		case <-c.closed:
			return
		}
	}
}

func (c *conn) read(r *lines.Reader) {
	for {
		line, err := r.Next()
		if err != nil {
			c.cause = errGone
			if errors.Is(err, lines.ErrTooLong) {
				// The request that it answers is not known, and would wait for nothing.
				c.cause = errFlood
			}
			close(c.closed)
			return
		}
		c.take(line)
	}
}

// message is any message that comes. Names of fields are exact, which a struct would not
// insist on.
type message map[string]json.RawMessage

func (m message) text(field string) string {
	var text string
	if json.Unmarshal(m[field], &text) != nil {
		return ""
	}
	return text
}

// take handles a line. What is no message is no answer either, and left alone: some
// programs print to their standard output what does not belong there.
func (c *conn) take(line []byte) {
	var m message
	if json.Unmarshal(line, &m) != nil {
		return
	}
	method, id := m.text("method"), m["id"]
	switch {
	case method == "" && id != nil:
		c.answered(string(id), m)
	case method == "notifications/progress":
		c.progressed(m["params"])
	case method != "" && id == nil:
		c.notified(method, m["params"])
	case len(id) > maxID: // answers wait in memory
	case method == "ping":
		c.reply(id, "result", struct{}{})
	case method != "":
		c.reply(id, "error", rpcError{codeMethodNotFound, "this client has no such method"})
	}
}

// reply answers a request of the server. It is dropped when the server does not read: the
// reader waits for nobody.
func (c *conn) reply(id json.RawMessage, field string, value any) {
	line, err := encode(map[string]any{"jsonrpc": "2.0", "id": id, field: value})
	if err != nil {
		return // the id came as JSON, so that this cannot be
	}
	select {
	case c.out <- line:
	default:
	}
}

func (c *conn) answered(id string, m message) {
	// Our IDs are the numbers as we write them.
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return
	}
	a := answer{result: m["result"]}
	if raw, failed := m["error"]; failed {
		e := new(rpcError)
		if json.Unmarshal(raw, e) != nil {
			e.Message = "an error that is none"
		}
		a = answer{err: e}
	}
	c.end(n, a)
}

func (c *conn) progressed(params json.RawMessage) {
	var p struct {
		Token json.RawMessage `json:"progressToken"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	n, err := strconv.ParseInt(string(p.Token), 10, 64)
	if err != nil {
		return
	}
	c.mu.Lock()
	r := c.waiting[n]
	c.mu.Unlock()
	if r != nil && r.progress != nil {
		r.progress(params)
	}
}

// call sends a request and waits for its answer, as long as ctx allows; then it tells the
// server that the call is cancelled. params may be nil. When progress is not nil it hears
// the params of what the server tells of the request, one at a time. The error is an
// *rpcError, an *httpError, that of ctx, or why the connection is closed.
func (c *conn) call(ctx context.Context, method string, params map[string]any, progress func(json.RawMessage)) (json.RawMessage, error) {
	r := &request{answer: make(chan answer, 1), progress: progress}
	c.mu.Lock()
	c.last++
	id := c.last
	c.waiting[id] = r
	c.mu.Unlock()
	defer c.forget(id)
	if progress != nil {
		params["_meta"] = map[string]any{"progressToken": id}
	}
	if err := c.send(ctx, map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	select {
	case a := <-r.answer:
		return a.result, a.err
	case <-ctx.Done():
		// Nothing waits for the server to hear that: ctx is done.
		_ = c.notify(ctx, "notifications/cancelled", map[string]any{"requestId": id, "reason": "nobody waits for it any more"})
		return nil, ctx.Err()
	case <-c.closed:
	}
	select {
	case a := <-r.answer: // the last that came
		return a.result, a.err
	default:
		return nil, c.cause
	}
}

// notify sends what has no answer.
func (c *conn) notify(ctx context.Context, method string, params map[string]any) error {
	m := map[string]any{"jsonrpc": "2.0", "method": method}
	if params != nil {
		m["params"] = params
	}
	return c.send(ctx, m)
}

// send queues a message, and waits for room only while ctx allows.
func (c *conn) send(ctx context.Context, m map[string]any) error {
	line, err := encode(m)
	if err != nil {
		return err
	}
	select {
	case c.out <- line:
		return nil
	default:
	}
	select {
	case c.out <- line:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.closed:
		return c.cause
	}
}

func encode(m map[string]any) ([]byte, error) {
	line, err := json.Marshal(m)
	return append(line, '\n'), err
}
