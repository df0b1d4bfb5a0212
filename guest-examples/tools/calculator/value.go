package calculator

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

const (
	// maxDigits limits the digits before the decimal point of a number, and the digits after it.
	maxDigits = 10_000
	// maxBits is the number of bits of a number with maxDigits decimal digits.
	maxBits = maxDigits * 332193 / 100000
	// precision is the precision of inexact values in bits. It corresponds to 60 decimal digits, of
	// which shownDigits are shown.
	precision = 200
	// shownDigits is the number of digits that are shown of an inexact value.
	shownDigits = 30
	// noiseBits is the level of rounding errors, in bits. A difference that is smaller than its
	// operands by more than this number of bits is treated as 0.
	noiseBits = 150
)

var (
	errZeroDivisor = errors.New("division by zero")
	errTooLarge    = fmt.Errorf("the result is too large: it has more than %d digits", maxDigits)
	errTooSmall    = fmt.Errorf("the result is too small: its first nonzero digit is more than %d places after the point", maxDigits)
)

// value is a number that is exact or rounded. A rounded value has more than shownDigits correct
// digits. Values are immutable.
type value struct {
	rat     *big.Rat
	rounded bool
}

func exactly(rat *big.Rat) value { return value{rat: rat} }

func whole(n int64) value { return exactly(new(big.Rat).SetInt64(n)) }

// settled returns a new value, or an error if its magnitude is out of range. It rounds a value that
// has too many digits or was computed from a rounded operand.
func settled(rat *big.Rat, rounded bool) (value, error) {
	switch size := magnitude(rat); {
	case size > maxBits:
		return value{}, errTooLarge
	case size < -maxBits:
		return value{}, errTooSmall
	case !rounded && rat.Num().BitLen() <= maxBits && rat.Denom().BitLen() <= maxBits:
		return exactly(rat), nil
	}
	short, _ := new(big.Float).SetPrec(precision).SetRat(rat).Rat(nil)
	return value{rat: short, rounded: true}, nil
}

// parseNumber parses decimal digits with an optional point and exponent.
func parseNumber(text string) (value, error) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if strings.Trim(mantissa, ".") == "" {
		return value{}, errors.New("a decimal point needs a digit before or after it")
	}
	if n, err := strconv.Atoi(exponent); exponent != "" && (err != nil || n > maxDigits || n < -maxDigits) {
		return value{}, fmt.Errorf("the exponent must be from -%d to %d", maxDigits, maxDigits)
	}
	rat, ok := new(big.Rat).SetString(text)
	if !ok {
		return value{}, fmt.Errorf("%q is not a number", text)
	}
	return settled(rat, false)
}

func (v value) sign() int { return v.rat.Sign() }

func (v value) negated() value { return value{new(big.Rat).Neg(v.rat), v.rounded} }

// apply evaluates a binary operator.
func apply(operator kind, a, b value) (value, error) {
	rounded := a.rounded || b.rounded
	switch operator {
	case '+':
		return settled(denoised(new(big.Rat).Add(a.rat, b.rat), rounded, a.rat, b.rat), rounded)
	case '-':
		return apply('+', a, b.negated())
	case '*':
		return settled(new(big.Rat).Mul(a.rat, b.rat), rounded)
	case '/':
		if b.sign() == 0 {
			return value{}, errZeroDivisor
		}
		return settled(new(big.Rat).Quo(a.rat, b.rat), rounded)
	case '%':
		return remainder(a, b)
	default:
		return power(a, b)
	}
}

// remainder returns a - b*floor(a/b), which has the sign of b.
func remainder(a, b value) (value, error) {
	quotient, err := apply('/', a, b)
	if err != nil {
		return value{}, err
	}
	multiple, err := apply('*', b, floor(quotient))
	if err != nil {
		return value{}, err
	}
	return apply('-', a, multiple)
}

// denoised returns rat, the sum of the operands. It returns 0 if rat is only a rounding error.
func denoised(rat *big.Rat, rounded bool, operands ...*big.Rat) *big.Rat {
	if !rounded {
		return rat
	}
	for _, operand := range operands {
		if magnitude(rat) < magnitude(operand)-noiseBits {
			return new(big.Rat)
		}
	}
	return rat
}

// magnitude returns the binary logarithm of |rat|, with an error of at most one.
func magnitude(rat *big.Rat) int {
	return rat.Num().BitLen() - rat.Denom().BitLen()
}

// floor returns the largest whole number that is not greater than v. The result is inexact if v is
// so large that not all of its digits are known.
func floor(v value) value {
	v = unnoised(v)
	// Denom is positive, so Div (Euclidean division) rounds down.
	quotient := new(big.Int).Div(v.rat.Num(), v.rat.Denom())
	return value{new(big.Rat).SetInt(quotient), v.rounded && quotient.BitLen() > noiseBits}
}

// unnoised returns the whole number that differs from v only by a rounding error. It returns v if
// there is no such number. With unnoised, floor(sqrt(2)^2) is 2.
func unnoised(v value) value {
	if !v.rounded {
		return v
	}
	half := big.NewRat(1, 2)
	sum := new(big.Rat).Add(v.rat, half)
	nearest := new(big.Rat).SetInt(new(big.Int).Div(sum.Num(), sum.Denom()))
	difference := new(big.Rat).Sub(v.rat, nearest)
	if denoised(difference, true, v.rat).Sign() == 0 {
		return value{nearest, true}
	}
	return v
}
