package hostfuncs

import (
	"io"
	"math/rand/v2"
)

// newFixedRandom returns the stream that a guest reads when real randomness was
// not granted: the same bytes in every call, so that equal calls give equal
// results. It is no source of secrets, which is why random must be granted.
func newFixedRandom() io.Reader {
	return rand.NewChaCha8([32]byte([]byte("wasmtool: no randomness granted.")))
}
