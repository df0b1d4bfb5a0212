//go:build !race

package compilechild

// shadowed is how many times as much memory the kernel counts as the program uses.
const shadowed = 1
