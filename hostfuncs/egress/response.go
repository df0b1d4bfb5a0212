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

// maxResponseHeaders limits the header values of a response, because each value is searched for
// secrets, even if it is short.
const maxResponseHeaders = 256

// Response is the answer of a server, with all secrets hidden.
type Response struct {
	// Status is the status code, at least 200.
	Status int
	// Header may be changed by the caller. It has neither Content-Encoding nor Content-Length if
	// the body was decoded.
	Header http.Header
	// URL is the URL of the last hop, without the query parameters that contain secrets.
	URL string
	// Body is the decoded body, never nil. A read that fails returns an *Error, for example after
	// Limits.ResponseBytes bytes. Only one goroutine may read. Any goroutine may close Body, which
	// makes a waiting read fail.
	Body io.ReadCloser
}

// respond turns the response to the last hop into the Response for the caller.
func (x *exchange) respond(h *hop, res *http.Response) (*Response, error) {
	o := &x.client.opts
	b := &body{exchange: x, src: res.Body, left: o.Limits.ResponseBytes}
	b.end = sync.OnceFunc(func() {
		x.release() // first, because Close waits for a read in progress
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

// decode makes b return decoded bytes, and removes the headers that describe the encoded body. It
// refuses an encoding that was not requested, because such content could be neither counted nor
// scrubbed.
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
		return refuse(KindProtocol, "the server answered in an encoding that was not requested")
	}
}

// body is the body of a Response.
type body struct {
	exchange *exchange
	src      io.Reader
	left     int64  // how many bytes of src may still be read
	filter   filter // nil passes everything through
	buf      []byte // input of filter
	out      []byte // output of filter that has not been read yet
	err      error  // returned by Read once the field out is empty
	closed   atomic.Bool
	end      func()
}

// Read returns the next decoded bytes of the body, without secrets.
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

// Close ends the request. It may be called at any time and repeatedly.
func (b *body) Close() error {
	b.closed.Store(true)
	b.end()
	return nil
}

// fill reads up to the limit into p, and sets b.err at the end.
func (b *body) fill(p []byte) int {
	// Stop when the exchange ends, even if some received data has not been decompressed yet.
	if err := b.exchange.ctx.Err(); err != nil {
		b.finish(err)
		return 0
	}
	// A read of one byte beyond the limit distinguishes a body that is too large from a body of the
	// maximum size.
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

// fillFiltered reads a chunk and passes it through the filter.
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

// finish ends the body with err, unless err is nil.
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

// gunzip decompresses src. It reads the gzip header with the first Read and not when it is created.
type gunzip struct {
	src io.Reader
	zr  *gzip.Reader
}

func (g *gunzip) Read(p []byte) (int, error) {
	if g.zr == nil {
		zr, err := gzip.NewReader(g.src)
		if err != nil {
			return 0, err // io.EOF if there is no body at all
		}
		g.zr = zr
	}
	return g.zr.Read(p)
}

// capped fails as soon as src has returned more bytes than the field left allows.
type capped struct {
	src  io.Reader
	left int64
}

func (c *capped) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, refuse(KindTooLarge, "the compressed body of the response is too large, compared with the limit for its decompressed size")
	}
	return n, err
}

func tooLarge(what string, limit int64) *Error {
	return refuse(KindTooLarge, fmt.Sprintf("%s is larger than %d bytes", what, limit))
}
