package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/registry/llm"
)

// recordingVersion is the version of the format of recordings.
const recordingVersion = 1

// recordingHead is the first line of a recording. The other lines are recordedTurns.
type recordingHead struct {
	Version int        `json:"recording"`
	Format  llm.Format `json:"format"`
}

// recordedTurn is the stream of one message. Its last chunk has End, unless Error is set. The
// arguments of calls are strings, because they may be invalid JSON.
type recordedTurn struct {
	Chunks []llm.Chunk `json:"chunks"`
	Error  string      `json:"error,omitempty"`
}

// recorded returns a chunk as recordings have it.
func recorded(c llm.Chunk) llm.Chunk {
	if c.Call != nil {
		call := *c.Call
		call.Arguments = jsontree.NewString(string(call.Arguments)).JSON()
		c.Call = &call
	}
	return c
}

// recorder is the Model that Record returns.
type recorder struct {
	Model

	mu  sync.Mutex
	out *json.Encoder // repeats its first error of writing
}

// Record returns a Model that answers like m and writes each message to w, for [OpenReplay]. A line
// of JSON has the pieces of one message, and is written before its last piece is passed on. If it
// cannot be written, the message fails. The requests, and so the keys and the headers, are not
// recorded, but the messages may contain what the model read.
//
// Messages that are asked for concurrently are recorded in the order in which they end. Writes to w
// are not concurrent.
func Record(m Model, w io.Writer) Model {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)                                    // the bodies stay as they are
	_ = out.Encode(recordingHead{recordingVersion, m.Format()}) // write reports an error
	return &recorder{Model: m, out: out}
}

// Stream implements Model.
func (r *recorder) Stream(ctx context.Context, request llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		turn := recordedTurn{Chunks: []llm.Chunk{}, Error: "the message was not read to its end"}
		write := sync.OnceValue(func() error {
			r.mu.Lock()
			defer r.mu.Unlock()
			if err := r.out.Encode(turn); err != nil {
				return fmt.Errorf("the message cannot be recorded: %w", err)
			}
			return nil
		})
		defer write() // for a consumer that stops; a later message reports the error
		for chunk, err := range r.Model.Stream(ctx, request) {
			if err != nil {
				turn.Error = err.Error()
				yield(llm.Chunk{}, errors.Join(err, write()))
				return
			}
			turn.Chunks = append(turn.Chunks, recorded(chunk))
			if chunk.End != nil {
				turn.Error = ""
				if err := write(); err != nil {
					yield(llm.Chunk{}, err)
					return
				}
			}
			if !yield(chunk, nil) {
				return
			}
		}
	}
}

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
			if err := ctx.Err(); !yield(c, err) || err != nil {
				return
			}
		}
		if turn.Error != "" {
			yield(llm.Chunk{}, errors.New(turn.Error))
		}
	}
}
