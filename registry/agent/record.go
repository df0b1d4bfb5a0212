package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

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

// add appends a chunk.
func (t *recordedTurn) add(c llm.Chunk) {
	if c.Call != nil {
		call := *c.Call
		call.Arguments = jsontree.NewString(string(call.Arguments)).JSON()
		c.Call = &call
	}
	t.Chunks = append(t.Chunks, c)
}

// recorder is the Model that Record returns.
type recorder struct {
	Model

	mu     sync.Mutex
	out    *json.Encoder
	failed error // the first error of writing
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
	out.SetEscapeHTML(false) // the bodies stay as they are
	return &recorder{Model: m, out: out, failed: out.Encode(recordingHead{recordingVersion, m.Format()})}
}

// Stream implements Model.
func (r *recorder) Stream(ctx context.Context, request llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		turn := recordedTurn{Chunks: []llm.Chunk{}, Error: "the message was not read to its end"}
		write := sync.OnceValue(func() error { return r.write(turn) })
		defer write() // for a consumer that stops; a later message reports the error
		for chunk, err := range r.Model.Stream(ctx, request) {
			if err != nil {
				turn.Error = err.Error()
				yield(llm.Chunk{}, errors.Join(err, write()))
				return
			}
			turn.add(chunk)
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

// write writes a line.
func (r *recorder) write(turn recordedTurn) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil {
		r.failed = r.out.Encode(turn)
	}
	if r.failed != nil {
		return fmt.Errorf("the message cannot be recorded: %w", r.failed)
	}
	return nil
}
