package calculator

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
)

// maxFraction limits the length in characters of the exact fraction that is printed next to a
// rounded value.
const maxFraction = 40

// String returns the exact decimal number, or shownDigits digits and a note.
func (v value) String() string {
	if number, ok := v.exact(); ok {
		return number
	}
	note := fmt.Sprintf("rounded to %d digits", shownDigits)
	if fraction := v.rat.RatString(); !v.rounded && len(fraction) <= maxFraction {
		note += "; exactly " + fraction
	}
	return fmt.Sprintf("%s (%s)", v.shown(), note)
}

// exact returns the exact decimal number, if v has one with at most maxDigits decimal places.
func (v value) exact() (number string, ok bool) {
	if v.rounded {
		return "", false
	}
	places, ends := v.rat.FloatPrec()
	if !ends || places > maxDigits {
		return "", false
	}
	return v.rat.FloatString(places), true
}

// maxJSON limits the characters of the number in the details. The host reads longer numbers only as
// a part of a text.
const maxJSON = 1000

// resultDepth is the number of objects around the number in a result.
const resultDepth = 2

// details describes v for programs.
func (v value) details() map[string]any {
	number, exact := v.exact()
	if !exact {
		number = v.shown()
	}
	if len(number) > maxJSON || jsonvalue.NewNumber(number).Readable(resultDepth) != nil {
		return map[string]any{"exact": exact}
	}
	return map[string]any{"value": json.Number(number), "exact": exact}
}

// shown returns the first shownDigits digits of v without trailing zeros. A very large or very
// small v is shown with an exponent.
func (v value) shown() string {
	text := new(big.Float).SetPrec(precision+64).SetRat(v.rat).Text('g', shownDigits)
	mantissa, exponent, hasExponent := strings.Cut(text, "e")
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	if hasExponent {
		return mantissa + "e" + exponent
	}
	return mantissa
}
