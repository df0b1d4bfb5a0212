//go:build !race

package attack

// raced says that the race detector is on, under which compiling takes far longer.
const raced = false
