package toolabi

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// DecodeBase64 reads either alphabet, with padding or without, and with the
// white space that people break long lines with.
func DecodeBase64(text string) ([]byte, error) {
	text = strings.NewReplacer("+", "-", "/", "_").Replace(strings.Join(strings.Fields(text), ""))
	content, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	var corrupt base64.CorruptInputError
	if errors.As(err, &corrupt) {
		return nil, fmt.Errorf("character %d is wrong there", int64(corrupt)+1)
	}
	return content, err
}
