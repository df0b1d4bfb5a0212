package calculator

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
)

// function is a function of expressions, with its minimum and maximum number of arguments.
type function struct {
	minimum, limit int
	apply          func(args []value) (value, error)
}

// arity describes the number of arguments.
func (f function) arity() string {
	switch {
	case f.limit == math.MaxInt:
		return fmt.Sprintf("%d or more arguments", f.minimum)
	case f.minimum < f.limit:
		return fmt.Sprintf("%d or %d arguments", f.minimum, f.limit)
	case f.minimum == 1:
		return "1 argument"
	default:
		return fmt.Sprintf("%d arguments", f.minimum)
	}
}

// constants are the named numbers.
var constants = map[string]func() value{
	"pi": pi,
	"π":  pi,
	"e":  e,
}

func pi() value {
	rat, _ := digits(piDigits).Rat(nil)
	return value{rat, true}
}

func e() value {
	rat, _ := expFloat(newFloat(0).SetInt64(1)).Rat(nil)
	return value{rat, true}
}

// functions are the functions of expressions.
var functions = map[string]function{
	"abs":   unary(func(v value) (value, error) { return value{new(big.Rat).Abs(v.rat), v.rounded}, nil }),
	"sqrt":  unary(sqrt),
	"exp":   unary(exp),
	"ln":    unary(ln),
	"log2":  unary(func(v value) (value, error) { return logarithm(v, whole(2)) }),
	"log10": unary(func(v value) (value, error) { return logarithm(v, whole(10)) }),
	"log":   {2, 2, func(args []value) (value, error) { return logarithm(args[0], args[1]) }},
	"floor": unary(func(v value) (value, error) { return floor(v), nil }),
	"ceil":  unary(func(v value) (value, error) { return floor(v.negated()).negated(), nil }),
	"trunc": unary(func(v value) (value, error) { return trunc(v), nil }),
	"round": {1, 2, round},
	"sin":   unary(func(v value) (value, error) { sin, _, err := sinCos(v); return sin, err }),
	"cos":   unary(func(v value) (value, error) { _, cos, err := sinCos(v); return cos, err }),
	"tan":   unary(tan),
	"min":   {1, math.MaxInt, func(args []value) (value, error) { return slices.MinFunc(args, compare), nil }},
	"max":   {1, math.MaxInt, func(args []value) (value, error) { return slices.MaxFunc(args, compare), nil }},
}

// names lists all constants and functions.
func names() string {
	all := slices.Concat(slices.Collect(maps.Keys(constants)), slices.Collect(maps.Keys(functions)))
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func unary(apply func(value) (value, error)) function {
	return function{1, 1, func(args []value) (value, error) { return apply(args[0]) }}
}

func compare(a, b value) int { return a.rat.Cmp(b.rat) }

// trunc rounds v toward zero to a whole number.
func trunc(v value) value {
	if v.sign() < 0 {
		return floor(v.negated()).negated()
	}
	return floor(v)
}

// round rounds the first argument. The second argument is the number of decimal places to keep.
// Halves are rounded away from zero.
func round(args []value) (value, error) {
	places := whole(0)
	if len(args) == 2 {
		places = args[1]
	}
	if !places.rat.IsInt() || magnitude(places.rat) > 16 {
		return value{}, fmt.Errorf("the second argument of round must be a whole number of decimal places, at most %d", maxDigits)
	}
	scale, err := power(whole(10), places)
	if err != nil {
		return value{}, err
	}
	v, err := apply('*', args[0], scale)
	if err != nil {
		return value{}, err
	}
	half := exactly(big.NewRat(int64(v.sign()), 2))
	if v, err = apply('+', unnoised(v), half); err != nil {
		return value{}, err
	}
	return apply('/', trunc(v), scale)
}

func tan(v value) (value, error) {
	sin, cos, err := sinCos(v)
	if err != nil {
		return value{}, err
	}
	if cos.sign() == 0 {
		return value{}, errors.New("the tangent is undefined for this angle")
	}
	return apply('/', sin, cos)
}

// logarithm returns the logarithm of v to the given base. A result that is a whole number is exact.
func logarithm(v, base value) (value, error) {
	numerator, err := ln(v)
	if err != nil {
		return value{}, err
	}
	denominator, err := ln(base)
	if err != nil {
		return value{}, err
	}
	if denominator.sign() == 0 {
		return value{}, errors.New("1 can't be the base of a logarithm")
	}
	quotient, err := apply('/', numerator, denominator)
	if err != nil || v.rounded || base.rounded {
		return quotient, err
	}
	if n := unnoised(quotient); n.rat.IsInt() {
		n.rounded = false
		if power, err := power(base, n); err == nil && compare(power, v) == 0 && !power.rounded {
			return n, nil
		}
	}
	return quotient, nil
}
