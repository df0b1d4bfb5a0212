//go:build race

package attack

// raced is true if the race detector is on, which makes compiling far slower.
const raced = true
