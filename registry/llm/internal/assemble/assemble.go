// Package assemble rebuilds the body of a model provider's response from the events of its stream.
// The body is the one that the provider would have sent without streaming, so that one parser reads
// both.
package assemble

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/sse"
)

// Limits of a response, in bytes. An event is a part of a stream, and the message is what its
// events make up.
const (
	maxEvent   = 8 << 20
	MaxMessage = 16 << 20
	// maxUnweighed is what may arrive before the memory of the message is determined again, which
	// takes time in proportion to the message.
	maxUnweighed = 1 << 20
)

// Assembler rebuilds the body of one response.
type Assembler interface {
	// add adds the next event, which is an object. It returns errEnded if no event can follow.
	add(event *jsontree.Value) error
	// body returns the response. It is called once, after the message is complete.
	body() *jsontree.Value
	state() *build
}

// build is the state that all assemblers share.
type build struct {
	message growing
	// unweighed is the number of bytes that arrived since the memory of message was determined.
	unweighed int
	show      func(text string, reasoning bool) error
	stopped   error // an error of show, after which it is not called again
	complete  bool  // set once the model has stopped
}

func (b *build) state() *build { return b }

func (b *build) body() *jsontree.Value { return b.message.value() }

// showText shows a piece of text, or the texts in a list of parts. reasoning is set if they are the
// model's reasoning.
func (b *build) showText(v *jsontree.Value, reasoning bool) {
	if text := v.Text(); text != "" && b.stopped == nil {
		b.stopped = b.show(text, reasoning)
	}
	for _, part := range v.List() {
		b.showText(part.Member("text"), reasoning)
		b.showText(part.Member("thinking"), true)
	}
}

// errEnded ends reading after the last event.
var errEnded = errors.New("the stream has ended")

// Read reads a stream of events and returns the body of the response. It passes each piece of the
// text and of the model's reasoning to the function show as it arrives, and returns the error of
// show.
func Read(in io.Reader, a Assembler, show func(text string, reasoning bool) error) (json.RawMessage, error) {
	b := a.state()
	b.show = show
	events := 0
	err := sse.Read(in, maxEvent, func(data []byte) error {
		events++
		return addEvent(a, data)
	})
	switch {
	case errors.Is(err, sse.ErrTooLong):
		return nil, fmt.Errorf("an event is longer than %d MiB", maxEvent>>20)
	case err != nil && !errors.Is(err, errEnded):
		return nil, err
	case events == 0:
		return nil, errors.New("there are no events; check the URL, and that the request asks for a stream of server-sent events")
	case !b.complete:
		return nil, errors.New("it ended before the message was complete")
	case b.message.weight() > MaxMessage:
		return nil, ErrTooLong
	}
	return a.body().JSON(), nil
}

// ErrTooLong is the error for a message that exceeds MaxMessage.
var ErrTooLong = fmt.Errorf("the message is longer than %d MiB", MaxMessage>>20)

// addEvent passes the data of an event to an assembler.
func addEvent(a Assembler, data []byte) error {
	if string(data) == "[DONE]" {
		return errEnded
	}
	event, err := parse(data, "an event")
	if err != nil {
		return err
	}
	if event.Kind != jsontree.Object {
		return fmt.Errorf("an event must be an object, but is %s", event.Describe())
	}
	if e := event.Member("error"); !e.IsNull() {
		return ProviderError(e)
	}
	if event.Member("type").Text() == "error" || event.Member("object").Text() == "error" {
		return ProviderError(&event)
	}
	err = a.add(&event)
	b := a.state()
	switch {
	case b.stopped != nil: // also if the rest of the event is not valid
		return b.stopped
	case err != nil:
		return err
	}
	if b.unweighed += len(data); b.unweighed > maxUnweighed {
		b.unweighed = 0
		if b.message.weight() > MaxMessage {
			return ErrTooLong
		}
	}
	return nil
}

// parse parses a part of a message, which may be nested less deeply than the message.
func parse[T string | []byte](text T, what string) (jsontree.Value, error) {
	bounds := jsontree.Message()
	bounds.What = what
	bounds.Depth -= 10
	return jsontree.Parse(text, bounds)
}

// ProviderError returns an error that a provider reports. e is as for ErrorText.
func ProviderError(e *jsontree.Value) error {
	kind, text := ErrorText(e)
	text = cmp.Or(text, "it gives no reason")
	if kind != "" {
		text = kind + ": " + text
	}
	return fmt.Errorf("the provider answered with an error: %s", text)
}

// ErrorText returns the kind of an error that a provider reports, and its message. Both are short
// and safe to print, and may be empty. e is a string, or an object with fields such as type and
// message.
func ErrorText(e *jsontree.Value) (kind, text string) {
	for range 3 { // the message may be in an object "error" or "message"
		for _, name := range []string{"type", "status", "code"} {
			if v := e.Member(name).Text(); v != "error" && v != "" {
				kind = v
			}
		}
		inner := e.Member("error")
		for _, name := range []string{"message", "detail"} {
			if inner.IsNull() {
				inner = e.Member(name)
			}
		}
		if inner.IsNull() {
			break
		}
		e = inner
	}
	text = e.Text()
	if !e.IsNull() && e.Kind != jsontree.String {
		text = string(e.AppendJSON(nil, maxText))
	}
	return Short(kind), Short(text)
}

// maxText limits a text of a provider in an error, in bytes.
const maxText = 300

// Short makes a provider's text short and safe to print.
func Short(text string) string {
	return plaintext.OneLine(plaintext.Short(text, maxText))
}
