package guestfs

// Traces tells what a guest leaves behind in the engine's table of descriptors, where
// the next call of the same instance would find it. The zero value is for a new
// instance. The guest's own goroutine writes it; read it when no call runs.
type Traces struct {
	open   int  // files that the guest has opened and not closed
	listed bool // a preopen was listed, and the engine keeps what it showed
}

// Clean reports whether nothing is left behind.
func (t *Traces) Clean() bool { return t.open == 0 && !t.listed }
