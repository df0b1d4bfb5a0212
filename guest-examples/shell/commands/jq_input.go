package commands

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// jqInput yields the values in jq's input files. After an error, the error is the last value.
type jqInput struct {
	f       *filter
	files   []string
	name    string
	closer  io.Closer
	decoder *json.Decoder
	lines   *lineReader
	size    int
	ended   bool
}

func (in *jqInput) close() {
	if in.closer != nil {
		in.closer.Close()
	}
	in.closer, in.decoder, in.lines = nil, nil, nil
}

// where returns the position of an error.
func (in *jqInput) where() string {
	if in.name == "-" {
		return "<stdin>:0"
	}
	return in.name + ":0"
}

// open opens the next file that can be read, and reports files that can't.
func (in *jqInput) open() bool {
	for len(in.files) > 0 {
		in.name, in.files = in.files[0], in.files[1:]
		r, err := in.f.p.open(in.name)
		if err != nil {
			in.f.p.errorf("error: Could not open %s: %s", in.name, message(err))
			continue
		}
		in.closer, in.size, in.f.inputName = r, 0, nil
		if in.name != "-" {
			in.f.inputName = in.name
		}
		if in.f.text {
			in.lines = newLineReader(r, '\n')
		} else {
			in.decoder = newJSONDecoder(limitedReader{in, withoutMark(r)})
		}
		return true
	}
	return false
}

// withoutMark skips a byte order mark.
func withoutMark(r io.Reader) io.Reader {
	buffered := bufio.NewReader(r)
	if head, _ := buffered.Peek(3); string(head) == "\ufeff" {
		_, _ = buffered.Discard(3) // these bytes are in the buffer
	}
	return buffered
}

// limitedReader returns an error if a single JSON value is too large.
type limitedReader struct {
	in *jqInput
	r  io.Reader
}

func (l limitedReader) Read(b []byte) (int, error) {
	n, err := l.r.Read(b)
	if l.in.size += n; l.in.size > l.in.f.p.maximum && err == nil {
		err = errTooLarge
	}
	return n, err
}

// Next implements gojq.Iter.
func (in *jqInput) Next() (any, bool) {
	for !in.ended {
		if in.closer == nil && !in.open() {
			break
		}
		value, err := in.value()
		if err == nil {
			in.size = 0
			return value, true
		}
		if in.close(); err != io.EOF {
			in.ended = true
			return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "json: ")), true
		}
	}
	return nil, false
}

func (in *jqInput) value() (any, error) {
	if in.lines != nil {
		line, _, err := in.lines.next()
		return string(line), err
	}
	var value any
	err := in.decoder.Decode(&value)
	return value, err
}

// jqSlurp yields all values as one array. With -R it yields all text as one string.
type jqSlurp struct {
	in   *jqInput
	done bool
}

// Next implements gojq.Iter.
func (s *jqSlurp) Next() (any, bool) {
	if s.done {
		return nil, false
	}
	s.done = true
	if s.in.f.text {
		return s.texts(), true
	}
	values := []any{}
	for {
		value, ok := s.in.Next()
		if !ok {
			return values, true
		}
		if err, failed := value.(error); failed {
			return err, true
		}
		values = append(values, value)
	}
}

func (s *jqSlurp) texts() any {
	var all strings.Builder
	for _, name := range s.in.files {
		data, err := s.in.f.p.readFile(name)
		if err != nil {
			s.in.f.p.errorf("error: Could not open %s: %s", name, message(err))
			continue
		}
		if all.Len()+len(data) > s.in.f.p.maximum {
			return errTooLarge
		}
		all.Write(data)
	}
	return all.String()
}
