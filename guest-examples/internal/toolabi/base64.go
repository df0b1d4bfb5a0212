package toolabi

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// DecodeBase64 decodes either alphabet, with or without padding, and ignores the white space with
// which people break long lines.
func DecodeBase64(text string) ([]byte, error) {
	text = strings.NewReplacer("+", "-", "/", "_").Replace(strings.Join(strings.Fields(text), ""))
	content, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	var corrupt base64.CorruptInputError
	if errors.As(err, &corrupt) {
		return nil, fmt.Errorf("character %d is not valid Base64", int64(corrupt)+1)
	}
	return content, err
}
