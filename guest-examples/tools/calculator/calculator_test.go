package calculator

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/tooltest"
)

func TestRun(t *testing.T) {
	var out tooltest.Output
	if err := Run(Args{Expression: "0.1 + 0.2"}, &out); err != nil || out.String() != "0.3\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
	out = tooltest.Output{}
	err := Run(Args{Expression: "1 / 0"}, &out)
	if err == nil || err.Error() != "expression, column 3: division by zero" || out.Len() > 0 {
		t.Errorf("got %q, %v", out.String(), err)
	}
}

// Programs get the number of the text with all digits, if it is not too long for the host.
func TestRun_details(t *testing.T) {
	for expression, want := range map[string]string{
		"0.1 + 0.2":         `{"exact":true,"value":0.3}`,
		"-2^64 - 1":         `{"exact":true,"value":-18446744073709551617}`,
		"1/3":               `{"exact":false,"value":0.333333333333333333333333333333}`,
		"sqrt(2) * 10^1000": `{"exact":false,"value":1.41421356237309504880168872421e+1000}`,
		"sqrt(2) * 10^4000": `{"exact":false}`,
		"2^20026.2":         `{"exact":false}`,
		"10^999":            `{"exact":true,"value":1` + strings.Repeat("0", 999) + `}`,
		"10^1000":           `{"exact":true}`,
		"26.2 mi to km":     `{"exact":true,"value":42.1648128}`,
	} {
		var out tooltest.Output
		if err := Run(Args{Expression: expression}, &out); err != nil {
			t.Fatal(err)
		}
		if got := string(out.Result().Structured); got != want {
			t.Errorf("%s: got %s, want %s", expression, got, want)
		}
	}
}

func TestEvaluate_exact(t *testing.T) {
	for expression, want := range map[string]string{
		"0.1+0.2":             "0.3",
		"1.10 - 0.9":          "0.2",
		"9007199254740993+1":  "9007199254740994",
		"1/8":                 "0.125",
		"1/3*3":               "1",
		"1/3+1/6":             "0.5",
		"-0":                  "0",
		".5":                  "0.5",
		"5.":                  "5",
		"1.5e3":               "1500",
		"1E-3":                "0.001",
		"2+3*4":               "14",
		"(2+3)*4":             "20",
		"10-4-3":              "3",
		"100/10/2":            "5",
		"2^3^2":               "512",
		"2**3**2":             "512",
		"-2^2":                "-4",
		"(-2)^2":              "4",
		"2^-1":                "0.5",
		"2^-(1+1)":            "0.25",
		"--3":                 "3",
		"+-+3":                "-3",
		"3 × 4 ÷ 2 − 1":       "5",
		"7%3":                 "1",
		"-7%3":                "2",
		"7%(-3)":              "-2",
		"5.5%2":               "1.5",
		"2*7%3":               "2",
		"0^0":                 "1",
		"0^5":                 "0",
		"1^(10^50)":           "1",
		"(-1)^(10^50)":        "1",
		"(-1)^(10^50+1)":      "-1",
		"2^200":               "1606938044258990275541962092341162602522202993782792835301376",
		"1.05^4":              "1.21550625",
		"sqrt(144)":           "12",
		"sqrt(0.25)":          "0.5",
		"sqrt(0)":             "0",
		"8^(1/3)":             "2",
		"(27/8)^(2/3)":        "2.25",
		"4^-0.5":              "0.5",
		"exp(0)":              "1",
		"ln(1)":               "0",
		"log10(1000)":         "3",
		"log10(0.001)":        "-3",
		"log2(2^500)":         "500",
		"log(8, 2)":           "3",
		"LOG(1/9, 3)":         "-2",
		"abs(-1.5)":           "1.5",
		"min(3, 1, 2)":        "1",
		"max(3,1,2)":          "3",
		"max(7)":              "7",
		"floor(-1.5)":         "-2",
		"ceil(-1.5)":          "-1",
		"ceil(1.2)":           "2",
		"trunc(-1.5)":         "-1",
		"round(2.5)":          "3",
		"round(-2.5)":         "-3",
		"round(2.4)":          "2",
		"round(3.14159, 2)":   "3.14",
		"round(1234, -2)":     "1200",
		"round(pi, 4)":        "3.1416",
		"floor(sqrt(2)^2)":    "2",
		"floor(pi*1000)":      "3141",
		"sin(0)":              "0",
		"cos(0)":              "1",
		"1e400 * 1e-400":      "1",
		"((((((((1))))))))":   "1",
		"10^100 + 1 - 10^100": "1",
	} {
		t.Run(expression, func(t *testing.T) {
			if got, err := Evaluate(expression); err != nil || got != want {
				t.Errorf("got %s, %v; want %s", got, err, want)
			}
		})
	}
}

// The expected digits come from other programs and from tables. Results have no trailing zeros.
func TestEvaluate_rounded(t *testing.T) {
	const rounded = " (rounded to 30 digits)"
	for expression, want := range map[string]string{
		"1/3":                 "0.333333333333333333333333333333 (rounded to 30 digits; exactly 1/3)",
		"-22/7":               "-3.14285714285714285714285714286 (rounded to 30 digits; exactly -22/7)",
		"2^2000/3":            "3.82710231758084841410944400393e+601" + rounded,
		"pi":                  "3.14159265358979323846264338328" + rounded,
		"2*π":                 "6.28318530717958647692528676656" + rounded,
		"e":                   "2.71828182845904523536028747135" + rounded,
		"exp(1)":              "2.71828182845904523536028747135" + rounded,
		"exp(-20000)":         "1.2893236083900937483516310809e-8686" + rounded,
		"sqrt(2)":             "1.41421356237309504880168872421" + rounded,
		"2^0.5":               "1.41421356237309504880168872421" + rounded,
		"sqrt(2)^2":           "2" + rounded,
		"2^pi":                "8.82497782707628762385642960421" + rounded,
		"ln(2)":               "0.693147180559945309417232121458" + rounded,
		"ln(10)":              "2.30258509299404568401799145468" + rounded,
		"ln(1e-300)":          "-690.775527898213705205397436405" + rounded,
		"log10(2)":            "0.301029995663981195213738894724" + rounded,
		"ln(1+1e-40)":         "1e-40" + rounded,
		"sin(1)":              "0.84147098480789650665250232163" + rounded,
		"cos(1)":              "0.540302305868139717400936607443" + rounded,
		"tan(1)":              "1.55740772465490223050697480746" + rounded,
		"sin(-100)":           "0.50636564110975879365655761046" + rounded,
		"sin(10^22)":          "-0.852200849767188801772705893753" + rounded,
		"sin(pi)":             "0" + rounded,
		"sin(pi/6)":           "0.5" + rounded,
		"cos(pi/2)":           "0" + rounded,
		"pi - pi":             "0" + rounded,
		"1.0000001^10000000":  "2.71828169254496627119855022578" + rounded,
		"1.0000001^-10000000": "0.367879459565413613752175730206" + rounded,
	} {
		t.Run(expression, func(t *testing.T) {
			got, err := Evaluate(expression)
			if err != nil || got != want {
				t.Errorf("got  %s, %v\nwant %s", got, err, want)
			}
		})
	}
}

func TestEvaluate_errors(t *testing.T) {
	for expression, want := range map[string]string{
		"":                         "column 1: found the end, but expected a number",
		"1 +":                      "column 4: found the end, but expected a number",
		"1 + * 2":                  `column 5: found "*", but expected a number`,
		"(1":                       "column 3: found the end, but expected ')'",
		"1)":                       `column 2: found ")", but expected an operator`,
		"2pi":                      `column 2: found "pi", but expected an operator; write * to multiply`,
		"2(3)":                     "write * to multiply",
		"1 2":                      "write * to multiply",
		"1,000":                    "use a point as the decimal separator",
		"1.2.3":                    `column 4: found ".3", but expected an operator`,
		".":                        "column 1: a decimal point needs a digit before or after it",
		"2e":                       `column 2: found "e", but expected an operator`,
		"1 $ 2":                    "column 3: '$' is not part of an expression",
		"é + ü":                    "column 1: 'é' is not part of an expression",
		"1 + \x00":                 `column 5: '\x00' is not part of an expression`,
		"\xff":                     "column 1:",
		"1/0":                      "column 2: division by zero",
		"5 % 0":                    "column 3: division by zero",
		"0^-1":                     "column 2: division by zero",
		"1/(2-2)":                  "column 2: division by zero",
		"50%":                      "column 3: % is the operator for the remainder",
		"50% + 1":                  "for a percentage, divide by 100",
		"(50%)*2":                  "column 4: % is the operator for the remainder",
		"foo(1)":                   `column 1: the name "foo" is unknown; use one of: abs, ceil,`,
		"sqrt 4":                   `column 6: found "4", but expected "(" after sqrt`,
		"sqrt()":                   "column 6:",
		"sqrt(1,2)":                "column 1: sqrt needs 1 argument, not 2",
		"log(8)":                   "log needs 2 arguments, not 1",
		"round(1,2,3)":             "round needs 1 or 2 arguments, not 3",
		"1 + sqrt(-1)":             "column 5: a negative number has no real square root",
		"ln(0)":                    "column 1: only positive numbers have a logarithm",
		"log(5, 1)":                "1 can't be the base of a logarithm",
		"(-8)^(1/3)":               "column 5: a negative number has no real power",
		"tan(pi/2)":                "the tangent is undefined for this angle",
		"sin(1e40)":                "the angle is too large",
		"9^9^9^9":                  "column 4: the result is too large: it has more than 10000 digits",
		"10^(10^18)":               "column 3: the result is too large",
		"0.1^(10^18)":              "column 4: the result is too small",
		"2^-(10^18)":               "too small",
		"2^(10^60)":                "the exponent is too large",
		"1.1^(10^38)":              "too large",
		"exp(1e9)":                 "column 1: the result is too large",
		"exp(-1e9999)":             "column 1: the result is too small",
		"1e10001":                  "column 1: the exponent must be from -10000 to 10000",
		"1e99999999999999999999":   "column 1: the exponent must be from",
		"1e-10000/1e10000":         "column 9: the result is too small",
		"round(1, 1e9)":            "a whole number of decimal places",
		"round(1, 0.5)":            "a whole number of decimal places",
		strings.Repeat("(", 300):   "more than 200 nested levels",
		strings.Repeat("-", 300):   "more than 200 nested levels",
		strings.Repeat("1+", 2001): "4002 characters; the limit is 4000",
	} {
		t.Run(expression[:min(len(expression), 20)], func(t *testing.T) {
			got, err := Evaluate(expression)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %.50s, %v; want the error %s", got, err, want)
			}
		})
	}
}

// Machin's formula (for π) and a sum over 1/(n*2^n) (for ln 2) check the digits of the constants.
func TestConstants(t *testing.T) {
	arctanInverse := func(x int64) *big.Float {
		term := newFloat(0).Quo(newFloat(0).SetInt64(1), newFloat(0).SetInt64(x))
		square := newFloat(0).SetInt64(-x * x)
		sum := newFloat(0)
		for n := int64(1); term.MantExp(nil) > -workBits-10; n += 2 {
			sum.Add(sum, newFloat(0).Quo(term, newFloat(0).SetInt64(n)))
			term.Quo(term, square)
		}
		return sum
	}
	four := newFloat(0).SetInt64(4)
	pi := newFloat(0).Mul(four, arctanInverse(5))
	pi.Sub(pi, arctanInverse(239)).Mul(pi, four)

	ln2, power := newFloat(0), newFloat(0).SetInt64(1)
	for n := int64(1); n < workBits+10; n++ {
		power.Quo(power, newFloat(0).SetInt64(2))
		ln2.Add(ln2, newFloat(0).Quo(power, newFloat(0).SetInt64(n)))
	}
	for text, want := range map[string]*big.Float{piDigits: pi, ln2Digits: ln2} {
		difference := newFloat(0).Sub(digits(text), want)
		if difference.Sign() != 0 && difference.MantExp(nil) > -workBits+10 {
			t.Errorf("%s is off by %v", text, difference)
		}
	}
}

func FuzzCalculator(f *testing.F) {
	for _, seed := range []string{
		"0.1+0.2", "-2^2 % 3", "9^9^9^9", "sqrt(2)*sin(pi/3)-ln(2)", "round(1/3, 5)", "((1)", "1e9999^-1",
		"log(2^99, 2)", "max(1,2,-3)", "2**0.5**0.5", "3 × 4 ÷ 0", "floor(1e30*pi)%7", "\xff", "1.000001^(10^30)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		text, err := Evaluate(expression)
		if err != nil {
			var at *columnError
			if errors.As(err, &at) && (at.column < 1 || at.column > len([]rune(expression))+1) {
				t.Errorf("%q: column %d is outside", expression, at.column)
			}
			return
		}
		if len(text) > 2*maxDigits+100 {
			t.Errorf("%q: the result has %d characters", expression, len(text))
		}
		number, _, _ := strings.Cut(text, " ")
		if _, ok := new(big.Rat).SetString(number); !ok {
			t.Fatalf("%q: %q is not a number", expression, number)
		}
		// Each result must itself be a valid expression with the same value.
		if again, err := Evaluate(number); err == nil && !strings.Contains(text, "rounded") && again != text {
			t.Errorf("%q gives %s, which gives %s", expression, text, again)
		}
	})
}
