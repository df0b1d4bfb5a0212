package calculator

import (
	"errors"
	"math/big"
)

// workBits is the precision in bits of sums of series. It is larger than precision, because
// reducing angles up to maxAngle and exponents up to maxBits loses bits.
const workBits = precision + 120

// π and ln 2 to 100 decimal places.
const (
	piDigits  = "3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170680"
	ln2Digits = "0.6931471805599453094172321214581765680755001343602552541206800094933936219696947156058633269964186875"
)

// maxAngle is the binary logarithm of the largest angle of a sine.
const maxAngle = 100

// newFloat returns 0 with a precision of workBits+extra bits.
func newFloat(extra uint) *big.Float {
	return new(big.Float).SetPrec(workBits + extra)
}

// digits converts the digits of a constant to a number.
func digits(text string) *big.Float {
	f, _ := newFloat(0).SetString(text) // ignore the error: tests check the constants
	return f
}

// fromFloat converts f to a rounded value. f must be finite.
func fromFloat(f *big.Float) (value, error) {
	if e := f.MantExp(nil); e > maxBits+1 || e < -maxBits-1 {
		return value{}, outOfRange(e > 0)
	}
	rat, _ := f.Rat(nil)
	return settled(rat, true)
}

// series adds terms until they no longer change the sum. The function next computes each term from
// the previous term.
func series(first *big.Float, next func(term *big.Float, n int64)) *big.Float {
	sum, term := newFloat(0).Set(first), newFloat(0).Set(first)
	for n := int64(1); ; n++ {
		next(term, n)
		if term.Sign() == 0 || sum.Sign() != 0 && term.MantExp(nil) < sum.MantExp(nil)-workBits {
			return sum
		}
		sum.Add(sum, term)
	}
}

// expFloat returns e^x for |x| up to about maxBits.
func expFloat(x *big.Float) *big.Float {
	// e^x = 2^k * e^rest with |rest| <= ln(2)/2.
	ln2 := digits(ln2Digits)
	k := nearest(newFloat(0).Quo(x, ln2))
	rest := newFloat(0).Sub(x, newFloat(0).Mul(ln2, newFloat(0).SetInt64(k)))
	sum := series(newFloat(0).SetInt64(1), func(term *big.Float, n int64) {
		term.Mul(term, rest)
		term.Quo(term, newFloat(0).SetInt64(n))
	})
	return sum.SetMantExp(sum, int(k))
}

// nearest returns the whole number nearest to x, which must fit in an int64.
func nearest(x *big.Float) int64 {
	half := newFloat(0).SetFloat64(0.5)
	if x.Signbit() {
		half.Neg(half)
	}
	n, _ := newFloat(0).Add(x, half).Int64()
	return n
}

// exp returns e^v.
func exp(v value) (value, error) {
	if v.sign() == 0 {
		return value{big.NewRat(1, 1), v.rounded}, nil
	}
	if magnitude(v.rat) > 16 { // |v| is above 2^15, so e^|v| has more than maxDigits digits
		return value{}, outOfRange(v.sign() > 0)
	}
	return fromFloat(expFloat(newFloat(0).SetRat(v.rat)))
}

// ln returns the natural logarithm of v.
func ln(v value) (value, error) {
	if v.sign() <= 0 {
		return value{}, errors.New("only positive numbers have a logarithm")
	}
	if v.rat.Cmp(big.NewRat(1, 1)) == 0 {
		return value{new(big.Rat), v.rounded}, nil
	}
	// v = 2^k * m with m from 2/3 to 4/3; ln(m) = 2*artanh((m-1)/(m+1)). Fractions make the
	// subtraction exact, so that no precision is lost near 1.
	k := magnitude(v.rat)
	m := scaled(v.rat, -k)
	for ; m.Cmp(big.NewRat(4, 3)) > 0; k++ {
		m = scaled(m, -1)
	}
	for ; m.Cmp(big.NewRat(2, 3)) < 0; k-- {
		m = scaled(m, 1)
	}
	one := big.NewRat(1, 1)
	ratio := new(big.Rat).Quo(new(big.Rat).Sub(m, one), new(big.Rat).Add(m, one))
	t := newFloat(0).SetRat(ratio)
	square := newFloat(0).Mul(t, t)
	power := newFloat(0).Set(t)
	sum := newFloat(0).Set(t)
	for n := int64(3); power.Sign() != 0 && power.MantExp(nil) > sum.MantExp(nil)-workBits; n += 2 {
		power.Mul(power, square)
		sum.Add(sum, newFloat(0).Quo(power, newFloat(0).SetInt64(n)))
	}
	sum.Mul(sum, newFloat(0).SetInt64(2))
	sum.Add(sum, newFloat(0).Mul(digits(ln2Digits), newFloat(0).SetInt64(int64(k))))
	return fromFloat(sum)
}

// scaled returns rat * 2^k.
func scaled(rat *big.Rat, k int) *big.Rat {
	if k < 0 {
		return new(big.Rat).SetFrac(rat.Num(), new(big.Int).Lsh(rat.Denom(), uint(-k)))
	}
	return new(big.Rat).SetFrac(new(big.Int).Lsh(rat.Num(), uint(k)), rat.Denom())
}

// sinCos returns the sine and cosine of an angle in radians.
func sinCos(v value) (sin, cos value, err error) {
	if v.sign() == 0 {
		return value{new(big.Rat), v.rounded}, value{big.NewRat(1, 1), v.rounded}, nil
	}
	if magnitude(v.rat) > maxAngle {
		return value{}, value{}, errors.New("the angle is too large; use an angle below 2^100")
	}
	// rest = x - k*2π with |rest| <= π. workBits has enough bits for the precision that the
	// subtraction loses.
	x := newFloat(0).SetRat(v.rat)
	turn := newFloat(0).Mul(digits(piDigits), newFloat(0).SetInt64(2))
	turns, _ := newFloat(0).Quo(x, turn).Int(nil)
	rest := newFloat(0).Sub(x, newFloat(0).Mul(turn, newFloat(0).SetInt(turns)))
	square := newFloat(0).Mul(rest, rest)
	square.Neg(square)
	sinSum := series(rest, func(term *big.Float, n int64) {
		term.Mul(term, square)
		term.Quo(term, newFloat(0).SetInt64(2*n*(2*n+1)))
	})
	cosSum := series(newFloat(0).SetInt64(1), func(term *big.Float, n int64) {
		term.Mul(term, square)
		term.Quo(term, newFloat(0).SetInt64((2*n-1)*2*n))
	})
	if sin, err = fromAngle(sinSum, v); err == nil {
		cos, err = fromAngle(cosSum, v)
	}
	return sin, cos, err
}

// fromAngle converts a sine or cosine to a value. It returns 0 if f is not larger than the rounding
// error of the angle.
func fromAngle(f *big.Float, angle value) (value, error) {
	if f.Sign() == 0 || f.MantExp(nil) < max(0, magnitude(angle.rat))-noiseBits && angle.rounded {
		return value{new(big.Rat), true}, nil
	}
	return fromFloat(f)
}
