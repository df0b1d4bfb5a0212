package hostfuncs

import "math/rand/v2"

// fixedRandom is the stream that a guest reads when real randomness was not granted:
// the same bytes in every call, so that equal calls give equal results. It is no
// source of secrets, which is why random must be granted. It is for one guest, whose
// reads come one after the other.
type fixedRandom struct {
	// state is where the stream goes on, nil for its beginning. Most guests read
	// nothing, so the source is only made when one does.
	state  []byte
	source *rand.ChaCha8
}

// Read fills p and never fails.
func (r *fixedRandom) Read(p []byte) (int, error) {
	if r.source == nil {
		r.source = rand.NewChaCha8([32]byte([]byte("wasmtool: no randomness granted.")))
		if r.state != nil {
			// The state is one that mark returned, so this cannot fail.
			_ = r.source.UnmarshalBinary(r.state)
		}
	}
	return r.source.Read(p)
}

// mark returns where the stream stands.
func (r *fixedRandom) mark() []byte {
	if r.source == nil {
		return r.state
	}
	state, _ := r.source.MarshalBinary() // it never fails
	return state
}

// resume makes the stream go on where mark was called.
func (r *fixedRandom) resume(state []byte) { r.state, r.source = state, nil }
