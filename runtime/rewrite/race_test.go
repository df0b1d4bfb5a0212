//go:build race

package rewrite

// corpusStep selects every nth module of the corpus, because the race detector makes an engine
// twenty times slower.
const corpusStep = 20
