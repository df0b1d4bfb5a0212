package hostfuncs

import (
	"crypto/rand"
	"time"
)

// Mark records the state of the clock and the randomness of a call. A guest that was saved after
// its start continues from the mark in every call that it serves. Its clock then does not go
// backwards, and it reads the same random numbers as a guest that was not saved. The zero value is
// the state at the start of a call.
type Mark struct {
	elapsed time.Duration
	random  []byte
}

// Mark returns the current state.
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

// Resume continues the clock and the randomness from a mark.
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

// FixedClock reports whether the clock is deterministic, and returns its start.
func (b *Bindings) FixedClock() (start time.Time, fixed bool) {
	c, fixed := b.Clock.(*fixedClock)
	if !fixed {
		return time.Time{}, false
	}
	return c.epoch(), true
}

// FixedRandom reports whether the randomness is a fixed stream, and returns the seed of the stream.
func (b *Bindings) FixedRandom() (seed uint64, fixed bool) {
	r, fixed := b.Random.(*fixedRandom)
	if !fixed {
		return 0, false
	}
	return r.seed, true
}

// MayHang reports whether the guest can reach anything that may block the host indefinitely: a file
// system, a server, a store, a listener, or a clock or randomness from another package. The
// parameter listens reports whether the guest has a function that calls listeners.
func (b *Bindings) MayHang(listens bool) bool {
	_, realTime := b.Clock.(*realClock)
	_, fixedTime := b.FixedClock()
	_, fixedRandom := b.FixedRandom()
	return len(b.Mounts) > 0 || b.HTTP != nil || b.Store != nil || b.tools.granted || listens && b.Messages.hasListener() || !realTime && !fixedTime || b.Random != rand.Reader && !fixedRandom
}
