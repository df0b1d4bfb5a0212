package calculator

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

const (
	// maxDigits is how many digits a number may have before or after the point.
	maxDigits = 10_000
	// maxBits is the same in binary digits.
	maxBits = maxDigits * 332193 / 100000
	// precision is that of values that are not exact, in binary digits: 60
	// decimal ones, of which shownDigits are shown.
	precision = 200
	// shownDigits is how many digits are shown of a value without an end.
	shownDigits = 30
	// noiseBits is where rounding errors lie: what is left of a difference
	// that is smaller than its operands by so many binary digits is nothing.
	noiseBits = 150
)

var (
	errZeroDivisor = errors.New("division by zero")
	errTooLarge    = fmt.Errorf("the result is too large: it has more than %d digits", maxDigits)
	errTooSmall    = fmt.Errorf("the result is too small: its first digit lies more than %d places after the point", maxDigits)
)

// value is a number that is exact or, if rounded, good to more than shownDigits.
// Values are never changed.
type value struct {
	rat     *big.Rat
	rounded bool
}

func exactly(rat *big.Rat) value { return value{rat: rat} }

func whole(n int64) value { return exactly(new(big.Rat).SetInt64(n)) }

// settled checks the size of a new value and rounds it if it has too many
// digits, or if what it comes from was rounded.
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

// parseNumber reads decimal digits with an optional point and exponent.
func parseNumber(text string) (value, error) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if strings.Trim(mantissa, ".") == "" {
		return value{}, errors.New("a point needs digits")
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

// apply does the operation of a binary operator.
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

// denoised returns rat, the sum of the operands, or 0 if rounding is all that
// is left of them.
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

// magnitude is the binary logarithm of |rat|, give or take one.
func magnitude(rat *big.Rat) int {
	return rat.Num().BitLen() - rat.Denom().BitLen()
}

// floor returns the greatest whole number that is not above v. It is exact
// unless v is too large for its digits to be known.
func floor(v value) value {
	v = unnoised(v)
	// Denom is positive, for which Euclidean division rounds down.
	quotient := new(big.Int).Div(v.rat.Num(), v.rat.Denom())
	return value{new(big.Rat).SetInt(quotient), v.rounded && quotient.BitLen() > noiseBits}
}

// unnoised returns the whole number that v differs from by its rounding only,
// so that floor(sqrt(2)^2) is 2, or v if there is none.
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
