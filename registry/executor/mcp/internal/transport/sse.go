package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/internal/sse"
)

// messages passes each message of a response, as one line, to the function take. The error is the
// error of take, ErrMessageTooLong, or an *Error if the body cannot be read.
func messages(res *egress.Response, take func(line []byte) error) error {
	if strings.HasPrefix(res.Header.Get("Content-Type"), sse.MediaType) {
		return events(res.Body, func(data []byte) error { return takeJSON(data, take) })
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, MaxMessage+1))
	switch {
	case err != nil:
		return requestError(err)
	case len(body) > MaxMessage:
		return ErrMessageTooLong
	}
	return takeJSON(body, take)
}

// takeJSON passes data as one line to the function take. It ignores data that is not JSON: that
// cannot be the response to any request.
func takeJSON(data []byte, take func(line []byte) error) error {
	var b bytes.Buffer
	if json.Compact(&b, data) != nil || b.Len() == 0 {
		return nil
	}
	b.WriteByte('\n')
	return take(b.Bytes())
}

// events passes the data of each server-sent event to the function take.
func events(r io.Reader, take func(data []byte) error) error {
	var refused error
	err := sse.Read(r, MaxMessage, func(data []byte) error {
		refused = take(data)
		return refused
	})
	switch {
	case err == nil || refused != nil:
		return err
	case errors.Is(err, sse.ErrTooLong):
		return ErrMessageTooLong
	}
	return requestError(err)
}
