//go:build !race

package rewrite

// corpusStep is every how many modules of the corpus are run: all of them.
const corpusStep = 1
