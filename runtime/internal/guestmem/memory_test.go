package guestmem

import (
	"bytes"
	"testing"
)

// guest simulates the engine: it grows a memory page by page and keeps the last slice that it got.
type guest struct {
	m   *Memory
	mem []byte
}

func newGuest(t testing.TB, s *System, o Options, size uint64) *guest {
	t.Helper()
	g := &guest{m: s.New(o)}
	t.Cleanup(g.m.Free)
	if g.mem = g.m.Reallocate(size); uint64(len(g.mem)) != size {
		t.Fatalf("asked for %d bytes, got %d", size, len(g.mem))
	}
	return g
}

// grow requests more pages and reports whether it got them.
func (g *guest) grow(pages uint64) bool {
	b := g.m.Reallocate(uint64(len(g.mem)) + pages*PageSize)
	if b == nil {
		return false
	}
	g.mem = b
	return true
}

// newSystem returns a System, and closes it at the end of the test.
func newSystem(t testing.TB) *System {
	t.Helper()
	s := NewSystem()
	t.Cleanup(s.Close)
	return s
}

// fill makes every byte of b differ from zero.
func fill(b []byte, with byte) {
	b[0] = with | 1
	for done := 1; done < len(b); done *= 2 {
		copy(b[done:], b[:done])
	}
}

// requireZero fails the test unless b is zero.
func requireZero(t testing.TB, b []byte, what string) {
	t.Helper()
	if rest := bytes.TrimLeft(b, "\x00"); len(rest) > 0 {
		t.Fatalf("%s: byte %d of %d is %d, not zero", what, len(b)-len(rest), len(b), rest[0])
	}
}

// Memory keeps its contents when it grows, new bytes are zero, and it never exceeds its limit.
func TestMemoryGrowsUpToItsLimit(t *testing.T) {
	g := newGuest(t, newSystem(t), Options{Limit: 5 * PageSize}, PageSize)
	requireZero(t, g.mem, "new memory")
	fill(g.mem, 7)
	for g.grow(1) {
		size := len(g.mem)
		requireZero(t, g.mem[size-PageSize:], "a page that is new")
		fill(g.mem[size-PageSize:], 7)
	}
	if len(g.mem) != 5*PageSize || g.m.Size() != 5*PageSize {
		t.Errorf("grew to %d bytes, Size reports %d, the limit is %d", len(g.mem), g.m.Size(), 5*PageSize)
	}
	if i := bytes.IndexByte(g.mem, 0); i >= 0 {
		t.Errorf("byte %d was lost while the memory grew", i)
	}
	if cap(g.mem) != len(g.mem) {
		t.Errorf("the slice reaches %d bytes beyond the guest's memory", cap(g.mem)-len(g.mem))
	}
}

// A refusal changes only the result of Refused.
func TestMemoryReportsRefusedGrowth(t *testing.T) {
	for name, o := range map[string]Options{
		"by its limit": {Limit: 2 * PageSize},
		"by Account": {Limit: 8 * PageSize, Account: func(delta int64) bool {
			return delta <= PageSize
		}},
	} {
		g := newGuest(t, newSystem(t), o, PageSize)
		if g.m.Refused() {
			t.Errorf("%s: Refused reports true before any growth", name)
		}
		fill(g.mem, 3)
		if g.grow(2) {
			t.Errorf("%s: a growth by two pages was not refused", name)
		}
		if !g.m.Refused() || g.m.Size() != PageSize {
			t.Errorf("%s: refused: %v, %d bytes", name, g.m.Refused(), g.m.Size())
		}
		if !g.grow(1) || bytes.IndexByte(g.mem[:PageSize], 0) >= 0 {
			t.Errorf("%s: the memory is unusable after a refusal", name)
		}
	}
}

// Account is called once for each change, and after the memory is freed, the sum of all changes is
// 0.
func TestMemoryAccountsEveryChange(t *testing.T) {
	var total int64
	var asked []int64
	g := newGuest(t, newSystem(t), Options{Limit: 4 * PageSize, Account: func(delta int64) bool {
		asked = append(asked, delta)
		total += delta
		return true
	}}, PageSize)
	g.grow(2)
	g.grow(5) // beyond the limit: Account is not called
	if want := int64(3 * PageSize); total != want || len(asked) != 2 {
		t.Errorf("counted %d bytes by %v, want %d", total, asked, want)
	}
	g.m.Free()
	g.m.Free()
	if total != 0 {
		t.Errorf("%d bytes are still counted after the memory was freed", total)
	}
}

// Reused memory contains nothing that an earlier guest wrote.
func TestReusedMemoryIsZero(t *testing.T) {
	s := newSystem(t)
	for n := range 20 {
		g := newGuest(t, s, Options{Limit: 8 * PageSize}, PageSize)
		for g.grow(1) {
			size := len(g.mem)
			requireZero(t, g.mem[size-PageSize:], "a page that another guest had")
		}
		requireZero(t, g.mem, "memory that another guest had")
		fill(g.mem, byte(n))
		g.m.Free()
	}
}
