// Package filehash computes a short hash of a file's content. A caller passes the hash back to
// prove which content it has read.
package filehash

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"

	"github.com/wasmtool/wasmtool/guest/digest"
)

// Length is the number of hexadecimal digits of the SHA-256 that are used: enough to detect a
// changed file, and short enough for a model to repeat.
const Length = 16

// MaxSize is the size in bytes of the largest file that gets a hash. edit has the same limit.
const MaxSize = 10 << 20

// Of returns the hash of data.
func Of(data []byte) string {
	sum := digest.SHA256(data)
	return hex.EncodeToString(sum[:])[:Length]
}

// maxHeld limits the bytes that a Hash collects to hash them in one host call.
const maxHeld = 1 << 20

// Hash computes the hash of the bytes that are written to it. The zero value is ready to use.
type Hash struct {
	held []byte
	long hash.Hash // for contents longer than maxHeld
}

// Write never fails.
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

// Text returns the hash of the bytes written so far.
func (h *Hash) Text() string {
	if h.long == nil {
		return Of(h.held)
	}
	return hex.EncodeToString(h.long.Sum(nil))[:Length]
}

// Check returns an error unless the parameter want is empty or the hash of data. The parameter want
// is the caller's file_hash, and data is the content of the file called shown. Check rejects a
// longer prefix of the SHA-256, so that each content has only one valid hash.
func Check(want, shown string, data []byte) error {
	if want == "" {
		return nil
	}
	have := Of(data)
	switch {
	case strings.EqualFold(want, have):
		return nil
	case len(want) != Length:
		return fmt.Errorf("file_hash has %d characters; pass the %d characters that read returns, or omit it", len(want), Length)
	}
	return fmt.Errorf("file_hash: %s has changed, and its hash is now %s; read it again and repeat the change on its new content", shown, have)
}
