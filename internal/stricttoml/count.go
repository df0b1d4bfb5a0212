package stricttoml

import (
	"fmt"
	"strconv"

	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// ParseCount reads an integer in any base and with any separators of TOML. It must be between low
// and high.
func ParseCount(literal string, low, high uint64) (uint64, error) {
	number, _ := Number(literal)
	n, err := strconv.ParseUint(number, 10, 64) // fails below 0
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("%s is out of range; write a whole number from %s to %s", plaintext.Excerpt(literal, MaxQuoted), FormatCount(low), FormatCount(high))
	}
	return n, nil
}

// FormatCount writes a number with a separator between thousands from 10_000 on.
func FormatCount(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0 && n >= 10_000; i -= 3 {
		digits = digits[:i] + "_" + digits[i:]
	}
	return digits
}
