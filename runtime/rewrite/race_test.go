//go:build race

package rewrite

// corpusStep is every how many modules of the corpus are run: the race detector
// makes an engine twenty times slower.
const corpusStep = 20
