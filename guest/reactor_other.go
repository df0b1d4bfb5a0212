//go:build !wasip1

package guest

// serveCall is for reactors, which exist only on wasip1.
func serveCall(func(streams) int) bool { return false }
