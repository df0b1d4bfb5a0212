//go:build !wasip1

package digest

import "crypto/sha256"

func sum(data []byte) [sha256.Size]byte { return sha256.Sum256(data) }
