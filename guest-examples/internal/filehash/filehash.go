// Package filehash gives the short name of a file's content by which a caller
// says what it has seen.
package filehash

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"

	"github.com/wasmtool/wasmtool/guest/digest"
)

// Length is how many hexadecimal digits of the SHA-256 are taken: enough to tell
// a file that changed, short enough to be repeated by a model.
const Length = 16

// MaxSize is the greatest size in bytes of a file that has a hash: what edit takes.
const MaxSize = 10 << 20

// Of returns the hash of a content.
func Of(data []byte) string {
	sum := digest.SHA256(data)
	return hex.EncodeToString(sum[:])[:Length]
}

// maxHeld is how much of a content a Hash holds, in bytes, for the host to take all at once.
const maxHeld = 1 << 20

// Hash works out the hash of a content that is written to it. The zero value is ready.
type Hash struct {
	held []byte
	long hash.Hash // of contents longer than maxHeld
}

// Write takes all of data.
func (h *Hash) Write(data []byte) (int, error) {
	if h.long == nil && len(h.held)+len(data) > maxHeld {
		h.long = sha256.New()
		h.long.Write(h.held)
		h.held = nil
	}
	if h.long != nil {
		return h.long.Write(data)
	}
	h.held = append(h.held, data...)
	return len(data), nil
}

// Text returns the hash of what was written.
func (h *Hash) Text() string {
	if h.long == nil {
		return Of(h.held)
	}
	return hex.EncodeToString(h.long.Sum(nil))[:Length]
}

// Check reports an error unless want, which the caller gave as file_hash, is
// empty or the hash of data, the content of the file called shown. A longer form,
// up to the whole SHA-256, is not taken: there is one form of it.
func Check(want, shown string, data []byte) error {
	if want == "" {
		return nil
	}
	have := Of(data)
	switch {
	case strings.EqualFold(want, have):
		return nil
	case len(want) != Length:
		return fmt.Errorf("file_hash has %d characters; give the %d that read tells, or leave it out", len(want), Length)
	}
	return fmt.Errorf("file_hash: %s is not what it was, its hash is %s now; read it again and repeat the change on what it holds", shown, have)
}
