package guestmem

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// ways lists the ways to restore a memory. Pages that were swapped out are not covered, because a
// test cannot make the kernel swap.
var ways = []struct {
	name string
	size uint64 // size of the image
	// blind simulates a kernel that cannot report written pages.
	blind bool
}{
	{"a small image is copied whole", 2 * PageSize, false},
	{"the largest image that is copied whole", copyWhole, false},
	{"the smallest image whose written pages are searched", copyWhole + PageSize, false},
	{"a large image", 6 << 20, false},
	{"blind, copied whole", copyBlind, true},
	{"blind, pages dropped", copyBlind + PageSize, true},
}

func systemFor(t *testing.T, blind bool) *System {
	t.Helper()
	s := newSystem(t)
	switch {
	case blind:
		s.scanner.once.Do(func() {}) // as if the check of the kernel had failed
	case !s.scanner.works():
		t.Skip("the kernel cannot report which pages were written")
	}
	return s
}

// scribble writes to b as guests do: at a few places, to every second page, or to all bytes.
func scribble(r *rand.Rand, b []byte) {
	switch r.IntN(8) {
	case 0:
		fill(b, byte(r.Uint32()))
	case 1, 2:
		// This writes more separate runs of pages than one call of the kernel can report.
		for at := 0; at < len(b); at += 2 * block {
			b[at]++
		}
	case 3:
		from := r.IntN(len(b))
		fill(b[from:from+r.IntN(len(b)-from)+1], byte(r.Uint32()))
	default:
		for range r.IntN(50) {
			b[r.IntN(len(b))]++
		}
		b[0], b[len(b)-1] = b[0]+1, b[len(b)-1]+1
	}
}

// TestRestoreRestoresImage compares memory with a plain slice through random operations.
func TestRestoreRestoresImage(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			var counted int64
			s := systemFor(t, way.blind)
			g := newGuest(t, s, Options{Limit: 16 << 20, Account: func(delta int64) bool {
				counted += delta
				return true
			}}, way.size)
			r := rand.New(rand.NewPCG(1, way.size))
			scribble(r, g.mem)
			clear(g.mem[way.size/2 : way.size/2+way.size/4]) // zeros, because images have holes
			image, err := g.m.Save(nil)
			if err != nil {
				t.Fatal(err)
			}
			defer image.Release()
			want := bytes.Clone(g.mem)
			model := bytes.Clone(g.mem)
			check := func(what string) {
				t.Helper()
				if !bytes.Equal(g.mem, model) || g.m.Size() != uint64(len(model)) || counted != int64(len(model)) {
					t.Fatalf("%s: the memory differs from the slice; %d bytes, %d are counted, want %d",
						what, g.m.Size(), counted, len(model))
				}
			}
			check("after saving")
			for range testlevel.Size(50, 150) {
				switch r.IntN(4) {
				case 0:
					pages := 1 + r.Uint64N(4)
					if r.IntN(10) == 0 {
						pages = maxKeptPages/PageSize + 1
					}
					grown := g.grow(pages)
					if fits := uint64(len(model))+pages*PageSize <= 16<<20; grown != fits {
						t.Fatalf("growing %d bytes by %d pages: %v", len(model), pages, grown)
					}
					if grown {
						model = append(model, make([]byte, pages*PageSize)...)
						check("after growing")
					}
				case 1:
					// The memory and the plain slice get the same writes, from random streams with
					// equal seeds.
					seed := r.Uint64()
					scribble(rand.New(rand.NewPCG(seed, 2)), g.mem)
					scribble(rand.New(rand.NewPCG(seed, 2)), model)
				default:
					if err := g.m.Restore(func() bool { return g.grow(1) }); err != nil {
						t.Fatal(err)
					}
					model = bytes.Clone(want)
					check("after taking back")
					if g.m.Refused() {
						t.Fatal("a restored memory reports refused growth")
					}
					if r.IntN(10) == 0 {
						if err := g.m.Trim(); err != nil || g.m.Private() != 0 {
							t.Fatalf("trimming: %v; %d bytes are private", err, g.m.Private())
						}
						check("after trimming")
					}
				}
			}
			g.m.Free()
			if counted != 0 {
				t.Errorf("%d bytes are counted after the memory was freed", counted)
			}
		})
	}
}

// Restoring does not change a memory without writes, and Private reports the pages that were
// written.
func TestPrivateCountsWrittenPages(t *testing.T) {
	const size = 1 << 20
	g := newGuest(t, systemFor(t, false), Options{Limit: size}, size)
	fill(g.mem, 9)
	image, err := g.m.Save(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer image.Release()
	restore := func() uint64 {
		t.Helper()
		if err := g.m.Restore(nil); err != nil {
			t.Fatal(err)
		}
		return g.m.Private()
	}
	if got := restore(); got != 0 {
		t.Errorf("nothing was written, %d bytes are private", got)
	}
	for page := range 10 {
		g.mem[page*3*block]++
	}
	if got := restore(); got != 10*block {
		t.Errorf("10 pages were written, %d bytes are private", got)
	}
	if got := restore(); got != 10*block {
		t.Errorf("the pages stay, %d bytes are private", got)
	}
	if err := g.m.Trim(); err != nil {
		t.Fatal(err)
	}
	if got := restore(); got != 0 {
		t.Errorf("all was given back, %d bytes are private", got)
	}
}

// Pages that calls write stay. Pages that no call writes again are given back after some time, both
// in the image and after its end.
func TestStalePagesAreGivenBack(t *testing.T) {
	const size = 1 << 20
	for _, tt := range []struct{ always, once, after int }{
		{always: 3},
		{always: 3, once: 8, after: 4}, // with 8 pages, 128 restores copy 4 MiB without need
		{once: 64},
		{once: 64, after: 64},
	} {
		g := newGuest(t, systemFor(t, false), Options{Limit: 2 * size}, size)
		fill(g.mem, 6)
		image, err := g.m.Save(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer image.Release()
		want := bytes.Clone(g.mem)
		stale := uint64(tt.once+tt.after) * block
		given := 0 // the restore that gave the pages back
		for n := 1; n <= 4*trimStale/block/sampleEvery && given == 0; n++ {
			g.grow(size / PageSize)
			written := tt.always
			if n == 1 {
				written += tt.once
				for page := range tt.after {
					g.mem[size+page*block] = 1
				}
			}
			for page := range written {
				g.mem[page*block]++
			}
			if err := g.m.Restore(func() bool { return g.grow(1) }); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(g.mem, want) {
				t.Fatalf("%+v: after %d restores the memory differs from the image", tt, n)
			}
			if g.m.Private() == 0 {
				given = n
			}
		}
		switch {
		case stale == 0 && given != 0:
			t.Errorf("%+v: the pages were given back after %d restores", tt, given)
		case stale > 0 && (given < sampleEvery || given > int(trimStale/stale)+sampleEvery):
			t.Errorf("%+v: the pages were given back after %d restores", tt, given)
		}
		g.grow(size / PageSize)
		requireZero(t, g.mem[size:], "memory that is new")
	}
}

// A guest that wrote many pages gives them back at the next restore.
func TestManyPagesAreGivenBack(t *testing.T) {
	const size = 2 * maxKeptPages
	g := newGuest(t, systemFor(t, false), Options{Limit: size}, size)
	image, err := g.m.Save(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer image.Release()
	fill(g.mem, 1)
	if err := g.m.Restore(nil); err != nil {
		t.Fatal(err)
	}
	if got := g.m.Private(); got != 0 {
		t.Errorf("%d bytes are private", got)
	}
	requireZero(t, g.mem, "what was taken back")
}

// If the engine cannot shrink a memory, Restore returns an error, and the memory must not be used.
func TestRefusedShrinkIsAnError(t *testing.T) {
	g := newGuest(t, newSystem(t), Options{Limit: 4 * PageSize}, PageSize)
	image, err := g.m.Save(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer image.Release()
	g.grow(1)
	if err := g.m.Restore(func() bool { return false }); !errors.Is(err, errGrown) {
		t.Errorf("got %v", err)
	}
}

// A restored memory still refuses growth beyond its limit.
func TestRestoredMemoryKeepsItsLimit(t *testing.T) {
	g := newGuest(t, newSystem(t), Options{Limit: 3 * PageSize}, PageSize)
	image, err := g.m.Save(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer image.Release()
	for range 3 {
		if !g.grow(2) || g.grow(1) || !g.m.Refused() {
			t.Fatal("the limit does not hold")
		}
		if err := g.m.Restore(func() bool { return g.grow(1) }); err != nil {
			t.Fatal(err)
		}
	}
}

// Only a memory equal to an image can adopt it.
func TestAdoptIsForEqualMemory(t *testing.T) {
	s := newSystem(t)
	save := func(with byte, pages uint64) *guest {
		g := newGuest(t, s, Options{Limit: 4 * PageSize}, pages*PageSize)
		g.mem[5000] = with
		return g
	}
	first := save(7, 2)
	image, err := first.m.Save(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer image.Release()
	for name, other := range map[string]*guest{"another byte": save(8, 2), "a smaller one": save(7, 1), "a larger one": save(7, 3)} {
		before := bytes.Clone(other.mem)
		if equal, err := other.m.Adopt(image); equal || err != nil {
			t.Errorf("%s: %v, %v", name, equal, err)
		}
		if !bytes.Equal(other.mem, before) {
			t.Errorf("%s: the memory changed", name)
		}
	}
	if equal, err := save(7, 2).m.Adopt(image); !equal || err != nil {
		t.Errorf("an equal memory: %v, %v", equal, err)
	}
}

// A cleared memory is like a new one, regardless of what was done to it before.
func TestClearedMemoryIsZero(t *testing.T) {
	for _, size := range []uint64{0, PageSize} {
		for _, grown := range []uint64{2 * PageSize, copyWhole + PageSize, 6 << 20} {
			var counted int64
			m := systemFor(t, false).New(Options{Limit: 8 << 20, Account: func(delta int64) bool { counted += delta; return true }})
			m.Reallocate(size)
			for range 3 {
				fill(m.Reallocate(grown), 1)
				if m.Reallocate(9<<20) != nil || !m.Refused() {
					t.Error("a growth beyond the limit is not refused")
				}
				if err := m.Clear(size, func() bool { return m.Reallocate(m.Size()+PageSize) != nil }); err != nil {
					t.Fatal(err)
				}
				if m.Size() != size || counted != int64(size) || m.Refused() {
					t.Errorf("%d bytes of %d are left, %d are counted, refused: %v", m.Size(), size, counted, m.Refused())
				}
				if again := m.Reallocate(grown); bytes.ContainsFunc(again, func(r rune) bool { return r != 0 }) {
					t.Error("what was written is still there")
				}
			}
			if err := m.Clear(size, func() bool { return false }); !errors.Is(err, errGrown) {
				t.Errorf("a memory that cannot shrink: %v", err)
			}
			m.Free()
		}
	}
}
