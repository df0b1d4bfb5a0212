package guestfs

// Traces records what a guest leaves behind in the engine's descriptor table, where the next call
// of the instance would find it. The zero value is for a new instance. The guest's goroutine writes
// it; read it only when no call runs.
type Traces struct {
	open   int  // number of files that the guest opened and did not close
	listed bool // a preopen was listed, and the engine keeps the listing
}

// Clean reports whether nothing was left behind.
func (t *Traces) Clean() bool { return t.open == 0 && !t.listed }
