//go:build !race

package child

// shadowed is how many times as much memory the kernel counts as the program uses.
const shadowed = 1
