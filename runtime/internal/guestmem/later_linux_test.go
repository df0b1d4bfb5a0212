package guestmem

import "testing"

// Memory of which much was written is given back, at the latest with the System.
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
	// And one that comes later.
	late := newGuest(t, s, Options{Limit: size}, size)
	late.m.Free()
	if after := addressSpace(t); after > before+size {
		t.Errorf("%d bytes of address space before, %d after a late one", before, after)
	}
}
