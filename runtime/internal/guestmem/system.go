package guestmem

import "sync"

// Limits on the address space that is kept for later guests: in total, and from one guest. Up to
// the limit for one guest, clearing memory costs less than getting new pages from the kernel.
const (
	maxSpare     = 32 << 20
	maxSpareEach = 8 << 20
)

// System makes memories and keeps address space between them. Close it when the last memory is
// freed. It is safe for concurrent use.
type System struct {
	scanner scanner

	// freeing waits for the goroutines that free large memories, which takes a while.
	freeing sync.WaitGroup

	mu     sync.Mutex
	spare  []spareSpace
	bytes  uint64
	closed bool
}

// spareSpace is cleared address space; its first bytes are resident.
type spareSpace struct {
	space    []byte
	resident uint64
}

// NewSystem returns a System.
func NewSystem() *System { return &System{} }

// New returns a memory of size 0.
func (s *System) New(o Options) *Memory { return &Memory{system: s, o: o} }

// take returns at least limit zero bytes that no other memory uses. It returns no bytes if no
// address space can be reserved.
func (s *System) take(limit uint64) (space []byte, mapped bool) {
	s.mu.Lock()
	for i := len(s.spare) - 1; i >= 0; i-- {
		if k := s.spare[i]; uint64(len(k.space)) >= limit {
			s.spare = append(s.spare[:i], s.spare[i+1:]...)
			s.bytes -= k.resident
			s.mu.Unlock()
			return k.space, true
		}
	}
	s.mu.Unlock()
	space = reserve(limit)
	return space, space != nil
}

// give returns address space to the System. written is the number of bytes at its start that a
// guest may have written. Address space into which an image was mapped is not reused.
func (s *System) give(space []byte, written uint64, hadImage bool) {
	// Address space without writes is not kept, because it is cheap to reserve again.
	if !hadImage && written > 0 && written <= maxSpareEach && s.keep(space, written) {
		return
	}
	if written <= maxSpareEach || !s.freeLater(space) {
		unreserve(space)
	}
}

// freeLater frees a large memory on another goroutine, so that the caller does not wait. It returns
// false if the System is closed.
func (s *System) freeLater(space []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.freeing.Go(func() { unreserve(space) })
	}
	return !s.closed
}

func (s *System) keep(space []byte, written uint64) bool {
	s.scanner.zero(space[:written]) // at once, so that nothing of a guest stays
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.bytes+written > maxSpare {
		return false
	}
	s.bytes += written
	s.spare = append(s.spare, spareSpace{space, written})
	return true
}

// Close returns the spare address space to the kernel. Memory that is freed later is returned at
// once.
func (s *System) Close() {
	defer s.freeing.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, k := range s.spare {
		unreserve(k.space)
	}
	s.spare, s.bytes = nil, 0
	s.scanner.close()
}
