//go:build !race

package child

// shadowed is the factor by which the kernel counts more memory than the program uses.
const shadowed = 1
