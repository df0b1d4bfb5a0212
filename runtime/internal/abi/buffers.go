package abi

import (
	"errors"
	"sync"
)

// errStreamClosed is the error of a write to a stream that is full or closed.
var errStreamClosed = errors.New("the stream is closed")

// cappedBuffer stores up to limit bytes of what a guest writes. The write that would exceed the
// limit fails, and so do all writes after it. It is safe for concurrent use, because an abandoned
// call may still write while its buffer is read.
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

// drop discards the written data.
func (b *cappedBuffer) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.data = nil
}

// take closes the buffer and returns the written data.
func (b *cappedBuffer) take() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return b.data
}

// tailBuffer stores the last limit bytes of what a guest writes, because the end of an error stream
// matters most. It counts the bytes before them. It is safe for concurrent use.
type tailBuffer struct {
	mu      sync.Mutex
	data    []byte // at most 2*limit bytes; only the last limit bytes are part of the result
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

// trim cuts data to the last limit bytes.
func (b *tailBuffer) trim() {
	if over := len(b.data) - b.limit; over > 0 {
		b.dropped += int64(over)
		b.data = append(b.data[:0], b.data[over:]...)
	}
}

// drop discards the written data.
func (b *tailBuffer) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.data, b.dropped = nil, 0
}

// take returns the tail and the number of bytes before it.
func (b *tailBuffer) take() ([]byte, int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trim()
	return b.data, b.dropped
}
