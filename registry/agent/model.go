package agent

import (
	"context"
	"iter"

	"github.com/wasmtool/wasmtool/registry/llm"
)

// Model produces the messages of a conversation. Implementations must be safe for concurrent use.
type Model interface {
	// Format is the format of requests and responses. It never changes.
	Format() llm.Format
	// Stream asks for the next message. It yields the pieces of the message as they arrive, and at
	// last a chunk with End; or an error, after which it yields nothing. It must return soon after
	// ctx is done or the consumer has stopped. r belongs to the caller.
	Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error]
}
