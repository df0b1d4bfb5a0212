package stricttoml

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/internal/lazyregexp"
)

var sizeText = lazyregexp.New(`^([0-9]{1,19}) ?([A-Za-z]*)$`)

// exampleSize is suggested where the right size cannot be guessed.
const exampleSize = "64MiB"

// sizeUnits are the units of a size, the largest first.
var sizeUnits = []struct {
	name  string
	shift uint
}{{"GiB", 30}, {"MiB", 20}, {"KiB", 10}, {"B", 0}}

// ParseSize converts a size such as "64MiB" to a number of bytes, which must be between low and
// high.
func ParseSize(text string, low, high uint64) (uint64, error) {
	match := sizeText.Regexp().FindStringSubmatch(text)
	if match == nil {
		return 0, fmt.Errorf(`%s is not a size; write a whole number and a unit, such as %q`, Quote(text), exampleSize)
	}
	number, unit := match[1], match[2]
	for _, u := range sizeUnits {
		if u.name != unit {
			continue
		}
		n, err := strconv.ParseUint(number, 10, 64)
		if err != nil || n > math.MaxUint64>>u.shift {
			n = math.MaxUint64
		} else {
			n <<= u.shift
		}
		if n < low || n > high {
			return 0, fmt.Errorf("%s is out of range; write a size from %s to %s", Quote(text), FormatSize(low), FormatSize(high))
		}
		return n, nil
	}
	return 0, fmt.Errorf("%s has no unit or an unknown one; write %q", Quote(text), number+unitOf(number, unit))
}

// SizeOf returns the size that a number without a unit most likely means.
func SizeOf(literal string) string {
	number := strings.ReplaceAll(literal, "_", "")
	if _, err := strconv.ParseUint(number, 10, 64); err != nil {
		return exampleSize
	}
	return number + unitOf(number, "")
}

// unitOf guesses the right unit for a number: the one that begins with the same letter as the
// wrong unit, or else bytes for a long number and MiB for a short one.
func unitOf(number, unit string) string {
	if unit != "" {
		for _, u := range sizeUnits {
			if strings.EqualFold(unit[:1], u.name[:1]) {
				return u.name
			}
		}
	}
	if len(number) > len("1024") {
		return "B"
	}
	return "MiB"
}

// FormatSize writes a size with the largest unit that leaves a whole number.
func FormatSize(n uint64) string {
	for _, u := range sizeUnits {
		if n >= 1<<u.shift && n%(1<<u.shift) == 0 {
			return strconv.FormatUint(n>>u.shift, 10) + u.name
		}
	}
	return strconv.FormatUint(n, 10) + "B"
}
