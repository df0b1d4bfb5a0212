package approvals

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/wasmtool/wasmtool/internal/recordfile"
)

// Key is what an approval is bound to. Two keys are equal if and only if the tool,
// the arguments and the grant are. The zero value is bound to nothing and is refused.
type Key struct {
	// Digest is the tool's digest as the host computed it.
	Digest string `json:"digest"`
	// Arguments is the SHA-256 of the arguments in hexadecimal.
	Arguments string `json:"arguments"`
	// Grant is the SHA-256 of the words of the grant in hexadecimal.
	Grant string `json:"grant"`
}

// NewKey returns the key of a call: the tool's digest, the arguments as canonical JSON,
// and the words of the grant in any order. Arguments that mean the same in another
// spelling have another key, which costs no more than a question.
func NewKey(digest string, arguments []byte, grant []string) Key {
	words := slices.Clone(grant)
	slices.Sort(words)
	sum := sha256.Sum256(arguments)
	return Key{Digest: digest, Arguments: hex.EncodeToString(sum[:]), Grant: recordfile.Hash(slices.Compact(words)...)}
}

// NewPatternKey returns the key of a yes to the commands of scripts that fit a pattern, in
// the place of arguments. No arguments have the same key, since they are a JSON object.
func NewPatternKey(digest, pattern string, grant []string) Key {
	return NewKey(digest, []byte("pattern "+pattern), grant)
}

func isHash(s string) bool {
	raw, err := hex.DecodeString(s)
	return err == nil && len(raw) == sha256.Size
}
