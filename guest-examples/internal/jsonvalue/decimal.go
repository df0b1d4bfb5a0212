package jsonvalue

import (
	"cmp"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// maxExponent limits exponents; exponents in real data are far smaller. A greater exponent is
// replaced with maxExponent, so that arithmetic does not overflow.
const maxExponent = 1 << 40

// decimal is the value of a number, 0.digits * 10^exponent, independent of its spelling. The digits
// are the fields whole and fraction joined. Both are substrings of the literal, so that reading a
// number allocates nothing. The digits neither begin nor end with a zero; the number 0 has no
// digits.
type decimal struct {
	negative        bool
	whole, fraction string
	exponent        int64
}

// decimal returns the value of v, a number.
func (v Value) decimal() decimal {
	d := decimal{}
	mantissa, negative := strings.CutPrefix(v.text, "-")
	if at := exponentMark(mantissa); at >= 0 {
		// ParseInt returns the nearest value for an exponent out of range.
		d.exponent, _ = strconv.ParseInt(mantissa[at+1:], 10, 64)
		d.exponent = max(-maxExponent, min(d.exponent, maxExponent))
		mantissa = mantissa[:at]
	}
	d.whole, d.fraction, _ = strings.Cut(mantissa, ".")
	d.whole = strings.TrimLeft(d.whole, "0")
	d.exponent += int64(len(d.whole))
	if d.whole == "" {
		digits := strings.TrimLeft(d.fraction, "0")
		d.exponent -= int64(len(d.fraction) - len(digits))
		d.fraction = digits
	}
	if d.fraction = strings.TrimRight(d.fraction, "0"); d.fraction == "" {
		d.whole = strings.TrimRight(d.whole, "0")
	}
	if d.whole+d.fraction == "" {
		return decimal{}
	}
	d.negative = negative
	return d
}

// exponentMark returns the index of the e of a number, or -1. It is called for each number, and
// strings.IndexAny is several times slower.
func exponentMark(mantissa string) int {
	for i := range len(mantissa) {
		if mantissa[i] == 'e' || mantissa[i] == 'E' {
			return i
		}
	}
	return -1
}

func (d decimal) digits() string { return d.whole + d.fraction }

// count returns the number of digits.
func (d decimal) count() int64 { return int64(len(d.whole) + len(d.fraction)) }

func (d decimal) sign() int {
	switch {
	case d.count() == 0:
		return 0
	case d.negative:
		return -1
	default:
		return 1
	}
}

func (d decimal) compare(other decimal) int {
	sign := d.sign()
	if c := cmp.Compare(sign, other.sign()); c != 0 || sign == 0 {
		return c
	}
	if c := cmp.Compare(d.exponent, other.exponent); c != 0 {
		return c * sign
	}
	if len(d.whole) == len(other.whole) { // the usual case, which needs no joining
		return cmp.Or(strings.Compare(d.whole, other.whole), strings.Compare(d.fraction, other.fraction)) * sign
	}
	return strings.Compare(d.digits(), other.digits()) * sign
}

// scaled returns d * 10^places, which must be a whole number.
func scaled(d decimal, places int64) *big.Int {
	n, _ := new(big.Int).SetString("0"+d.digits(), 10)
	factor := new(big.Int).Exp(big.NewInt(10), big.NewInt(d.exponent-d.count()+places), nil)
	if n.Mul(n, factor); d.negative {
		n.Neg(n)
	}
	return n
}

// Sum returns the exact sum of values, which must all be numbers. The sum is unscaled * 10^-places.
// Sum returns an error if a number needs more than maxDigits digits before or after the point,
// including zeros.
func Sum(numbers []Value, maxDigits int) (unscaled *big.Int, places int64, err error) {
	decimals := make([]decimal, len(numbers))
	for i, number := range numbers {
		d := number.decimal()
		after := d.count() - d.exponent
		if limit := int64(maxDigits); d.count() > 0 && (d.exponent > limit || after > limit || d.count() > limit) {
			return nil, 0, fmt.Errorf("the number %.40s has more than %d digits", number.text, maxDigits)
		}
		decimals[i] = d
		places = max(places, after)
	}
	sum := new(big.Int)
	for _, d := range decimals {
		if d.count() > 0 {
			sum.Add(sum, scaled(d, places))
		}
	}
	return sum, places, nil
}
