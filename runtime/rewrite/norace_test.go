//go:build !race

package rewrite

import "github.com/wasmtool/wasmtool/internal/testlevel"

// corpusStep selects every nth module of the corpus; long tests run all.
var corpusStep = testlevel.Size(20, 1)
