package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/internal/lines"
)

// Limits of a client over standard input and output.
const (
	maxLine     = 16 << 20 // bytes of one message
	maxInFlight = 256      // requests without a response
	// maxDrain limits how long running calls may continue after the client closed its output.
	maxDrain = time.Minute
)

// codeBusy is the JSON-RPC error code of a request beyond maxInFlight.
const codeBusy = -32001

// ServeStdio serves one client, with one message a line: it reads requests from in and writes
// responses to out. Nothing else may write to out. When the client closes the stream in, ServeStdio
// waits up to a minute for running calls, and returns nil. When ctx is done, it waits up to
// Options.Grace, and returns nil. A Read of the stream in may remain blocked after that. The error
// is an error of the stream in or the stream out.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	conn := newLineConn(s, in, out)
	session, err := s.mcp.Connect(context.WithoutCancel(ctx), conn, nil)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	conn.stop()
	// Read drains the connection during the grace period. Calls that hang are left running.
	select {
	case err := <-ended:
		return err
	case <-time.After(s.opts.Grace + 2*time.Second):
		s.log.Error("stopped while calls were still running", "running", s.running.count())
		return nil
	}
}

// lineConn is the connection to a client over two streams. It implements mcp.Transport and
// mcp.Connection.
type lineConn struct {
	server *Server
	id     string
	out    io.Writer
	lines  chan lineRead
	closed chan struct{}
	close  func()
	// stopping is closed when no further messages may be read.
	stopping chan struct{}
	stop     func()

	writing sync.Mutex

	mu       sync.Mutex
	inFlight map[jsonrpc.ID]*inFlight
	answered chan struct{} // receives a value when a request is answered; buffers one
}

// inFlight is a request without a response.
type inFlight struct {
	method    string
	cancelled bool
}

type lineRead struct {
	line []byte
	err  error
}

func newLineConn(s *Server, in io.Reader, out io.Writer) *lineConn {
	c := &lineConn{
		server: s, id: rand.Text(), out: out,
		lines: make(chan lineRead), closed: make(chan struct{}), stopping: make(chan struct{}),
		inFlight: make(map[jsonrpc.ID]*inFlight), answered: make(chan struct{}, 1),
	}
	c.close = sync.OnceFunc(func() { close(c.closed) })
	c.stop = sync.OnceFunc(func() { close(c.stopping) })
	go c.readLines(lines.New(in, maxLine))
	return c
}

// readLines reads lines on its own goroutine, because a read cannot be interrupted.
func (c *lineConn) readLines(r *lines.Reader) {
	for {
		line, err := r.Next()
		select {
		case c.lines <- lineRead{line, err}:
		case <-c.closed:
			return
		}
		if err != nil && !errors.Is(err, lines.ErrTooLong) {
			return
		}
	}
}

// Connect implements mcp.Transport.
func (c *lineConn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID implements mcp.Connection. The client does not see the ID.
func (c *lineConn) SessionID() string { return c.id }

// Close implements mcp.Connection. It does not close the streams.
func (c *lineConn) Close() error {
	c.close()
	return nil
}

// Read implements mcp.Connection. It answers lines that are not messages with an error.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		var got lineRead
		select {
		case got = <-c.lines:
		case <-c.stopping:
			got.err = io.EOF
		case <-c.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		var msg jsonrpc.Message
		var refused *refusal
		switch {
		case errors.Is(got.err, lines.ErrTooLong):
			refused = invalidRequest(nil, "the message is longer than the limit of 16 MiB")
		case got.err != nil:
			c.drain()
			return nil, got.err
		default:
			msg, refused = parseMessage(got.line)
		}
		if refused == nil {
			refused = c.note(msg)
		}
		if refused == nil {
			return msg, nil
		}
		if err := c.writeLine(refused.line()); err != nil {
			return nil, err
		}
	}
}

// note records a request or a cancellation. It refuses requests beyond maxInFlight.
func (c *lineConn) note(msg jsonrpc.Message) *refusal {
	req, ok := msg.(*jsonrpc.Request)
	if !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if req.Method == methodCancelled {
		id, _ := cancelledID(req.Params) // parseMessage has checked the params
		if r := c.inFlight[id]; r != nil {
			r.cancelled = true
		}
		return nil
	}
	if !req.IsCall() {
		return nil
	}
	id := idText(req.ID)
	if c.inFlight[req.ID] != nil {
		return invalidRequest(id, "another request with this id is in flight; use a different id")
	}
	if len(c.inFlight) >= maxInFlight {
		return &refusal{code: codeBusy, message: "too many requests are in flight; wait for responses", id: id}
	}
	c.inFlight[req.ID] = &inFlight{method: req.Method}
	return nil
}

func idText(id jsonrpc.ID) json.RawMessage {
	text, _ := json.Marshal(id.Raw()) // a string, a number or nil
	return text
}

// drain waits until all requests except subscriptions are answered: up to maxDrain after the
// client closed its output, and up to Options.Grace after the server began to stop. Then it
// refuses the rest.
func (c *lineConn) drain() {
	timeout, stopping := time.After(maxDrain), c.stopping
	for c.unanswered() {
		select {
		case <-c.answered:
		case <-c.closed:
			return
		case <-stopping:
			timeout, stopping = time.After(c.server.opts.Grace), nil
		case <-timeout:
			c.giveUp()
			return
		}
	}
}

// giveUp refuses all requests in flight.
func (c *lineConn) giveUp() {
	c.mu.Lock()
	var refused []*refusal
	for id, r := range c.inFlight {
		if !r.cancelled && r.method != methodListen {
			refused = append(refused, &refusal{code: codeStopping, message: "the server stopped before the request was done", id: idText(id)})
		}
		r.cancelled = true
	}
	c.mu.Unlock()
	for _, r := range refused {
		if c.writeLine(r.line()) != nil {
			return
		}
	}
}

func (c *lineConn) unanswered() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.inFlight {
		if r.method != methodListen {
			return true
		}
	}
	return false
}

// Write implements mcp.Connection. It drops the response to a request that the client cancelled.
func (c *lineConn) Write(_ context.Context, msg jsonrpc.Message) error {
	if response, ok := msg.(*jsonrpc.Response); ok {
		c.mu.Lock()
		r := c.inFlight[response.ID]
		delete(c.inFlight, response.ID)
		c.mu.Unlock()
		defer func() {
			select {
			case c.answered <- struct{}{}:
			default:
			}
		}()
		if r != nil && r.cancelled {
			return nil
		}
		response.Error = withCode(response.Error)
	}
	line, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	return c.writeLine(line)
}

// withCode adds a code to an error of the SDK that has none.
func withCode(err error) error {
	var e *jsonrpc.Error
	if err == nil || errors.As(err, &e) && e.Code != 0 {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
}

func (c *lineConn) writeLine(line []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(line, '\n'))
	return err
}
