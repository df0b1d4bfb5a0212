package commands

import (
	"bufio"
	"math/big"
	"slices"
	"strings"
)

var factor = spec{
	name: "factor", synopsis: "[NUMBER]...", options: "h,exponents",
	note: "Numbers are below 2^127.", run: runFactor,
}

// maxFactored limits the bits of a number, since large ones take very long.
const maxFactored = 127

func runFactor(p *process, o options, words []string) int {
	if len(words) == 0 {
		in := bufio.NewScanner(p.env.Stdin)
		in.Buffer(nil, maxLine)
		in.Split(bufio.ScanWords)
		for !p.stopped() && in.Scan() {
			p.factorOne(in.Text(), o.has("h"))
		}
		if err := in.Err(); err != nil {
			p.errorf("%v", err)
		}
		return p.status
	}
	for _, word := range words {
		if p.stopped() {
			break
		}
		p.factorOne(word, o.has("h"))
	}
	return p.status
}

func (p *process) factorOne(word string, exponents bool) {
	digits := strings.TrimPrefix(strings.TrimSpace(word), "+")
	n, ok := new(big.Int).SetString(digits, 10)
	switch {
	case len(digits) > 100 || !ok || !isNumber(digits):
		p.errorf("'%s' is not a valid positive integer", word)
		return
	case n.BitLen() > maxFactored:
		p.errorf("'%s' is too large; the limit is 2^127", word)
		return
	}
	p.print(n.String() + ":")
	factors := p.factors(n)
	for i := 0; i < len(factors); {
		same := i + 1
		for same < len(factors) && factors[same].Cmp(factors[i]) == 0 {
			same++
		}
		if exponents && same-i > 1 {
			p.printf(" %v^%d", factors[i], same-i)
		} else {
			for range same - i {
				p.printf(" %v", factors[i])
			}
		}
		i = same
	}
	p.print("\n")
}

// factors returns the prime factors of n, the smallest first.
func (p *process) factors(n *big.Int) []*big.Int {
	var found []*big.Int
	n = new(big.Int).Set(n)
	rest := new(big.Int)
	for d := int64(2); d < 10000 && n.Cmp(big.NewInt(1)) > 0; d++ {
		for prime := big.NewInt(d); ; {
			quotient, _ := new(big.Int).QuoRem(n, prime, rest)
			if rest.Sign() != 0 {
				break
			}
			found, n = append(found, prime), quotient
		}
	}
	pending := []*big.Int{n}
	for len(pending) > 0 && !p.stopped() {
		n, pending = pending[len(pending)-1], pending[:len(pending)-1]
		switch {
		case n.Cmp(big.NewInt(1)) <= 0:
		case n.ProbablyPrime(20):
			found = append(found, n)
		default:
			d := p.divisor(n)
			if d == nil {
				return found // the time is over
			}
			pending = append(pending, d, new(big.Int).Quo(n, d))
		}
	}
	slices.SortFunc(found, (*big.Int).Cmp)
	return found
}

// divisor returns a divisor of a composite number, found with Pollard's rho and Brent's cycle
// detection.
func (p *process) divisor(n *big.Int) *big.Int {
	one := big.NewInt(1)
	for c := int64(1); ; c++ {
		step := func(x *big.Int) *big.Int {
			y := new(big.Int).Mul(x, x)
			return y.Add(y, big.NewInt(c)).Mod(y, n)
		}
		slow, fast, d := big.NewInt(2), big.NewInt(2), one
		for power, length := 1, 0; d.Cmp(one) == 0; length++ {
			if p.stopped() {
				return nil
			}
			if length == power {
				slow, power, length = fast, power*2, 0
			}
			fast = step(fast)
			d = new(big.Int).GCD(nil, nil, new(big.Int).Abs(new(big.Int).Sub(slow, fast)), n)
		}
		if d.Cmp(n) != 0 {
			return d
		}
	}
}
