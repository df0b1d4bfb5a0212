package calculator

import (
	"errors"
	"math/big"
)

// maxRoot is the largest n for which an exact nth root is searched for.
const maxRoot = 64

// power returns a to the power of b. 0^0 is 1.
func power(a, b value) (value, error) {
	switch {
	case b.sign() == 0:
		return whole(1), nil
	case a.sign() == 0 && b.sign() < 0:
		return value{}, errZeroDivisor
	case a.sign() == 0:
		return whole(0), nil
	case b.rat.IsInt():
		return wholePower(a, b)
	case a.sign() < 0:
		return value{}, errors.New("a negative number has no real power with this exponent; use a whole exponent")
	}
	if root, ok := exactRoot(a, b.rat.Denom()); ok && !b.rounded {
		return wholePower(root, exactly(new(big.Rat).SetInt(b.rat.Num())))
	}
	logarithm, err := ln(a)
	if err != nil {
		return value{}, err
	}
	product, err := apply('*', logarithm, b)
	if err != nil {
		return value{}, err
	}
	return exp(product)
}

// wholePower returns a to the power of the whole number n. a must not be 0.
func wholePower(a, n value) (value, error) {
	rounded := a.rounded || n.rounded
	if a.rat.IsInt() && a.rat.Num().IsInt64() && a.rat.Num().Int64() == 1 {
		return value{a.rat, rounded}, nil
	}
	if a.rat.IsInt() && a.rat.Num().IsInt64() && a.rat.Num().Int64() == -1 {
		if n.rat.Num().Bit(0) == 1 {
			return value{a.rat, rounded}, nil
		}
		return value{new(big.Rat).Neg(a.rat), rounded}, nil
	}
	exponent := new(big.Int).Abs(n.rat.Num())
	bits := int64(max(a.rat.Num().BitLen(), a.rat.Denom().BitLen()))
	if !rounded && exponent.IsInt64() && exponent.Int64() <= maxBits && (bits-1)*exponent.Int64() <= maxBits {
		result := new(big.Rat).SetFrac(
			new(big.Int).Exp(a.rat.Num(), exponent, nil),
			new(big.Int).Exp(a.rat.Denom(), exponent, nil),
		)
		if n.sign() < 0 {
			result.Inv(result)
		}
		return settled(result, false)
	}
	return roundedPower(a, exponent, n.sign() < 0)
}

// roundedPower returns a to the power of n, or of -n if inverse is set, as a rounded value.
func roundedPower(a value, n *big.Int, inverse bool) (value, error) {
	const maxExponentBits = 128
	if n.BitLen() > maxExponentBits {
		return value{}, errors.New("the exponent is too large")
	}
	// Each squaring doubles the error, so use one more bit of precision for each possible squaring.
	square := newFloat(maxExponentBits).SetRat(a.rat)
	result := newFloat(maxExponentBits).SetInt64(1)
	for i := range n.BitLen() {
		if n.Bit(i) == 1 {
			result.Mul(result, square)
		}
		if e := result.MantExp(nil); e > maxBits+1 || e < -maxBits-1 {
			return value{}, outOfRange(e > 0 != inverse)
		}
		square.Mul(square, square)
		// If n has further bits, a square beyond this limit makes the result out of range. After
		// the last bit, the square is not used.
		if e := square.MantExp(nil); (e > 4*maxBits || e < -4*maxBits) && i+1 < n.BitLen() {
			return value{}, outOfRange(e > 0 != inverse)
		}
	}
	if inverse {
		result.Quo(newFloat(0).SetInt64(1), result)
	}
	return fromFloat(result)
}

func outOfRange(large bool) error {
	if large {
		return errTooLarge
	}
	return errTooSmall
}

// exactRoot returns the nth root of the value a if the root is a fraction. The value must be
// positive.
func exactRoot(a value, n *big.Int) (value, bool) {
	if a.rounded || !n.IsInt64() || n.Int64() > maxRoot {
		return value{}, false
	}
	num, ok := wholeRoot(a.rat.Num(), n.Int64())
	if !ok {
		return value{}, false
	}
	denom, ok := wholeRoot(a.rat.Denom(), n.Int64())
	if !ok {
		return value{}, false
	}
	return exactly(new(big.Rat).SetFrac(num, denom)), true
}

// wholeRoot returns the nth root of x if the root is a whole number. x must be positive.
func wholeRoot(x *big.Int, n int64) (*big.Int, bool) {
	// Newton's method starts above the root: the value decreases until it reaches the root.
	root := new(big.Int).Lsh(big.NewInt(1), uint(int64(x.BitLen())/n+1))
	for {
		// next = ((n-1)*root + x/root^(n-1)) / n
		next := new(big.Int).Exp(root, big.NewInt(n-1), nil)
		next.Quo(x, next)
		next.Add(next, new(big.Int).Mul(root, big.NewInt(n-1)))
		next.Quo(next, big.NewInt(n))
		if next.Cmp(root) >= 0 {
			break
		}
		root = next
	}
	return root, new(big.Int).Exp(root, big.NewInt(n), nil).Cmp(x) == 0
}

// sqrt returns the square root of a.
func sqrt(a value) (value, error) {
	if a.sign() < 0 {
		return value{}, errors.New("a negative number has no real square root")
	}
	if a.sign() == 0 {
		return a, nil
	}
	if root, ok := exactRoot(a, big.NewInt(2)); ok {
		return root, nil
	}
	float := newFloat(0).SetRat(a.rat)
	return fromFloat(float.Sqrt(float))
}
