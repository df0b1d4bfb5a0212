//go:build !race

package rewrite

import "github.com/wasmtool/wasmtool/internal/testlevel"

// corpusStep is every how many modules of the corpus are run: all of them in long tests.
var corpusStep = testlevel.Size(20, 1)
