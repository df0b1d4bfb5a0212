package policy

// Bounds on the work of one decision. A model writes the arguments, so it must not
// be able to make the host compare for minutes.
const (
	maxEffort    = 64 << 20 // bytes of text times the size of a pattern, about
	nodeCost     = 16       // of looking at one JSON value
	spellingCost = 32       // of finding the spellings of a path, for each byte
	maxPathBytes = 4096     // longer paths are opened by no system
)

// effort counts the work of one decision.
type effort struct{ left int }

// spend takes an amount off and reports whether there was enough.
func (e *effort) spend(n int) bool {
	if n < 0 || n > e.left {
		e.left = -1
		return false
	}
	e.left -= n
	return true
}

// exhausted reports whether a comparison was given up.
func (e *effort) exhausted() bool { return e.left < 0 }
