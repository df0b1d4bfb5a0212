package convert

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// maxDigits is how long a number in another base than ten may be: to bring it
// into base ten takes time by the square of that.
const maxDigits = 1000

// decimalForm is a number in base ten as YAML and TOML have it: sign, whole
// part, fraction and exponent.
var decimalForm = regexp.MustCompile(`^([-+]?)([0-9]*)(?:\.([0-9]*))?([eE][-+]?[0-9]+)?$`)

// decimal returns the number as JSON writes it, with all its digits. ok is false
// for what is no number in base ten.
func decimal(text string) (literal string, ok bool) {
	parts := decimalForm.FindStringSubmatch(text)
	if parts == nil || parts[2]+parts[3] == "" {
		return "", false
	}
	sign, whole, fraction, exponent := strings.TrimPrefix(parts[1], "+"), strings.TrimLeft(parts[2], "0"), parts[3], parts[4]
	if whole == "" {
		whole = "0"
	}
	literal = sign + whole
	if fraction != "" {
		literal += "." + fraction
	} else if strings.Contains(text, ".") {
		literal += ".0" // 1. stays a number with a point
	}
	return literal + exponent, true
}

// based returns the whole number text, which begins with 0x, 0o or 0b, in base ten.
func based(text string) (string, error) {
	if len(text) > maxDigits {
		return "", fmt.Errorf("the number %.20s… has more than %d digits", text, maxDigits)
	}
	n, ok := new(big.Int).SetString(text, 0)
	if !ok {
		return "", fmt.Errorf("%.40q is not a number", text)
	}
	return n.String(), nil
}
