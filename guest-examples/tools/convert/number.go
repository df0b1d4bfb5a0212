package convert

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// maxDigits limits the length of a number that is not in base ten, since its conversion needs
// quadratic time.
const maxDigits = 1000

// decimalForm matches a decimal number of YAML or TOML: sign, whole part, fraction and exponent.
var decimalForm = regexp.MustCompile(`^([-+]?)([0-9]*)(?:\.([0-9]*))?([eE][-+]?[0-9]+)?$`)

// decimal converts a decimal number to JSON and keeps all its digits. ok is false if text is not a
// decimal number.
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
		literal += ".0" // keep the point of a number such as "1."
	}
	return literal + exponent, true
}

// based converts a whole number that begins with 0x, 0o or 0b to base ten.
func based(text string) (string, error) {
	if len(text) > maxDigits {
		return "", fmt.Errorf("the number %.20s… has more than the limit of %d digits", text, maxDigits)
	}
	n, ok := new(big.Int).SetString(text, 0)
	if !ok {
		return "", fmt.Errorf("%.40q is not a number", text)
	}
	return n.String(), nil
}
