package hostfuncs

import (
	"crypto/rand"
	"time"
)

// Mark is where the clock and the randomness of a call stand. A guest that was saved
// after its start goes on from there in every call that it serves: its clock does not
// turn back, and it reads the numbers that a guest which starts anew would read. The
// zero value is the beginning.
type Mark struct {
	elapsed time.Duration
	random  []byte
}

// Mark returns where the call stands.
func (b *Bindings) Mark() Mark {
	var m Mark
	switch c := b.Clock.(type) {
	case *fixedClock:
		m.elapsed = c.advance(0)
	case *realClock:
		m.elapsed = c.Elapsed()
	}
	if r, ok := b.Random.(*fixedRandom); ok {
		m.random = r.mark()
	}
	return m
}

// Resume makes the clock and the randomness go on from a mark.
func (b *Bindings) Resume(m Mark) {
	switch c := b.Clock.(type) {
	case *fixedClock:
		c.set(m.elapsed)
	case *realClock:
		c.start = time.Now().Add(clockResolution - m.elapsed)
	}
	if r, ok := b.Random.(*fixedRandom); ok {
		r.resume(m.random)
	}
}

// FixedClock reports whether the clock is the deterministic one, and when it starts.
func (b *Bindings) FixedClock() (start time.Time, fixed bool) {
	c, fixed := b.Clock.(*fixedClock)
	if !fixed {
		return time.Time{}, false
	}
	return c.epoch(), true
}

// FixedRandom reports whether the randomness is the fixed stream.
func (b *Bindings) FixedRandom() bool {
	_, fixed := b.Random.(*fixedRandom)
	return fixed
}

// MayHang reports whether the guest can reach what can keep the host waiting for as
// long as it likes: a file system, a server, a store, somebody who listens, or a clock or
// randomness that is not of this package.
func (b *Bindings) MayHang() bool {
	_, realTime := b.Clock.(*realClock)
	_, fixedTime := b.FixedClock()
	return len(b.Mounts) > 0 || b.HTTP != nil || b.Store != nil || b.Messages.heard() || !realTime && !fixedTime || b.Random != rand.Reader && !b.FixedRandom()
}
