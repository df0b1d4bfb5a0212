package guestmem

// Memory is the linear memory of one instance. It implements the engine's LinearMemory. Only one
// goroutine may use it at a time.
type Memory struct {
	system *System
	o      Options

	// space contains the guest's bytes as space[:size]. If mapped, it is address space outside the
	// Go heap, and never moves.
	space  []byte
	mapped bool
	size   uint64
	// high is the largest size since the bytes after the current size were cleared.
	high    uint64
	refused bool
	freed   bool

	saved // the image to which the memory is restored
}

// Options configures a Memory.
type Options struct {
	// Limit is the maximum size in bytes.
	Limit uint64
	// Account is called before the size changes by delta bytes, and returns false to refuse growth.
	// Nil accepts all changes.
	Account func(delta int64) bool
}

// Reallocate changes the size and returns the guest's bytes, or nil if growth is refused. New bytes
// are zero.
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

// move copies the guest's bytes into a larger slice. It is used if no address space could be
// reserved. The slice doubles, so that a guest that grows page by page is not copied each time.
func (m *Memory) move(size uint64) {
	grown := make([]byte, max(size, min(2*uint64(len(m.space)), m.o.Limit)))
	copy(grown, m.space[:m.size])
	m.space = grown
}

// Refused reports whether growth was refused since the memory was made or restored.
func (m *Memory) Refused() bool { return m.refused }

// Size returns the size of the memory in bytes.
func (m *Memory) Size() uint64 { return m.size }

// Bytes returns the guest's bytes. The slice is valid until the size changes.
func (m *Memory) Bytes() []byte { return m.space[:m.size:m.size] }

// Free releases the memory. Freeing it again does nothing.
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
