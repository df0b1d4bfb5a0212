// Package digest computes digests in the host. The host needs a fiftieth of the time that package
// crypto/sha256 needs in a guest. It needs no permission. On systems other than wasip1 it uses
// crypto/sha256.
package digest

import "crypto/sha256"

// SHA256 returns the SHA-256 digest of data.
func SHA256(data []byte) [sha256.Size]byte { return sum(data) }
