package egress

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
)

// maxResponseHeaders is how many header values a response may have. Each is looked at for
// secrets, however short it is.
const maxResponseHeaders = 256

// Response is what a server answered. Secrets are hidden in all of it.
type Response struct {
	// Status is 200 or more.
	Status int
	// Header has no Content-Encoding and no Content-Length where the body was decoded.
	// It is the caller's.
	Header http.Header
	// URL is where the response came from, without the parameters that hold secrets.
	URL string
	// Body is the decoded body, never nil. Reading fails with an *Error, past
	// Limits.ResponseBytes for one. One goroutine reads; any may close, which ends a
	// read that waits.
	Body io.ReadCloser
}

// respond turns the response to the last hop into what the caller gets.
func (x *exchange) respond(h *hop, res *http.Response) (*Response, error) {
	o := &x.client.opts
	b := &body{exchange: x, src: res.Body, left: o.Limits.ResponseBytes}
	b.end = sync.OnceFunc(func() {
		x.release() // first, because closing waits for a read
		_ = res.Body.Close()
	})
	if h.method != http.MethodHead {
		if err := b.decode(res, o.Limits); err != nil {
			_ = res.Body.Close()
			return nil, err
		}
	}
	b.filter = o.bodyFilter(res.Header.Get("Content-Type"))
	u := *h.url
	for _, name := range h.params {
		deleteQuery(&u, name)
	}
	x.record.update(func(u *Usage) { u.Status = res.StatusCode })
	return &Response{Status: res.StatusCode, Header: o.scrubHeader(res.Header), URL: o.scrubText(u.String()), Body: b}, nil
}

// decode makes b read the body decoded, and takes out of the headers what is then no
// longer true. An encoding that was not asked for is refused: inside it nothing could
// be counted or scrubbed.
func (b *body) decode(res *http.Response, limits Limits) *Error {
	encoding := strings.ToLower(strings.TrimSpace(strings.Join(res.Header["Content-Encoding"], ",")))
	switch encoding {
	case "", "identity":
		return nil
	case "gzip", "x-gzip":
		b.src = &gunzip{src: &capped{src: res.Body, left: limits.wireBytes()}}
		delete(res.Header, "Content-Encoding")
		delete(res.Header, "Content-Length")
		return nil
	default:
		return refuse(KindProtocol, "the server answered in an encoding that was not asked for")
	}
}

// body is the body of a Response.
type body struct {
	exchange *exchange
	src      io.Reader
	left     int64  // how much of src may still be read
	filter   filter // nil passes everything on
	buf      []byte // for what goes through filter
	out      []byte // what has gone through filter and waits to be read
	err      error  // what ends the body once out is read
	closed   atomic.Bool
	end      func()
}

// Read reads from the body.
func (b *body) Read(p []byte) (int, error) {
	if b.closed.Load() {
		return 0, b.exchange.describe(errBodyClosed())
	}
	if len(p) == 0 {
		return 0, nil
	}
	if b.filter == nil {
		if b.err != nil {
			return 0, b.err
		}
		n := b.fill(p)
		return n, b.err
	}
	for len(b.out) == 0 && b.err == nil {
		b.fillFiltered()
	}
	if len(b.out) == 0 {
		return 0, b.err
	}
	n := copy(p, b.out)
	b.out = b.out[n:]
	return n, nil
}

// Close ends the request. It may be called at any time and more than once.
func (b *body) Close() error {
	b.closed.Store(true)
	b.end()
	return nil
}

// fill reads into p as much as may be read, and sets b.err at the end.
func (b *body) fill(p []byte) int {
	if err := b.exchange.ctx.Err(); err != nil { // the rest may be here already, compressed
		b.finish(err)
		return 0
	}
	// One byte more than is left tells a body that ends in time from one that does not.
	if int64(len(p)) > b.left {
		p = p[:b.left+1]
	}
	n, err := b.src.Read(p)
	if int64(n) > b.left {
		n = int(b.left)
		err = tooLarge("the body of the response", b.exchange.client.opts.Limits.ResponseBytes)
	}
	b.left -= int64(n)
	b.exchange.record.update(func(u *Usage) { u.BytesReceived += int64(n) })
	b.finish(err)
	return n
}

// fillFiltered reads a piece and takes it through the filter.
func (b *body) fillFiltered() {
	if b.buf == nil {
		b.buf = make([]byte, 32<<10)
	}
	n := b.fill(b.buf)
	out, refusal := b.filter(b.buf[:n], b.err == io.EOF)
	if refusal != nil {
		out = nil
		b.finish(refusal)
	}
	b.out = out
}

// finish ends the body with err, if that is one.
func (b *body) finish(err error) {
	switch err {
	case nil:
		return
	case io.EOF:
		b.err = io.EOF
	default:
		b.err = b.exchange.fail(err)
	}
	b.end()
}

// gunzip decompresses. It begins with the first read, because beginning reads.
type gunzip struct {
	src io.Reader
	zr  *gzip.Reader
}

func (g *gunzip) Read(p []byte) (int, error) {
	if g.zr == nil {
		zr, err := gzip.NewReader(g.src)
		if err != nil {
			return 0, err // io.EOF where there is no body at all
		}
		g.zr = zr
	}
	return g.zr.Read(p)
}

// capped fails when src gives more than left bytes.
type capped struct {
	src  io.Reader
	left int64
}

func (c *capped) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, refuse(KindTooLarge, "the body of the response is far larger compressed than it may be decompressed")
	}
	return n, err
}

func tooLarge(what string, limit int64) *Error {
	return refuse(KindTooLarge, fmt.Sprintf("%s is larger than %d bytes", what, limit))
}
