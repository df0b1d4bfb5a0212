//go:build !race

package enginetest

// raced says that the race detector is on, which takes several times the memory.
const raced = false
