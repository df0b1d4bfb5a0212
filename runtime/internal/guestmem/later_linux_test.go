package guestmem

import "testing"

// Memory with many written pages is freed, at the latest when the System is closed.
func TestLargeMemoryIsGivenBack(t *testing.T) {
	const size, guests = 64 << 20, 8
	s := NewSystem()
	before := addressSpace(t)
	for range guests {
		g := newGuest(t, s, Options{Limit: size}, size)
		g.mem[size-1] = 1
		g.m.Free()
	}
	s.Close()
	if after := addressSpace(t); after > before+size {
		t.Errorf("%d bytes of address space before, %d after %d guests of %d", before, after, guests, size)
	}
	// A memory that is freed after Close is also returned.
	late := newGuest(t, s, Options{Limit: size}, size)
	late.m.Free()
	if after := addressSpace(t); after > before+size {
		t.Errorf("%d bytes of address space before, %d after a late one", before, after)
	}
}
