package guestmem

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Address space is reused, the most recently freed first, up to a limit.
func TestAddressSpaceIsReused(t *testing.T) {
	s := newSystem(t)
	use := func(limit, size uint64) *byte {
		g := newGuest(t, s, Options{Limit: limit}, size)
		requireZero(t, g.mem, "new memory")
		fill(g.mem, 1)
		at := &g.mem[0]
		g.m.Free()
		return at
	}
	first := use(4*PageSize, PageSize)
	if again := use(3*PageSize, 2*PageSize); again != first {
		t.Error("address space that was enough was not used again")
	}
	if s.bytes != 2*PageSize {
		t.Errorf("%d bytes are resident in what is kept, want %d", s.bytes, 2*PageSize)
	}
	if other := use(5*PageSize, PageSize); other == first {
		t.Error("address space that is too small was used again")
	}
	if got := len(s.spare); got != 2 {
		t.Errorf("%d spaces are kept, want 2", got)
	}
}

// The spare address space is limited, for one guest and in total.
func TestSpareAddressSpaceIsLimited(t *testing.T) {
	s := newSystem(t)
	var all []*guest
	const size = maxSpareEach
	for range maxSpare/size + 3 {
		g := newGuest(t, s, Options{Limit: 2 * size}, size)
		g.mem[size-1] = 1
		all = append(all, g)
	}
	large := newGuest(t, s, Options{Limit: 2 * size}, size+PageSize)
	large.m.Free()
	if len(s.spare) != 0 {
		t.Error("the space of a guest that wrote much is kept")
	}
	for _, g := range all {
		g.m.Free()
	}
	if s.bytes > maxSpare || len(s.spare) != maxSpare/size {
		t.Errorf("%d spaces of %d bytes are kept, the bound is %d", len(s.spare), s.bytes, maxSpare)
	}
	for _, k := range s.spare {
		requireZero(t, k.space[:size], "what is kept")
	}
}

// The number of spare spaces is limited, even if the limits of guests are large and guests write
// little. Address space and mappings can run out.
func TestNumberOfSpareSpacesIsLimited(t *testing.T) {
	const guests = maxSpare/PageSize + 50
	for size, want := range map[uint64]int{0: 0, PageSize: maxSpare / PageSize} {
		s := newSystem(t)
		for n := range uint64(guests) {
			// Each limit is larger than all earlier limits, so that no space is reused.
			newGuest(t, s, Options{Limit: (n + 1) * PageSize}, size).m.Free()
		}
		if got := len(s.spare); got != want {
			t.Errorf("%d spaces are kept of %d guests of %d bytes, want %d", got, guests, size, want)
		}
	}
}

// What a guest wrote is cleared before its space is kept, and pages that it never touched get no
// memory by that.
func TestOnlyWrittenPagesAreCleared(t *testing.T) {
	const size = 64 * PageSize
	s := systemFor(t, false)
	g := newGuest(t, s, Options{Limit: size}, size)
	for _, at := range []int{0, 5 * block, size - 1} {
		g.mem[at] = 1
	}
	g.m.Free()
	space := s.spare[0].space[:size]
	resident, err := s.scanner.each(space, func(uint64, uint64) {})
	if err != nil || resident != 3*block {
		t.Errorf("%d bytes are resident, want %d (%v)", resident, 3*block, err)
	}
	requireZero(t, space, "what is kept")
}

// Address space into which an image was mapped would show the image to the next guest.
func TestSpaceOfImageIsNotReused(t *testing.T) {
	s := newSystem(t)
	g := newGuest(t, s, Options{Limit: 2 * PageSize}, PageSize)
	fill(g.mem, 1)
	image, err := g.m.Save(nil)
	if err != nil {
		t.Fatal(err)
	}
	image.Release()
	g.m.Free()
	if len(s.spare) != 0 {
		t.Error("it is kept")
	}
}

// Close returns spare address space. After Close, freed memory is not kept as spare.
func TestCloseReturnsSpareAddressSpace(t *testing.T) {
	s := NewSystem()
	late := newGuest(t, s, Options{Limit: PageSize}, PageSize)
	newGuest(t, s, Options{Limit: PageSize}, PageSize).m.Free()
	if len(s.spare) != 1 {
		t.Fatalf("%d spaces are kept", len(s.spare))
	}
	s.Close()
	late.m.Free()
	s.Close()
	if len(s.spare) != 0 || s.bytes != 0 {
		t.Errorf("%d spaces of %d bytes are kept", len(s.spare), s.bytes)
	}
	if s.scanner.works() {
		t.Error("the scanner still works")
	}
}

// A memory that outlives the scanner is restored without the scanner.
func TestRestoreWorksAfterClose(t *testing.T) {
	s := NewSystem()
	g := newGuest(t, s, Options{Limit: 4 << 20}, 2<<20)
	fill(g.mem, 1)
	image, err := g.m.Save(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer image.Release()
	s.Close()
	g.grow(1)
	fill(g.mem, 4)
	if err := g.m.Restore(func() bool { return g.grow(1) }); err != nil {
		t.Fatal(err)
	}
	if len(g.mem) != 2<<20 || g.mem[0] != 1 || g.mem[2<<20-1] != 1 {
		t.Error("the memory differs from the image")
	}
	g.grow(1)
	requireZero(t, g.mem[2<<20:], "memory that is new")
}

// The address space of guests is returned to the kernel, with an image or without.
func TestAddressSpaceDoesNotLeak(t *testing.T) {
	const limit, guests = 1 << 30, 64
	s := NewSystem()
	before := addressSpace(t)
	for n := range guests {
		g := newGuest(t, s, Options{Limit: limit}, PageSize)
		if n%2 == 0 {
			image, err := g.m.Save(nil)
			if err != nil {
				t.Fatal(err)
			}
			image.Release()
		}
		g.m.Free()
	}
	s.Close()
	if after := addressSpace(t); after > before+guests/4*limit {
		t.Errorf("%d bytes of address space before, %d after %d guests of %d", before, after, guests, limit)
	}
}

// addressSpace returns the size of this process's address space in bytes.
func addressSpace(t testing.TB) uint64 {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmSize:")
	kib, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, err := strconv.ParseUint(kib, 10, 64)
	if err != nil {
		t.Fatalf("%v in %q", err, status)
	}
	return n << 10
}

// Several memories of one system may be used concurrently.
func TestSystemServesConcurrentMemories(t *testing.T) {
	s := newSystem(t)
	first := newGuest(t, s, Options{Limit: 4 << 20}, 1<<20)
	fill(first.mem, 1)
	image, err := first.m.Save(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer image.Release()
	want := bytes.Clone(first.mem)
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for range 20 {
				m := s.New(Options{Limit: 4 << 20})
				g := &guest{m: m, mem: m.Reallocate(1 << 20)}
				copy(g.mem, want)
				if equal, err := m.Adopt(image); !equal || err != nil {
					t.Errorf("%v, %v", equal, err)
				}
				for range 5 {
					g.grow(1)
					for at := n * block; at < len(g.mem); at += 7 * block {
						g.mem[at] = byte(n)
					}
					if err := m.Restore(func() bool { return g.grow(1) }); err != nil {
						t.Error(err)
					}
					if !bytes.Equal(g.mem, want) {
						t.Error("the memory differs from the image")
					}
				}
				m.Free()
			}
		})
	}
	wg.Wait()
}
