package transport

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/endpoint"
	"github.com/wasmtool/wasmtool/internal/sse"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Limits of a server at a URL.
const (
	// maxInFlight limits the messages that are being sent to the server at the same time.
	maxInFlight = 256
	// maxResponse limits what the server may send for one request, in bytes: the response and the
	// progress notifications before it.
	maxResponse = 4 * MaxMessage
	// maxSessionID limits the ID of a session, in bytes.
	maxSessionID = 1 << 10
	// requestTime limits a request that its caller never cancels, and notificationTime a message
	// that gets no response message.
	requestTime, notificationTime = 24 * time.Hour, 30 * time.Second
)

// httpStream is a connection to a server at a URL, over streamable HTTP. It implements Stream: each
// written line becomes a POST request, and each message in a response becomes a line to read.
type httpStream struct {
	endpoint endpoint.Endpoint
	reader   *io.PipeReader // reads what is written to incoming
	incoming *io.PipeWriter
	ctx      context.Context // done when the session ends
	cancel   context.CancelFunc
	work     sync.WaitGroup
	closed   sync.Once

	failed func(id int64, err error) // nil until OnFailure

	mu        sync.Mutex
	sessionID string // empty without a session
	revision  string // revision of the protocol; empty until the server names it
	endReason string // why the session ended
	ended     bool   // no message may be sent any longer
	inFlight  int
	cancels   map[int64]context.CancelFunc // by the ID of the request
}

// Open returns a stream to the server. It connects only when the first message is written.
func Open(e endpoint.Endpoint) Stream {
	s := &httpStream{endpoint: e, cancels: make(map[int64]context.CancelFunc)}
	s.reader, s.incoming = io.Pipe()
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// OnFailure implements Stream.
func (s *httpStream) OnFailure(failed func(id int64, err error)) { s.failed = failed }

// Read reads what the server sent.
func (s *httpStream) Read(p []byte) (int, error) { return s.reader.Read(p) }

// outgoing is a message to the server, with the fields that sending it depends on.
type outgoing struct {
	ID     int64  `json:"id"`
	Method string `json:"method"`
	Params struct {
		RequestID int64 `json:"requestId"`
	} `json:"params"`

	line []byte
}

// isRequest reports whether the server has to respond to m. A reply to a request of the server has
// no method.
func (m *outgoing) isRequest() bool { return m.Method != "" && m.ID != 0 }

// Write starts to send one message and returns. It waits only if the message is
// notifications/initialized, until the server has received the message: before that, the server may
// refuse all other messages.
func (s *httpStream) Write(line []byte) (int, error) {
	m := &outgoing{line: bytes.Clone(line)}
	if err := json.Unmarshal(line, m); err != nil && m.Method != "" {
		return 0, err
	} // a message without a method is a reply; its ID is from the server and may be a string
	if m.Method == "notifications/cancelled" {
		s.cancelRequest(m.Params.RequestID)
	}
	ctx, leave, ok := s.enter(m)
	if !ok {
		return len(line), nil
	}
	if m.Method == "notifications/initialized" {
		s.send(ctx, m)
		s.work.Go(s.listen)
		leave()
		return len(line), nil
	}
	go func() {
		defer leave()
		s.send(ctx, m)
	}()
	return len(line), nil
}

// enter counts a message as in flight until leave is called. If too many messages are in flight or
// the session has ended, enter fails a request and drops a notification.
func (s *httpStream) enter(m *outgoing) (ctx context.Context, leave func(), ok bool) {
	s.mu.Lock()
	if s.ended || s.inFlight >= maxInFlight {
		s.mu.Unlock()
		s.fail(m, &Error{Code: tool.CodeResourceExhausted, Reason: "has too many requests in flight, or its session has ended"})
		return nil, nil, false
	}
	defer s.mu.Unlock()
	s.inFlight++
	s.work.Add(1)
	ctx, cancel := context.WithCancel(s.ctx)
	if m.isRequest() {
		s.cancels[m.ID] = cancel
	}
	return ctx, func() {
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.inFlight--
		delete(s.cancels, m.ID)
		s.work.Done()
	}, true
}

// cancelRequest cancels the HTTP request of a call whose caller no longer waits.
func (s *httpStream) cancelRequest(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.cancels[id]; cancel != nil {
		cancel()
	}
}

// errAnswered is returned to stop reading after the response to a request.
var errAnswered = errors.New("the response was received")

// send makes the HTTP request for a message and passes on the messages that the server sends back.
// It stops after the response to m, because a server may then keep the stream open.
func (s *httpStream) send(ctx context.Context, m *outgoing) {
	limit := notificationTime
	if m.isRequest() {
		limit = requestTime
	}
	err := s.exchange(ctx, http.MethodPost, m.line, limit, func(res *egress.Response) error {
		if id := res.Header.Get("Mcp-Session-Id"); m.Method == "initialize" && len(id) <= maxSessionID {
			s.mu.Lock()
			s.sessionID = id // a longer ID is not sent back; the server then reports an error
			s.mu.Unlock()
		}
		if !m.isRequest() {
			return nil // the server sends no response message
		}
		return messages(res, func(line []byte) error {
			answered := s.isResponse(m, line)
			if _, err := s.incoming.Write(line); err != nil || !answered {
				return err
			}
			return errAnswered
		})
	})
	if errors.Is(err, errAnswered) {
		return
	}
	if err == nil && m.isRequest() {
		err = &Error{Code: tool.CodeNetwork, Reason: "disconnected before it answered; it is not known whether the call had an effect"}
	}
	if err != nil {
		s.fail(m, err)
		if endsSession(err) {
			s.finish(err.Error())
		}
	}
}

// isResponse reports whether line is the response to m. It remembers the protocol revision in
// the response to "initialize".
func (s *httpStream) isResponse(m *outgoing, line []byte) bool {
	var response struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Result struct {
			Revision string `json:"protocolVersion"`
		} `json:"result"`
	}
	// fails for results of other requests, which have other fields
	_ = json.Unmarshal(line, &response)
	var id int64
	if response.Method != "" || json.Unmarshal(response.ID, &id) != nil || id != m.ID {
		return false
	}
	if m.Method == "initialize" {
		s.mu.Lock()
		s.revision = response.Result.Revision
		s.mu.Unlock()
	}
	return true
}

// fail reports that a request gets no response.
func (s *httpStream) fail(m *outgoing, err error) {
	if m.isRequest() && s.failed != nil {
		s.failed(m.ID, err)
	}
}

// exchange makes one HTTP request and passes its response to the function take. Each request has
// its own client, so no connection outlives its request. Redirects are not followed, so that no
// other server receives the message.
func (s *httpStream) exchange(ctx context.Context, method string, body []byte, limit time.Duration, take func(*egress.Response) error) error {
	client := s.endpoint.Client(egress.Limits{RequestBytes: MaxMessage, ResponseBytes: maxResponse, Time: limit})
	defer client.Close()
	res, err := client.Do(ctx, egress.Request{
		Method: method, URL: s.endpoint.URL.String(), Header: s.header(method), Body: body, KeepRedirect: true,
	})
	if err != nil {
		return requestError(err)
	}
	if err := s.statusError(res); err != nil {
		return err
	}
	return take(res)
}

// header returns the headers of a request.
func (s *httpStream) header(method string) http.Header {
	h := http.Header{"Accept": {"application/json, " + sse.MediaType}}
	switch method {
	case http.MethodPost:
		h.Set("Content-Type", "application/json")
	case http.MethodGet:
		h.Set("Accept", sse.MediaType)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessionID != "" {
		h.Set("Mcp-Session-Id", s.sessionID)
	}
	if s.revision != "" {
		h.Set("Mcp-Protocol-Version", s.revision)
	}
	return h
}

// finish ends the session after an error. The reader sees the end of the stream.
func (s *httpStream) finish(reason string) {
	s.mu.Lock()
	s.endReason = cmp.Or(s.endReason, reason)
	s.ended = true
	s.mu.Unlock()
	s.cancel()
	_ = s.incoming.Close() // it never fails
}

// LastWords implements Stream.
func (s *httpStream) LastWords() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.endReason
}

// Close ends all requests. If there is a session, Close then sends a DELETE that ends the session.
func (s *httpStream) Close() error {
	s.closed.Do(func() {
		s.mu.Lock()
		endSession := s.sessionID != "" && !s.ended
		s.ended = true
		s.mu.Unlock()
		s.cancel()
		_, _ = s.incoming.Close(), s.reader.Close() // they never fail
		s.work.Wait()
		if endSession {
			ctx, cancel := context.WithTimeout(context.Background(), closeTime)
			defer cancel()
			// Many servers cannot end a session on request, so an error does not matter.
			_ = s.exchange(ctx, http.MethodDelete, nil, closeTime, func(*egress.Response) error { return nil })
		}
	})
	return nil
}
