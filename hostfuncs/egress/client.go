package egress

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
)

// errRequestTime is the cause of a context that was cancelled because of Limits.Time.
var errRequestTime = errors.New("the request took too long")

// Client makes the HTTP requests of one call. It is safe for concurrent use. [New] creates a
// Client, which the caller must close.
type Client struct {
	opts            Options
	conns           connSet
	public, private *http.Transport
	// base is cancelled when the Client is closed.
	base context.Context
	stop context.CancelFunc

	mu      sync.Mutex
	made    int // number of requests and followed redirects
	open    int
	records []*record
}

// New returns a Client, which the caller must close. It opens no connection before the first
// request.
func New(o Options) *Client {
	o.Limits = o.Limits.withDefaults()
	o.UserAgent = cmp.Or(o.UserAgent, "wasmtool")
	if o.LookupNetIP == nil {
		o.LookupNetIP = net.DefaultResolver.LookupNetIP
	}
	c := &Client{opts: o}
	c.base, c.stop = context.WithCancel(context.Background())
	c.public, c.private = newTransport(&c.opts, &c.conns, false), newTransport(&c.opts, &c.conns, true)
	return c
}

// Do makes a request, follows redirects, and returns the response as soon as its headers have
// arrived. The caller must close the body or read it to the end. ctx limits the whole request,
// including the body. The error is an [*Error].
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	x, refusal := c.begin(ctx)
	if refusal != nil {
		return nil, refusal
	}
	res, err := x.run(r)
	if err != nil {
		return nil, x.fail(err)
	}
	return res, nil
}

// Usage returns a [Usage] for each request made so far, in the order in which they began. It omits
// requests that exceed Limits.Requests or Limits.Open.
func (c *Client) Usage() []Usage {
	c.mu.Lock()
	records := c.records
	c.mu.Unlock()
	out := make([]Usage, len(records))
	for i, r := range records {
		out[i] = r.snapshot()
	}
	return out
}

// Close cancels all requests, makes the bodies of their responses fail and closes all connections.
// Later requests fail with KindCancelled. Closing again has no effect.
func (c *Client) Close() {
	c.stop()
	c.public.CloseIdleConnections()
	c.private.CloseIdleConnections()
	c.conns.close()
}

// begin admits a request and starts its time limit.
func (c *Client) begin(ctx context.Context) (*exchange, *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.base.Err() != nil {
		return nil, errClosed()
	}
	if c.open >= c.opts.Limits.Open {
		return nil, refuse(KindTooMany, fmt.Sprintf("more than %d requests are in flight: close the body of a response first", c.opts.Limits.Open))
	}
	if refusal := c.countLocked(); refusal != nil {
		return nil, refusal
	}
	c.open++
	x := &exchange{client: c, record: &record{}, caller: ctx}
	c.records = append(c.records, x.record)
	timed, cancelTime := context.WithTimeoutCause(ctx, c.opts.Limits.Time, errRequestTime)
	inner, cancel := context.WithCancelCause(timed)
	x.ctx = inner
	detach := context.AfterFunc(c.base, func() { cancel(errClosed()) })
	x.release = sync.OnceFunc(func() {
		detach()
		cancel(nil)
		cancelTime()
		c.mu.Lock()
		c.open--
		c.mu.Unlock()
	})
	return x, nil
}

// count counts one more request to a server, or refuses it.
func (c *Client) count() *Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.countLocked()
}

func (c *Client) countLocked() *Error {
	if c.made >= c.opts.Limits.Requests {
		return refuse(KindTooMany, fmt.Sprintf("more than %d requests in one call, redirects included", c.opts.Limits.Requests))
	}
	c.made++
	return nil
}

// transport returns one of two transports. If private is true, the transport may connect to private
// addresses; otherwise it must not.
func (c *Client) transport(private bool) *http.Transport {
	if private {
		return c.private
	}
	return c.public
}

func errClosed() *Error { return refuse(KindCancelled, "the call has ended") }
