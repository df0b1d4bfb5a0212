//go:build !race

package engine

// raced is true if the race detector is on, which multiplies the memory of the process.
const raced = false
