//go:build race

package rewrite

// corpusStep makes tests use only every 20th module of the corpus, because the race detector makes
// an engine twenty times slower.
const corpusStep = 20
