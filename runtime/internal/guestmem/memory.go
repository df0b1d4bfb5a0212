package guestmem

// Memory is the linear memory of one instance. It is for one goroutine at a time.
// It implements the engine's LinearMemory.
type Memory struct {
	system *System
	o      Options

	// space is what the guest's bytes lie in: space[:size]. It is mapped when it is
	// address space outside the Go heap, and then it never moves.
	space  []byte
	mapped bool
	size   uint64
	// high is the largest size since what lies beyond was cleared.
	high    uint64
	refused bool
	freed   bool

	saved // what the memory is taken back to
}

// Options are what a Memory needs.
type Options struct {
	// Limit is the most bytes that the guest may have.
	Limit uint64
	// Account is asked before the size changes, by delta bytes, and may refuse a
	// growth by false. Nil means that nobody counts.
	Account func(delta int64) bool
}

// Reallocate gives the guest size bytes and returns them, or nil when it may not have
// them. Bytes that are new to it are zero.
func (m *Memory) Reallocate(size uint64) []byte {
	if m.shrinking {
		return m.shrink()
	}
	if size > m.o.Limit || !m.account(int64(size)-int64(m.size)) {
		m.refused = true
		return nil
	}
	if m.space == nil {
		m.space, m.mapped = m.system.take(m.o.Limit)
	}
	if size > uint64(len(m.space)) {
		m.move(size)
	}
	m.size = size
	m.high = max(m.high, size)
	return m.space[:size:size]
}

func (m *Memory) account(delta int64) bool {
	return m.o.Account == nil || delta == 0 || m.o.Account(delta)
}

// move gives the guest a larger slice, where address space could not be had. It grows
// by doubling, so that a guest that grows page by page is not copied each time.
func (m *Memory) move(size uint64) {
	grown := make([]byte, max(size, min(2*uint64(len(m.space)), m.o.Limit)))
	copy(grown, m.space[:m.size])
	m.space = grown
}

// Refused reports whether the guest was refused memory since the memory was made or
// restored.
func (m *Memory) Refused() bool { return m.refused }

// Size is how many bytes the guest has.
func (m *Memory) Size() uint64 { return m.size }

// Bytes are those that the guest has, until its size changes.
func (m *Memory) Bytes() []byte { return m.space[:m.size:m.size] }

// Free gives everything back. Freeing again does nothing.
func (m *Memory) Free() {
	if m.freed {
		return
	}
	m.freed = true
	m.account(-int64(m.size))
	if m.mapped {
		m.system.give(m.space, m.high, m.image != nil)
	}
	m.space, m.size = nil, 0
	m.forget()
}
