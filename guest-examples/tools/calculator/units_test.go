package calculator

import (
	"math/big"
	"strings"
	"testing"
)

func TestEvaluate_units(t *testing.T) {
	for expression, want := range map[string]string{
		"5 km to mi":               "3.10685596118666984808717092182 (rounded to 30 digits; exactly 78125/25146)",
		"26.2 mi to km":            "42.1648128",
		"1 in to cm":               "2.54",
		"10 cm in in":              "3.93700787401574803149606299213 (rounded to 30 digits; exactly 500/127)",
		"(2+3)*2 ft to m":          "3.048",
		"36 km/h to m/s":           "10",
		"60 mph TO km/h":           "96.56064",
		"20 °C to °F":              "68",
		"-40 °F to °C":             "-40",
		"0 K to celsius":           "-273.15",
		"2 GiB to MB":              "2147.483648",
		"1 MiB to bytes":           "1048576",
		"100 Mbit to MB":           "12.5",
		"1 week to h":              "168",
		"90 s to min":              "1.5",
		"1 acre to m^2":            "4046.8564224",
		"1 gallon to l":            "3.785411784",
		"1 lb to g":                "453.59237",
		"250 µm to mm":             "0.25",
		"1 kWh to kJ":              "3600",
		"sqrt(2) m to cm":          "141.421356237309504880168872421 (rounded to 30 digits)",
		"1 KILOMETERS to METERS":   "1000",
		"9007199254740993 km to m": "9007199254740993000",
	} {
		got, err := Evaluate(expression)
		if err != nil || got != want {
			t.Errorf("%s: got %s, %v; want %s", expression, got, err, want)
		}
	}
}

func TestEvaluate_unitErrors(t *testing.T) {
	for expression, want := range map[string]string{
		"5 km":             `column 3: "to" and another unit must follow the unit "km"`,
		"5 km to":          `column 3: "to" and another unit must follow`,
		"5 km to kg":       "km is a unit of length, but kg is a unit of mass",
		"5 parsnip to m":   `unknown unit "parsnip"; known units: m km cm`,
		"5 m + 3 m to km":  `unknown unit "m + 3 m"`,
		"5 mb to B":        `unknown unit "mb"`,
		"5 m to km to mi":  `unknown unit "km to mi"`,
		"5 EUR to USD":     `unknown unit "EUR"`,
		"1e10000 km to nm": "too large",
		"2pi":              "write * to multiply",
	} {
		if got, err := Evaluate(expression); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %s, %v; want an error with %q", expression, got, err, want)
		}
	}
}

// Each name belongs to one unit, and a conversion to another unit and back gives the same number.
func TestUnits(t *testing.T) {
	seen := map[string]bool{}
	for _, u := range units {
		if rational(u.factor).Sign() <= 0 {
			t.Errorf("%s has the factor %s", u.names, u.factor)
		}
		for name := range strings.FieldsSeq(u.names) {
			if seen[name] {
				t.Errorf("%s is two units", name)
			}
			seen[name] = true
		}
		first, _, _ := strings.Cut(u.names, " ")
		for _, other := range units {
			if other.dimension != u.dimension {
				continue
			}
			second, _, _ := strings.Cut(other.names, " ")
			v, err := convert(exactly(big.NewRat(7, 3)), first+" to "+second)
			if err != nil {
				t.Fatal(err)
			}
			if v, err = convert(v, second+" to "+first); err != nil || v.rat.Cmp(big.NewRat(7, 3)) != 0 {
				t.Errorf("%s to %s and back: got %v, %v", first, second, v, err)
			}
		}
	}
}
