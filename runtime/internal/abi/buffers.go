package abi

import (
	"errors"
	"sync"
)

// errStreamClosed ends a write of a guest to a stream that takes no more.
var errStreamClosed = errors.New("the stream takes no more")

// cappedBuffer keeps what a guest writes up to limit bytes. The write that would
// pass the limit fails, and so do those after it. It is safe for concurrent use, because
// a call that was abandoned may still write while its buffer is read.
type cappedBuffer struct {
	mu     sync.Mutex
	data   []byte
	limit  int64
	closed bool
}

func (b *cappedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = b.closed || int64(len(b.data))+int64(len(p)) > b.limit
	if b.closed {
		return 0, errStreamClosed
	}
	b.data = append(b.data, p...)
	return len(p), nil
}

// drop forgets what was written.
func (b *cappedBuffer) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.data = nil
}

// take ends the writing and returns what was written.
func (b *cappedBuffer) take() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return b.data
}

// tailBuffer keeps the last limit bytes of what a guest writes and counts the
// rest: of an error stream the end matters. It is safe for concurrent use.
type tailBuffer struct {
	mu      sync.Mutex
	data    []byte // at most 2*limit bytes, the tail of it is what counts
	limit   int
	dropped int64
}

func (b *tailBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(p)
	if n > b.limit {
		b.dropped += int64(n - b.limit)
		p = p[n-b.limit:]
	}
	b.data = append(b.data, p...)
	if len(b.data) > 2*b.limit {
		b.trim()
	}
	return n, nil
}

// trim cuts data down to the limit.
func (b *tailBuffer) trim() {
	if over := len(b.data) - b.limit; over > 0 {
		b.dropped += int64(over)
		b.data = append(b.data[:0], b.data[over:]...)
	}
}

// drop forgets what was written.
func (b *tailBuffer) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.data, b.dropped = nil, 0
}

// take returns the tail and how many bytes came before it.
func (b *tailBuffer) take() ([]byte, int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trim()
	return b.data, b.dropped
}
