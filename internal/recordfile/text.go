package recordfile

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Hash is the SHA-256 of texts with their lengths, in hexadecimal, so that no two lists
// run together.
func Hash(texts ...string) string {
	h := sha256.New()
	var length [8]byte
	for _, text := range texts {
		binary.BigEndian.PutUint64(length[:], uint64(len(text)))
		h.Write(length[:])
		h.Write([]byte(text))
	}
	return hex.EncodeToString(h.Sum(nil))
}
