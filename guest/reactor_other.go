//go:build !wasip1

package guest

// serveCall has no effect here, because reactors exist only on wasip1.
func serveCall(func(streams) int) bool { return false }
