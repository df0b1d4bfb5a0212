package runtime

import (
	"sync/atomic"

	"github.com/tetratelabs/wazero/experimental"
)

// pageBytes is the size of a WASM page.
const pageBytes = 1 << 16

// memoryLimit gives one instance its linear memory and refuses to let it grow
// beyond limit. The engine's own limit is for a whole runtime; this one is for a
// call.
type memoryLimit struct {
	limit uint64
	// refused is set once the guest asked for more than it may have, which tells
	// a guest that then broke down from one that broke down by itself.
	refused atomic.Bool
}

// Allocate implements experimental.MemoryAllocator.
func (m *memoryLimit) Allocate(_, _ uint64) experimental.LinearMemory {
	return &linearMemory{limit: m}
}

type linearMemory struct {
	limit *memoryLimit
	buf   []byte
}

// Reallocate implements experimental.LinearMemory. It grows by doubling, so that
// a guest that grows page by page is not copied each time.
func (m *linearMemory) Reallocate(size uint64) []byte {
	if size > m.limit.limit {
		m.limit.refused.Store(true)
		return nil
	}
	if size > uint64(cap(m.buf)) {
		capacity := max(size, min(2*uint64(cap(m.buf)), m.limit.limit))
		grown := make([]byte, size, capacity)
		copy(grown, m.buf)
		m.buf = grown
	}
	m.buf = m.buf[:size]
	return m.buf
}

// Free implements experimental.LinearMemory.
func (m *linearMemory) Free() { m.buf = nil }
