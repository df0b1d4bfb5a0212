//go:build race

package child

// shadowed is how many times as much memory the kernel counts as the program uses. The
// race detector keeps notes on all memory.
const shadowed = 4
