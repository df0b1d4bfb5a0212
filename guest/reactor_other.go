//go:build !wasip1

package guest

// serveCall is for reactors, which exist on wasip1 alone.
func serveCall(func(streams) int) bool { return false }
