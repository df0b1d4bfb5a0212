package filehash

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	// The output of: printf 'a\n' | sha256sum
	const hash = "87428fc522803d31"
	for want, wrong := range map[string]string{
		"":                    "",
		hash:                  "",
		strings.ToUpper(hash): "",
		"00000000000000ff":    "f has changed, and its hash is now " + hash,
		hash[:8]:              "file_hash has 8 characters; pass the 16 characters that read returns",
		hash + "065e7e8f":     "file_hash has 24 characters",
	} {
		err := Check(want, "f", []byte("a\n"))
		if wrong == "" && err != nil || wrong != "" && (err == nil || !strings.Contains(err.Error(), wrong)) {
			t.Errorf("%q: got %v, want %q", want, err, wrong)
		}
	}
}

// The hash does not depend on how a content is split between writes.
func TestHash(t *testing.T) {
	for _, size := range []int{0, 1, 64, maxHeld - 1, maxHeld, maxHeld + 1, 2*maxHeld + 5} {
		data := bytes.Repeat([]byte("some text\n"), size/10+1)[:size]
		sum := sha256.Sum256(data)
		want := hex.EncodeToString(sum[:])[:Length]
		for _, piece := range []int{1000, 64 << 10, size + 1} {
			var h Hash
			for rest := data; len(rest) > 0; rest = rest[min(len(rest), piece):] {
				h.Write(rest[:min(len(rest), piece)])
			}
			if got := h.Text(); got != want || Of(data) != want {
				t.Errorf("%d bytes in pieces of %d: got %s and %s, want %s", size, piece, got, Of(data), want)
			}
		}
	}
}
