package filehash

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	// printf 'a\n' | sha256sum
	const hash = "87428fc522803d31"
	for want, wrong := range map[string]string{
		"":                    "",
		hash:                  "",
		strings.ToUpper(hash): "",
		"00000000000000ff":    "f is not what it was, its hash is " + hash + " now",
		hash[:8]:              "file_hash has 8 characters; give the 16 that read tells",
		hash + "065e7e8f":     "file_hash has 24 characters",
	} {
		err := Check(want, "f", []byte("a\n"))
		if wrong == "" && err != nil || wrong != "" && (err == nil || !strings.Contains(err.Error(), wrong)) {
			t.Errorf("%q: got %v, want %q", want, err, wrong)
		}
	}
}
