//go:build !race

package attack

// raced reports whether the race detector is on, with which compiling takes far longer.
const raced = false
