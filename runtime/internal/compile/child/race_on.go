//go:build race

package child

// shadowed is the factor by which the kernel counts more memory than the program uses. The race
// detector keeps shadow memory for all memory.
const shadowed = 4
