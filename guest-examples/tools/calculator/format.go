package calculator

import (
	"fmt"
	"math/big"
	"strings"
)

// maxFraction limits the length in characters of the exact fraction that is printed next to a
// rounded value.
const maxFraction = 40

// String returns the exact decimal number, or shownDigits digits and a note.
func (v value) String() string {
	if !v.rounded {
		if places, ends := v.rat.FloatPrec(); ends && places <= maxDigits {
			return v.rat.FloatString(places)
		}
	}
	note := fmt.Sprintf("rounded to %d digits", shownDigits)
	if fraction := v.rat.RatString(); !v.rounded && len(fraction) <= maxFraction {
		note += "; exactly " + fraction
	}
	return fmt.Sprintf("%s (%s)", v.shown(), note)
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
