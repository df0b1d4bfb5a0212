package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

// eventStream is the type of a body with several messages.
const eventStream = "text/event-stream"

// messages hands on the messages of a response, each as a line. The error is that of take,
// errFlood, or of the body.
func messages(res *egress.Response, take func(line []byte) error) error {
	if strings.HasPrefix(res.Header.Get("Content-Type"), eventStream) {
		return events(res.Body, func(data []byte) error { return asLine(data, take) })
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxLine+1))
	switch {
	case err != nil:
		return unreached(err)
	case len(body) > maxLine:
		return errFlood
	}
	return asLine(body, take)
}

// asLine hands on JSON as one line. What is no JSON is no answer, and left alone.
func asLine(data []byte, take func(line []byte) error) error {
	var b bytes.Buffer
	if json.Compact(&b, data) != nil || b.Len() == 0 {
		return nil
	}
	b.WriteByte('\n')
	return take(b.Bytes())
}

// events reads the data of each event of a stream. An event that the stream breaks off in is
// none.
func events(r io.Reader, take func(data []byte) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine+len("data: "))
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
			continue // comments, and what only those use who come back
		}
		part = bytes.TrimPrefix(part, []byte(" "))
		if len(data)+len(part) > maxLine {
			return errFlood
		}
		if len(data) > 0 {
			data = append(data, '\n')
		}
		data = append(data, part...)
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return errFlood
	case err != nil:
		return unreached(err)
	}
	return nil
}
