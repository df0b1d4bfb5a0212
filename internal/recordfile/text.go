package recordfile

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
)

// Printable writes what is not seen, or moves the cursor, as \u{...}: a name must
// neither act on a terminal nor pass for another.
func Printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsGraphic(r) && (r == ' ' || !unicode.IsSpace(r)) && r != unicode.ReplacementChar {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, `\u{%x}`, r)
	}
	return b.String()
}

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
