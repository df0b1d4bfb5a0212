package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Bounds on a server at a URL.
const (
	// maxUnderWay is how many messages are on their way to it at once.
	maxUnderWay = 256
	// maxAnswer is how much one request may bring, in bytes: a message and what is told of
	// its progress before.
	maxAnswer = 4 * maxLine
	// maxSessionID is the longest name of a session, in bytes.
	maxSessionID = 1 << 10
	// answerTime ends requests that nobody gives up, noticeTime those that only tell.
	answerTime, noticeTime = 24 * time.Hour, 30 * time.Second
)

// remote is a server at a URL, spoken to by streamable HTTP. Each line that is written
// becomes a request, and the messages of all responses are the lines that are read. It
// implements stream and unreliable.
type remote struct {
	o      Options
	url    capability.URLPattern
	lines  *io.PipeReader
	heard  *io.PipeWriter
	life   context.Context
	end    context.CancelFunc
	work   sync.WaitGroup
	closed sync.Once

	failed func(id int64, err error) // nil until onFailure, which is before all use

	mu       sync.Mutex
	session  string // its name; empty without one
	revision string // of the protocol, once it is known
	parting  string // why the session ended
	over     bool   // nothing more is sent
	underWay int
	cancels  map[int64]context.CancelFunc // by the IDs of requests
}

// startRemote opens nothing yet: the first request does.
func startRemote(o Options) (stream, error) {
	where, err := capability.ParseURLPattern(o.URL)
	if err != nil || where.IsAny() || where.IsWildcard() {
		return nil, errors.New("its URL is none that can be asked; write https://HOST/PATH")
	}
	r := &remote{o: o, url: where, cancels: make(map[int64]context.CancelFunc)}
	r.lines, r.heard = io.Pipe()
	r.life, r.end = context.WithCancel(context.Background())
	return r, nil
}

// onFailure implements unreliable.
func (r *remote) onFailure(failed func(id int64, err error)) { r.failed = failed }

// Read reads what the server sent.
func (r *remote) Read(p []byte) (int, error) { return r.lines.Read(p) }

// outgoing is what has to be known of a message to send it.
type outgoing struct {
	ID     int64  `json:"id"`
	Method string `json:"method"`
	Params struct {
		RequestID int64 `json:"requestId"`
	} `json:"params"`

	line []byte
}

// isRequest says whether an answer is waited for. Answers of ours have no method.
func (m *outgoing) isRequest() bool { return m.Method != "" && m.ID != 0 }

// Write sends one message. It waits for nobody, but for the server to have heard that it is
// initialised, before which it may refuse everything else.
func (r *remote) Write(line []byte) (int, error) {
	m := &outgoing{line: bytes.Clone(line)}
	if err := json.Unmarshal(line, m); err != nil && m.Method != "" {
		return 0, err
	} // the ID of an answer is the server's, and may be a text
	if m.Method == "notifications/cancelled" {
		r.giveUp(m.Params.RequestID)
	}
	ctx, leave, ok := r.enter(m)
	if !ok {
		return len(line), nil
	}
	if m.Method == "notifications/initialized" {
		r.send(ctx, m)
		r.work.Go(r.listen)
		leave()
		return len(line), nil
	}
	go func() {
		defer leave()
		r.send(ctx, m)
	}()
	return len(line), nil
}

// enter finds room for a message. Where there is none a request fails, and what only tells
// is left out. Whoever is in has to leave.
func (r *remote) enter(m *outgoing) (ctx context.Context, leave func(), ok bool) {
	r.mu.Lock()
	if r.over || r.underWay >= maxUnderWay {
		r.mu.Unlock()
		r.tellFailure(m, &httpError{code: tool.CodeResourceExhausted, reason: "has too many requests under way, or its session is over"})
		return nil, nil, false
	}
	defer r.mu.Unlock()
	r.underWay++
	r.work.Add(1)
	ctx, cancel := context.WithCancel(r.life)
	if m.isRequest() {
		r.cancels[m.ID] = cancel
	}
	return ctx, func() {
		cancel()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.underWay--
		delete(r.cancels, m.ID)
		r.work.Done()
	}, true
}

// giveUp ends a request for which nobody waits.
func (r *remote) giveUp(id int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel := r.cancels[id]; cancel != nil {
		cancel()
	}
}

// errAnswered ends the reading of what a request brings.
var errAnswered = errors.New("the answer has come")

// send makes the request of a message and hands on what comes, up to its answer: a server may
// keep the stream open after that.
func (r *remote) send(ctx context.Context, m *outgoing) {
	limit := noticeTime
	if m.isRequest() {
		limit = answerTime
	}
	err := r.exchange(ctx, http.MethodPost, m.line, limit, func(res *egress.Response) error {
		if name := res.Header.Get("Mcp-Session-Id"); m.Method == "initialize" && len(name) <= maxSessionID {
			r.mu.Lock()
			r.session = name // without a longer one the server will miss it, and say so
			r.mu.Unlock()
		}
		if !m.isRequest() {
			return nil // there is nothing to come
		}
		return messages(res, func(line []byte) error {
			answered := r.answers(m, line)
			if _, err := r.heard.Write(line); err != nil || !answered {
				return err
			}
			return errAnswered
		})
	})
	if errors.Is(err, errAnswered) {
		return
	}
	if err == nil && m.isRequest() {
		err = &httpError{code: tool.CodeNetwork, reason: "broke off before it answered; whether the call did something is not known"}
	}
	if err != nil {
		r.tellFailure(m, err)
		if isFinal(err) {
			r.finish(err.Error())
		}
	}
}

// answers says whether a message is the answer to m, and notes the revision that an answer
// to the first request names.
func (r *remote) answers(m *outgoing, line []byte) bool {
	var a struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Result struct {
			Revision string `json:"protocolVersion"`
		} `json:"result"`
	}
	_ = json.Unmarshal(line, &a) // results of other requests have other fields
	var id int64
	if a.Method != "" || json.Unmarshal(a.ID, &id) != nil || id != m.ID {
		return false
	}
	if m.Method == "initialize" {
		r.mu.Lock()
		r.revision = a.Result.Revision
		r.mu.Unlock()
	}
	return true
}

func (r *remote) tellFailure(m *outgoing, err error) {
	if m.isRequest() && r.failed != nil {
		r.failed(m.ID, err)
	}
}

// exchange makes one request and lets take read its response. Each has a client of its own:
// no connection outlives what it was opened for. Redirects are not followed, so that what
// the server is told goes to no other.
func (r *remote) exchange(ctx context.Context, method string, body []byte, limit time.Duration, take func(*egress.Response) error) error {
	client := egress.New(r.options(limit))
	defer client.Close()
	res, err := client.Do(ctx, egress.Request{
		Method: method, URL: r.url.String(), Header: r.header(method), Body: body, KeepRedirect: true,
	})
	if err != nil {
		return unreached(err)
	}
	defer func() { _ = res.Body.Close() }() // all that is wanted was read
	if err := r.refused(res); err != nil {
		return err
	}
	return take(res)
}

// header is what goes with each request.
func (r *remote) header(method string) http.Header {
	h := http.Header{"Accept": {"application/json, text/event-stream"}}
	switch method {
	case http.MethodPost:
		h.Set("Content-Type", "application/json")
	case http.MethodGet:
		h.Set("Accept", eventStream)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session != "" {
		h.Set("Mcp-Session-Id", r.session)
	}
	if r.revision != "" {
		h.Set("Mcp-Protocol-Version", r.revision)
	}
	return h
}

// options are those of one request: to this URL and no other, with the secret that belongs
// there, which is hidden in what comes back.
func (r *remote) options(limit time.Duration) egress.Options {
	o := egress.Options{Normalise: capability.NormaliseURL, Transport: r.o.HTTP}
	o.Limits = egress.Limits{Requests: 1, Open: 1, RequestBytes: maxLine, ResponseBytes: maxAnswer, Time: limit}
	private := r.o.Private || r.url.NamesLocal()
	o.Permit = func(_ string, u *url.URL) (egress.Decision, bool) {
		return egress.Decision{Private: private, Rule: "servers." + r.o.Name}, r.url.Matches(u)
	}
	if use := r.o.Secret; use.Name != "" && r.o.Secrets != nil {
		var hide *secret.Scrubber
		o.Secrets = func(ctx context.Context, _ egress.Decision) ([]egress.Injection, error) {
			value, err := r.o.Secrets.Value(ctx, use)
			if err != nil {
				return nil, err
			}
			hide = secret.NewScrubber(map[string]string{use.Name: value})
			return []egress.Injection{{Name: use.Name, Header: use.Header, Value: use.Prefix + value}}, nil
		}
		o.Scrub = func() egress.Scrubber { return hide.Stream() }
	}
	return o
}

// finish ends the session: the reader sees the end of what the server sends.
func (r *remote) finish(why string) {
	r.mu.Lock()
	r.parting = cmp.Or(r.parting, why)
	r.over = true
	r.mu.Unlock()
	r.end()
	_ = r.heard.Close() // it never fails
}

// lastWords is why the session ended.
func (r *remote) lastWords() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.parting
}

// Close ends all requests, and then the session, as far as the server can still be told.
func (r *remote) Close() error {
	r.closed.Do(func() {
		r.mu.Lock()
		tell := r.session != "" && !r.over
		r.over = true
		r.mu.Unlock()
		r.end()
		_, _ = r.heard.Close(), r.lines.Close() // they never fail
		r.work.Wait()
		if tell {
			ctx, cancel := context.WithTimeout(context.Background(), closeTime)
			defer cancel()
			// Many servers know no way to end a session.
			_ = r.exchange(ctx, http.MethodDelete, nil, closeTime, func(*egress.Response) error { return nil })
		}
	})
	return nil
}
