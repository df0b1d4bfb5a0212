//go:build race

package engine

// raced reports whether the race detector is on, with which the process takes several times the
// memory.
const raced = true
