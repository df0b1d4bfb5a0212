// Package digest works out digests with the help of the host, in a fiftieth of the time that
// package crypto/sha256 takes in a guest. No permission is needed. Built for another system
// than wasip1, it is crypto/sha256.
package digest

import "crypto/sha256"

// SHA256 returns the SHA-256 of data.
func SHA256(data []byte) [sha256.Size]byte { return sum(data) }
