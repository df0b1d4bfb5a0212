package policy

// Limits on the work of one decision. A model writes the arguments, so it must not be able to make
// the host compare for minutes.
const (
	maxEffort    = 64 << 20 // roughly, bytes of text times bytes of a pattern
	nodeCost     = 16       // effort of visiting one JSON value
	spellingCost = 32       // effort of finding the spellings of a path, per byte
	maxPathBytes = 4096     // no system opens longer paths
)

// effort is the remaining work of one decision.
type effort struct {
	left int
	// directory is the working directory of the call, absolute and cleaned; "" means Config.Base.
	directory string
}

// spend subtracts an amount and reports whether enough was left.
func (e *effort) spend(n int) bool {
	if n < 0 || n > e.left {
		e.left = -1
		return false
	}
	e.left -= n
	return true
}

// exhausted reports whether a comparison was abandoned.
func (e *effort) exhausted() bool { return e.left < 0 }
