package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync/atomic"

	"github.com/wasmtool/wasmtool/registry/llm"
)

// replay is the Model that OpenReplay returns.
type replay struct {
	format llm.Format
	turns  []recordedTurn
	next   atomic.Int64
}

// OpenReplay returns a Model that answers with the messages of a recording, in their order and
// whatever the requests are. Each message is given once; further requests fail. OpenReplay reads r
// to its end. It fails if r is not a recording of [Record], and then names the message.
func OpenReplay(r io.Reader) (Model, error) {
	in := json.NewDecoder(r)
	in.DisallowUnknownFields()
	var head recordingHead
	if err := in.Decode(&head); err != nil || head.Version != recordingVersion {
		return nil, errors.New(`this is not a recording of a model: the first line must be {"recording":1,"format":"FORMAT"}`)
	}
	m := &replay{format: head.Format}
	if _, err := llm.ParseFormat(string(head.Format)); err != nil {
		return nil, fmt.Errorf("the first line of the recording: %w", err)
	}
	for {
		var turn recordedTurn
		err := in.Decode(&turn)
		if errors.Is(err, io.EOF) {
			return m, nil
		}
		if err == nil {
			err = turn.check()
		}
		if err != nil {
			return nil, fmt.Errorf("message %d of the recording: %w", len(m.turns)+1, err)
		}
		m.turns = append(m.turns, turn)
	}
}

// check reports a turn that Record does not write. It makes the arguments of calls what the model
// wrote.
func (t recordedTurn) check() error {
	ended := false
	for _, c := range t.Chunks {
		if ended {
			return errors.New("a piece follows the end")
		}
		if c.Call != nil {
			var arguments string
			if err := json.Unmarshal(c.Call.Arguments, &arguments); err != nil {
				return fmt.Errorf("the arguments of a call must be a string: %w", err)
			}
			c.Call.Arguments = json.RawMessage(arguments)
		}
		if ended = c.End != nil; ended && len(c.End.Body) == 0 {
			return errors.New("the end has no body")
		}
	}
	if ended == (t.Error != "") {
		return errors.New("its last piece must be the end, or it must have an error")
	}
	return nil
}

// Format implements Model.
func (m *replay) Format() llm.Format { return m.format }

// Stream implements Model.
func (m *replay) Stream(ctx context.Context, _ llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		n := m.next.Add(1)
		if n > int64(len(m.turns)) {
			yield(llm.Chunk{}, fmt.Errorf("the recording has only %d messages", len(m.turns)))
			return
		}
		turn := m.turns[n-1]
		for _, c := range turn.Chunks {
			if err := ctx.Err(); err != nil {
				yield(llm.Chunk{}, err)
				return
			}
			if !yield(c, nil) {
				return
			}
		}
		if turn.Error != "" {
			yield(llm.Chunk{}, errors.New(turn.Error))
		}
	}
}
