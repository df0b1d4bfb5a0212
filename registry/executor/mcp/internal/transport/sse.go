package transport

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

// eventStream is the media type of a response with several messages: server-sent events.
const eventStream = "text/event-stream"

// messages passes each message of a response, as one line, to the function take. The error is the
// error of take, ErrMessageTooLong, or an *Error if the body cannot be read.
func messages(res *egress.Response, take func(line []byte) error) error {
	if strings.HasPrefix(res.Header.Get("Content-Type"), eventStream) {
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

// events passes the data of each server-sent event to the function take. It ignores an event that
// the end of the stream cuts off.
func events(r io.Reader, take func(data []byte) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, MaxMessage+len("data: "))
	var data []byte
	for lines.Scan() {
		line := lines.Bytes()
		if len(line) == 0 {
			if len(data) > 0 {
				if err := take(data); err != nil {
					return err
				}
			}
			data = data[:0]
			continue
		}
		part, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue // a comment, or a field that only matters for resuming a stream
		}
		part = bytes.TrimPrefix(part, []byte(" "))
		if len(data)+len(part) > MaxMessage {
			return ErrMessageTooLong
		}
		if len(data) > 0 {
			data = append(data, '\n')
		}
		data = append(data, part...)
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return ErrMessageTooLong
	case err != nil:
		return requestError(err)
	}
	return nil
}
