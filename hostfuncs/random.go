package hostfuncs

import (
	"encoding/binary"
	"math/rand/v2"
)

// fixedRandom is the stream that a guest reads if real randomness is not granted. It contains the
// same bytes in every call, so that equal calls give equal results. It must not be used for
// secrets: a tool that generates secrets needs a grant of real randomness. It is not safe for
// concurrent use.
type fixedRandom struct {
	// seed chooses the stream; 0 is the stream of calls without real randomness.
	seed uint64
	// state is the position at which the stream continues; nil is the beginning. The source is
	// created by the first read, because most guests never read.
	state  []byte
	source *rand.ChaCha8
}

// Read fills p and never fails.
func (r *fixedRandom) Read(p []byte) (int, error) {
	if r.source == nil {
		key := [32]byte([]byte("wasmtool: no randomness granted."))
		if r.seed != 0 {
			binary.LittleEndian.PutUint64(key[:], r.seed)
		}
		r.source = rand.NewChaCha8(key)
		if r.state != nil {
			// The state comes from mark, so UnmarshalBinary cannot fail.
			_ = r.source.UnmarshalBinary(r.state)
		}
	}
	return r.source.Read(p)
}

// mark returns the position of the stream.
func (r *fixedRandom) mark() []byte {
	if r.source == nil {
		return r.state
	}
	state, _ := r.source.MarshalBinary() // never fails
	return state
}

// resume continues the stream from the position that mark returned.
func (r *fixedRandom) resume(state []byte) { r.state, r.source = state, nil }
