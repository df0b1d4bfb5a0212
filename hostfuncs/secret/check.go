package secret

import (
	"errors"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// MaxBytes is the most bytes of a value in a request.
const MaxBytes = 8 << 10

// MaxForm is the most bytes of such a value in one of the forms that a Scrubber hides: in
// base64 of four characters for three bytes, each an escape of six bytes with two line
// ends after it that are such escapes as well.
const MaxForm = (MaxBytes + 2) / 3 * 4 * (6 + 2*6)

// check says whether value can be put into a request as use says.
func check(value string, use capability.SecretUse) error {
	switch {
	case value == "":
		return errors.New("is empty; give it a value")
	case len(value) > MaxBytes:
		return errors.New("is longer than 8 KiB; no server takes that in a request")
	case strings.ContainsFunc(value, control):
		return errors.New("holds a control character, such as a line break; take it out")
	case use.Header != "" && strings.Trim(value, " ") != value:
		return errors.New("begins or ends with a space, which a header would lose; take it out")
	case use.Basic && strings.IndexByte(value, ':') <= 0:
		return errors.New(`is not "user:password", as basic authentication needs; write it so`)
	}
	return nil
}

func control(r rune) bool { return r < ' ' || r == 0x7f }
