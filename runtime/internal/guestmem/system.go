package guestmem

import "sync"

// Bounds on address space that is kept for the next guest: in all, and of one guest.
// Clearing it costs less than asking the kernel for new pages, up to a size.
const (
	maxKept     = 32 << 20
	maxKeptEach = 8 << 20
)

// System makes memories and keeps address space between them. Close it when the last
// memory is freed. It is safe for concurrent use.
type System struct {
	scanner scanner

	// freeing are those that give much memory back, which takes a while.
	freeing sync.WaitGroup

	mu     sync.Mutex
	kept   []keptSpace
	bytes  uint64
	closed bool
}

// keptSpace is cleared address space; the first bytes of it are resident.
type keptSpace struct {
	space    []byte
	resident uint64
}

// NewSystem returns a System.
func NewSystem() *System { return &System{} }

// New returns a memory of size 0.
func (s *System) New(o Options) *Memory { return &Memory{system: s, o: o} }

// take returns at least limit bytes of zeroes that nobody else has, or none where no
// address space can be had.
func (s *System) take(limit uint64) (space []byte, mapped bool) {
	s.mu.Lock()
	for i := len(s.kept) - 1; i >= 0; i-- {
		if k := s.kept[i]; uint64(len(k.space)) >= limit {
			s.kept = append(s.kept[:i], s.kept[i+1:]...)
			s.bytes -= k.resident
			s.mu.Unlock()
			return k.space, true
		}
	}
	s.mu.Unlock()
	space = reserve(limit)
	return space, space != nil
}

// give takes back address space that a guest wrote the first bytes of. What an image
// was mapped into is not used again.
func (s *System) give(space []byte, written uint64, hadImage bool) {
	// What nothing was written to costs next to nothing to reserve again.
	if !hadImage && written > 0 && written <= maxKeptEach && s.keep(space, written) {
		return
	}
	if written <= maxKeptEach || !s.freeLater(space) {
		unreserve(space)
	}
}

// freeLater gives much memory back without whoever made the call, unless the System is
// closed.
func (s *System) freeLater(space []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.freeing.Go(func() { unreserve(space) })
	}
	return !s.closed
}

func (s *System) keep(space []byte, written uint64) bool {
	clear(space[:written]) // at once: nothing of a guest stays
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.bytes+written > maxKept {
		return false
	}
	s.bytes += written
	s.kept = append(s.kept, keptSpace{space, written})
	return true
}

// Close gives what is kept back to the kernel, and what is freed later at once.
func (s *System) Close() {
	defer s.freeing.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, k := range s.kept {
		unreserve(k.space)
	}
	s.kept, s.bytes = nil, 0
	s.scanner.close()
}
