package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"sync"

	"github.com/wasmtool/wasmtool/internal/lines"
	"github.com/wasmtool/wasmtool/registry/executor/mcp/internal/transport"
)

const (
	// maxQueued limits the messages that wait to be written. When the queue is full because the
	// server does not read, further requests wait until their contexts are done.
	maxQueued = 64
	// maxID limits the ID of a request from the server, in bytes. A request with a longer ID gets
	// no reply.
	maxID = 256
	// codeMethodNotFound is the JSON-RPC error code for an unknown method.
	codeMethodNotFound = -32601
)

// rpcError is a JSON-RPC error response.
type rpcError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

// errGone is the error of requests to a server that has ended.
var errGone = errors.New("the server has ended")

// conn sends requests to a server and finds the responses among the messages that come back.
// It is safe for concurrent use.
type conn struct {
	// notified is called with each notification except progress, one at a time.
	notified func(method string, params json.RawMessage)

	out    chan []byte
	closed chan struct{} // closed when the stream has ended
	cause  error         // why the stream ended; set before the channel closed is closed

	mu      sync.Mutex
	lastID  int64
	waiting map[int64]*request
}

// request is a request that waits for its response.
type request struct {
	response chan response // buffers one response
	progress func(json.RawMessage)
}

type response struct {
	result json.RawMessage
	err    error
}

// newConn starts to read and write messages. Both stop when the stream ends.
func newConn(s transport.Stream, notified func(method string, params json.RawMessage)) *conn {
	c := &conn{
		notified: notified, out: make(chan []byte, maxQueued), closed: make(chan struct{}),
		waiting: make(map[int64]*request),
	}
	s.OnFailure(func(id int64, err error) { c.respond(id, response{err: err}) })
	go c.write(s)
	go c.read(lines.New(s, transport.MaxMessage))
	return c
}

// respond delivers the response to the request with an ID. It does nothing if there is no such
// request or its caller no longer waits.
func (c *conn) respond(id int64, r response) {
	if waiting := c.remove(id); waiting != nil {
		waiting.response <- r
	}
}

// remove returns the waiting request with an ID and removes it. It returns nil if there is none.
func (c *conn) remove(id int64) *request {
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
				return // the method read notices the end of the stream and closes c
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
				c.cause = transport.ErrMessageTooLong
			}
			close(c.closed)
			return
		}
		c.handle(line)
	}
}

// message is any incoming message. It is a map because encoding/json matches the fields of a
// struct without regard to case.
type message map[string]json.RawMessage

// str returns the field if it is a string, and "" otherwise.
func (m message) str(field string) string {
	var s string
	if json.Unmarshal(m[field], &s) != nil {
		return ""
	}
	return s
}

// handle processes an incoming line. It ignores lines that are not messages: some programs
// print other output to their standard output.
func (c *conn) handle(line []byte) {
	var m message
	if json.Unmarshal(line, &m) != nil {
		return
	}
	method, id := m.str("method"), m["id"]
	switch {
	case method == "" && id != nil:
		c.handleResponse(string(id), m)
	case method == "notifications/progress":
		c.handleProgress(m["params"])
	case method != "" && id == nil:
		c.notified(method, m["params"])
	case len(id) > maxID: // no reply, because a queued reply would keep the ID in memory
	case method == "ping":
		c.reply(id, "result", struct{}{})
	case method != "":
		c.reply(id, "error", rpcError{codeMethodNotFound, "this client has no such method"})
	}
}

// reply answers a request of the server. It drops the reply when the queue is full, because
// the reader must never wait for the server.
func (c *conn) reply(id json.RawMessage, field string, value any) {
	line, err := encode(map[string]any{"jsonrpc": "2.0", "id": id, field: value})
	if err != nil {
		return // impossible, because id was read as JSON
	}
	select {
	case c.out <- line:
	default:
	}
}

func (c *conn) handleResponse(id string, m message) {
	// The IDs of our requests are integers, and a server sends them back unchanged.
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return
	}
	r := response{result: m["result"]}
	if raw, failed := m["error"]; failed {
		e := new(rpcError)
		if json.Unmarshal(raw, e) != nil {
			e.Message = "an error that cannot be read"
		}
		r = response{err: e}
	}
	c.respond(n, r)
}

func (c *conn) handleProgress(params json.RawMessage) {
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

// call sends a request and waits for its response. When ctx is done first, call notifies the server
// that the request is cancelled. params may be nil. progress is called with the params of each
// progress notification, one at a time; it may be nil. The error is an *rpcError, a
// *transport.Error, the error of ctx, or the reason why the connection is closed.
func (c *conn) call(ctx context.Context, method string, params map[string]any, progress func(json.RawMessage)) (json.RawMessage, error) {
	waiting := &request{response: make(chan response, 1), progress: progress}
	c.mu.Lock()
	c.lastID++
	id := c.lastID
	c.waiting[id] = waiting
	c.mu.Unlock()
	defer c.remove(id)
	if progress != nil {
		params["_meta"] = map[string]any{"progressToken": id}
	}
	if err := c.send(ctx, map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	select {
	case r := <-waiting.response:
		return r.result, r.err
	case <-ctx.Done():
		// Because ctx is done, the notification is dropped when the queue is full.
		_ = c.notify(ctx, "notifications/cancelled", map[string]any{"requestId": id, "reason": "the caller gave up"})
		return nil, ctx.Err()
	case <-c.closed:
	}
	select {
	case r := <-waiting.response: // the last message before the end may be the response
		return r.result, r.err
	default:
		return nil, c.cause
	}
}

// notify sends a notification. params may be nil.
func (c *conn) notify(ctx context.Context, method string, params map[string]any) error {
	m := map[string]any{"jsonrpc": "2.0", "method": method}
	if params != nil {
		m["params"] = params
	}
	return c.send(ctx, m)
}

// send queues a message. When the queue is full, it waits until ctx is done.
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
