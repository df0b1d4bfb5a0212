// Package sse reads server-sent events, the format text/event-stream of the HTML standard, from a
// server that is not trusted.
package sse

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MediaType is the media type of a stream of events.
const MediaType = "text/event-stream"

// ErrTooLong is returned for an event that exceeds the limit.
var ErrTooLong = errors.New("the event is too long")

// Read passes the data of each event to the function take, which must not keep it. It ignores
// events without data, all fields except data, and an event that the end of the stream cuts off.
// The error is the error of take or of reading, or ErrTooLong for an event whose data or longest
// line has more than maxBytes bytes.
func Read(r io.Reader, maxBytes int, take func(data []byte) error) error {
	in := bufio.NewReader(r)
	if mark, err := in.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = in.Discard(3) // without this, the first line would be an unknown field
	}
	var line, data []byte
	for {
		// A bufio.Scanner would search the whole line again after each piece that arrives.
		piece, more, err := in.ReadLine()
		line = append(line, piece...)
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case len(line) > maxBytes+len("data: "):
			return ErrTooLong
		case more:
			continue
		case len(line) == 0 && len(data) > 0:
			if err := take(data); err != nil {
				return err
			}
			data = data[:0]
		}
		part, ok := bytes.CutPrefix(line, []byte("data:"))
		line = line[:0]
		if !ok {
			continue // a comment, or a field that only matters for resuming a stream
		}
		part = bytes.TrimPrefix(part, []byte(" "))
		if len(data)+len(part) > maxBytes {
			return ErrTooLong
		}
		if len(data) > 0 {
			data = append(data, '\n')
		}
		data = append(data, part...)
	}
}
