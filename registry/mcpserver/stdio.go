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

// Bounds on a client over standard input and output.
const (
	maxLine     = 16 << 20 // bytes of one message
	maxInFlight = 256      // requests that are not answered yet
	// maxDrain is how long calls may go on after the client closed its side.
	maxDrain = time.Minute
)

// codeBusy is the JSON-RPC code for a request too many.
const codeBusy = -32001

// ServeStdio serves one client, whose messages come line by line from in and whose answers
// go to out, to which nobody else may write. It returns nil after the client closed its
// side and its calls were answered, which it waits a minute for, and after ctx is done,
// where calls that run have Options.Grace. A read that in does not give up is left behind. The error is that of a
// stream that broke.
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
	// The connection drains for the grace; what hangs after that is left behind.
	select {
	case err := <-ended:
		return err
	case <-time.After(s.opts.Grace + 2*time.Second):
		s.log.Error("calls that do not end were left behind", "running", s.running.count())
		return nil
	}
}

// lineConn is the connection to a client over two streams. It is the SDK's Transport too.
type lineConn struct {
	server *Server
	id     string
	out    io.Writer
	lines  chan lineRead
	closed chan struct{}
	close  func()
	// stopping is closed when no more messages are to be read.
	stopping chan struct{}
	stop     func()

	writing sync.Mutex

	mu       sync.Mutex
	inFlight map[jsonrpc.ID]*inFlight
	answered chan struct{} // gets a value, if there is room, when a request is answered
}

// inFlight is a request that is not answered yet.
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

// readLines hands on lines until there are none, since a read cannot be interrupted.
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

// SessionID implements mcp.Connection. The client does not see it.
func (c *lineConn) SessionID() string { return c.id }

// Close implements mcp.Connection. The streams stay the caller's.
func (c *lineConn) Close() error {
	c.close()
	return nil
}

// Read implements mcp.Connection. What is no message is answered here and left out.
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
			refused = invalidRequest(nil, "the message is longer than 16 MiB, the ceiling")
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

// note keeps count of requests and cancellations, and refuses a request too many.
func (c *lineConn) note(msg jsonrpc.Message) *refusal {
	req, ok := msg.(*jsonrpc.Request)
	if !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if req.Method == methodCancelled {
		id, _ := cancelledID(req.Params) // parseMessage looked at it
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
		return invalidRequest(id, "a request with this id is not answered yet")
	}
	if len(c.inFlight) >= maxInFlight {
		return &refusal{code: codeBusy, message: "too many requests are not answered yet; wait for answers", id: id}
	}
	c.inFlight[req.ID] = &inFlight{method: req.Method}
	return nil
}

func idText(id jsonrpc.ID) json.RawMessage {
	text, _ := json.Marshal(id.Raw()) // a string or a number, or nil for none
	return text
}

// drain waits until all requests are answered, but for those that never are: for the
// grace when the server stops, and longer when only the client's side is closed. What is not
// answered by then is refused.
func (c *lineConn) drain() {
	over, stopping := time.After(maxDrain), c.stopping
	for c.unanswered() {
		select {
		case <-c.answered:
		case <-c.closed:
			return
		case <-stopping:
			over, stopping = time.After(c.server.opts.Grace), nil
		case <-over:
			c.giveUp()
			return
		}
	}
}

// giveUp refuses all requests that are not answered.
func (c *lineConn) giveUp() {
	c.mu.Lock()
	var refused []*refusal
	for id, r := range c.inFlight {
		if !r.cancelled && r.method != methodListen {
			refused = append(refused, &refusal{code: codeStopping, message: "the server stops before this is done", id: idText(id)})
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

// Write implements mcp.Connection. A request that its client cancelled gets no answer.
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

// withCode gives an error of the SDK that has no code one.
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
