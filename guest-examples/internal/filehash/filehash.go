// Package filehash gives the short name of a file's content by which a caller
// says what it has seen.
package filehash

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
)

// Length is how many hexadecimal digits of the SHA-256 are taken: enough to tell
// a file that changed, short enough to be repeated by a model.
const Length = 16

// MaxSize is the greatest size in bytes of a file that has a hash: what edit takes.
const MaxSize = 10 << 20

// New returns what the content is written to, for Text.
func New() hash.Hash { return sha256.New() }

// Text returns the hash of what was written to h.
func Text(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil))[:Length] }

// Of returns the hash of a content.
func Of(data []byte) string {
	h := New()
	h.Write(data) // a hash takes all
	return Text(h)
}

// Check reports an error unless want, which the caller gave as file_hash, is
// empty or the hash of data, the content of the file called shown. A longer form,
// up to the whole SHA-256, is not taken: there is one form of it.
func Check(want, shown string, data []byte) error {
	have := Of(data)
	switch {
	case want == "" || strings.EqualFold(want, have):
		return nil
	case len(want) != Length:
		return fmt.Errorf("file_hash has %d characters; give the %d that read tells, or leave it out", len(want), Length)
	}
	return fmt.Errorf("file_hash: %s is not what it was, its hash is %s now; read it again and repeat the change on what it holds", shown, have)
}
