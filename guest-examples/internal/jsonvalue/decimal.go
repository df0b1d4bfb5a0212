package jsonvalue

import (
	"cmp"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// maxExponent is the greatest exponent of a number: what is far beyond any use
// and can be counted on without an overflow.
const maxExponent = 1 << 40

// decimal is the value of a number, 0.digits * 10^exponent, whatever the form it
// was written in. Digits neither begin nor end with a zero; 0 has none.
type decimal struct {
	negative bool
	digits   string
	exponent int64
}

// parseDecimal reads a number in the grammar of JSON.
func parseDecimal(text string) (decimal, error) {
	d := decimal{}
	unsigned, negative := strings.CutPrefix(text, "-")
	mantissa, exponent := unsigned, ""
	if at := strings.IndexAny(unsigned, "eE"); at >= 0 {
		mantissa, exponent = unsigned[:at], unsigned[at+1:]
	}
	if exponent != "" {
		n, err := strconv.ParseInt(exponent, 10, 64)
		if err != nil || n > maxExponent || n < -maxExponent {
			return decimal{}, fmt.Errorf("the number %.40s has an exponent out of range", text)
		}
		d.exponent = n
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	d.exponent += int64(len(whole))
	d.digits = strings.TrimLeft(digits, "0")
	d.exponent -= int64(len(digits) - len(d.digits))
	d.digits = strings.TrimRight(d.digits, "0")
	if d.digits == "" {
		return decimal{}, nil
	}
	d.negative = negative
	return d, nil
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	default:
		return 1
	}
}

func (d decimal) compare(other decimal) int {
	if c := cmp.Compare(d.sign(), other.sign()); c != 0 || d.digits == "" {
		return c
	}
	c := cmp.Or(cmp.Compare(d.exponent, other.exponent), strings.Compare(d.digits, other.digits))
	return c * d.sign()
}

// scaled returns d * 10^places, which is to be a whole number.
func scaled(d decimal, places int64) *big.Int {
	n, _ := new(big.Int).SetString("0"+d.digits, 10)
	factor := new(big.Int).Exp(big.NewInt(10), big.NewInt(d.exponent-int64(len(d.digits))+places), nil)
	if n.Mul(n, factor); d.negative {
		n.Neg(n)
	}
	return n
}

// Sum returns the exact sum of numbers, all of that kind, as a whole number and
// how many of its digits stand after the point. It is an error if a number takes
// more than maxDigits digits before or after the point, zeros included.
func Sum(numbers []Value, maxDigits int) (unscaled *big.Int, places int64, err error) {
	decimals := make([]decimal, len(numbers))
	for i, number := range numbers {
		d := *number.number
		after := int64(len(d.digits)) - d.exponent
		if limit := int64(maxDigits); d.digits != "" && (d.exponent > limit || after > limit || int64(len(d.digits)) > limit) {
			return nil, 0, fmt.Errorf("the number %.40s has more than %d digits", number.text, maxDigits)
		}
		decimals[i] = d
		places = max(places, after)
	}
	sum := new(big.Int)
	for _, d := range decimals {
		if d.digits != "" {
			sum.Add(sum, scaled(d, places))
		}
	}
	return sum, places, nil
}
