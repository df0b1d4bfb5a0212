//go:build !race

package rewrite

import "github.com/wasmtool/wasmtool/internal/testlevel"

// corpusStep is the distance between the modules of the corpus that tests use: 1, for all of them,
// in long tests, and otherwise 20.
var corpusStep = testlevel.Size(20, 1)
