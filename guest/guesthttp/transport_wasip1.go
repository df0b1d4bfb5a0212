package guesthttp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"unsafe"

	"github.com/wasmtool/wasmtool/guest/internal/host"
)

//go:wasmimport wasmtool_v1 http_request
//go:noescape
func importedRequest(head *byte, headSize uint32, body *byte, bodySize uint32) int32

//go:wasmimport wasmtool_v1 http_head
//go:noescape
func importedHead(handle int32, ptr *byte, size uint32) int32

//go:wasmimport wasmtool_v1 http_read
//go:noescape
func importedRead(handle int32, ptr *byte, size uint32) int32

//go:wasmimport wasmtool_v1 http_close
func importedClose(handle int32) int32

type requestHead struct {
	Method   string      `json:"method"`
	URL      string      `json:"url"`
	Headers  [][2]string `json:"headers"`
	Redirect string      `json:"redirect"`
}

type responseHead struct {
	Status  int         `json:"status"`
	Headers [][2]string `json:"headers"`
}

// hostHeaders are the headers that only the host sets.
var hostHeaders = map[string]bool{"Host": true, "Content-Length": true, "Transfer-Encoding": true, "Connection": true, "Accept-Encoding": true}

func roundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		body, err = io.ReadAll(r.Body)
		if closing := r.Body.Close(); err == nil {
			err = closing
		}
		if err != nil {
			return nil, err
		}
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	head := requestHead{Method: r.Method, URL: r.URL.String(), Redirect: "manual"}
	for name, values := range r.Header {
		for _, value := range values {
			if !hostHeaders[http.CanonicalHeaderKey(name)] {
				head.Headers = append(head.Headers, [2]string{name, value})
			}
		}
	}
	text, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	handle, err := host.Check(importedRequest(unsafe.SliceData(text), uint32(len(text)), unsafe.SliceData(body), uint32(len(body))))
	if err != nil {
		return nil, err
	}
	return response(r, int32(handle))
}

// response reads the status and the headers of a response.
func response(r *http.Request, handle int32) (*http.Response, error) {
	var failed error
	text := host.ReadAll(func(buffer []byte) int {
		n, err := host.Check(importedHead(handle, unsafe.SliceData(buffer), uint32(len(buffer))))
		failed = err
		return n
	})
	var head responseHead
	if failed == nil {
		failed = json.Unmarshal(text, &head)
	}
	if failed != nil {
		importedClose(handle)
		return nil, failed
	}
	res := &http.Response{
		Status: fmt.Sprintf("%d %s", head.Status, http.StatusText(head.Status)), StatusCode: head.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header), Body: &body{handle: handle}, ContentLength: -1, Request: r,
	}
	for _, pair := range head.Headers {
		res.Header.Add(pair[0], pair[1])
	}
	if n, err := strconv.ParseInt(res.Header.Get("Content-Length"), 10, 64); err == nil && n >= 0 {
		res.ContentLength = n
	}
	return res, nil
}

// body is the body of a response, which it reads from the host.
type body struct {
	handle int32
	closed bool
}

func (b *body) Read(p []byte) (int, error) {
	switch {
	case b.closed:
		return 0, http.ErrBodyReadAfterClose
	case len(p) == 0:
		return 0, nil
	}
	n, err := host.Check(importedRead(b.handle, unsafe.SliceData(p), uint32(len(p))))
	if err == nil && n == 0 {
		err = io.EOF
	}
	return n, err
}

func (b *body) Close() error {
	if !b.closed {
		b.closed = true
		importedClose(b.handle)
	}
	return nil
}
