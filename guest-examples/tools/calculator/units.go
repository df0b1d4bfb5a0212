package calculator

import (
	"fmt"
	"math/big"
	"strings"
)

// unit is a unit of measurement. A number of this unit is (number + offset) * factor in the base
// unit of its dimension.
type unit struct {
	dimension string
	factor    string // a decimal number or a fraction; the exact definition of the unit
	offset    string // "" means 0
}

// units are all units with their names; the first name is the usual name. All factors are exact.
// Units without an exact factor, such as degrees of an angle, are left out.
var units = []struct {
	unit
	names string
}{
	{unit{"length", "1", ""}, "m meter meters metre metres"},
	{unit{"length", "1000", ""}, "km kilometer kilometers kilometre kilometres"},
	{unit{"length", "0.01", ""}, "cm centimeter centimeters centimetre centimetres"},
	{unit{"length", "0.001", ""}, "mm millimeter millimeters millimetre millimetres"},
	{unit{"length", "0.000001", ""}, "µm μm um micrometer micrometers"},
	{unit{"length", "0.000000001", ""}, "nm nanometer nanometers"},
	{unit{"length", "0.0254", ""}, "in inch inches"},
	{unit{"length", "0.3048", ""}, "ft foot feet"},
	{unit{"length", "0.9144", ""}, "yd yard yards"},
	{unit{"length", "1609.344", ""}, "mi mile miles"},
	{unit{"length", "1852", ""}, "nmi"},
	{unit{"area", "1", ""}, "m2 m² m^2 sqm"},
	{unit{"area", "1000000", ""}, "km2 km² km^2"},
	{unit{"area", "0.0001", ""}, "cm2 cm² cm^2"},
	{unit{"area", "10000", ""}, "ha hectare hectares"},
	{unit{"area", "4046.8564224", ""}, "acre acres ac"},
	{unit{"area", "0.09290304", ""}, "ft2 ft² ft^2 sqft"},
	{unit{"volume", "0.001", ""}, "l L liter liters litre litres"},
	{unit{"volume", "0.000001", ""}, "ml mL milliliter milliliters millilitre millilitres"},
	{unit{"volume", "1", ""}, "m3 m³ m^3"},
	{unit{"volume", "0.000001", ""}, "cm3 cm³ cm^3"},
	{unit{"volume", "0.003785411784", ""}, "gal gallon gallons"},
	{unit{"volume", "0.00454609", ""}, "impgal"},
	{unit{"volume", "0.0000295735295625", ""}, "floz"},
	{unit{"volume", "0.0002365882365", ""}, "cup cups"},
	{unit{"mass", "1", ""}, "kg kilogram kilograms"},
	{unit{"mass", "0.001", ""}, "g gram grams"},
	{unit{"mass", "0.000001", ""}, "mg milligram milligrams"},
	{unit{"mass", "1000", ""}, "t tonne tonnes"},
	{unit{"mass", "0.45359237", ""}, "lb lbs pound pounds"},
	{unit{"mass", "0.028349523125", ""}, "oz ounce ounces"},
	{unit{"time", "1", ""}, "s sec second seconds"},
	{unit{"time", "0.001", ""}, "ms millisecond milliseconds"},
	{unit{"time", "0.000001", ""}, "µs μs us microsecond microseconds"},
	{unit{"time", "0.000000001", ""}, "ns nanosecond nanoseconds"},
	{unit{"time", "60", ""}, "min minute minutes"},
	{unit{"time", "3600", ""}, "h hour hours"},
	{unit{"time", "86400", ""}, "d day days"},
	{unit{"time", "604800", ""}, "week weeks"},
	{unit{"speed", "1", ""}, "m/s"},
	{unit{"speed", "1/3.6", ""}, "km/h kmh kph"},
	{unit{"speed", "0.44704", ""}, "mph mi/h"},
	{unit{"speed", "1852/3600", ""}, "kn knot knots"},
	{unit{"data", "1", ""}, "B byte bytes"},
	{unit{"data", "1/8", ""}, "bit bits"},
	{unit{"data", "1e3", ""}, "kB"},
	{unit{"data", "1e6", ""}, "MB"},
	{unit{"data", "1e9", ""}, "GB"},
	{unit{"data", "1e12", ""}, "TB"},
	{unit{"data", "1024", ""}, "KiB"},
	{unit{"data", "1048576", ""}, "MiB"},
	{unit{"data", "1073741824", ""}, "GiB"},
	{unit{"data", "1099511627776", ""}, "TiB"},
	{unit{"data", "125", ""}, "kbit"},
	{unit{"data", "125000", ""}, "Mbit"},
	{unit{"data", "125000000", ""}, "Gbit"},
	{unit{"temperature", "1", ""}, "K kelvin"},
	{unit{"temperature", "1", "273.15"}, "°C C degC celsius"},
	{unit{"temperature", "5/9", "459.67"}, "°F F degF fahrenheit"},
	{unit{"pressure", "1", ""}, "Pa"},
	{unit{"pressure", "100", ""}, "hPa mbar"},
	{unit{"pressure", "1000", ""}, "kPa"},
	{unit{"pressure", "100000", ""}, "bar"},
	{unit{"pressure", "101325", ""}, "atm"},
	{unit{"energy", "1", ""}, "J joule joules"},
	{unit{"energy", "1000", ""}, "kJ"},
	{unit{"energy", "4.184", ""}, "cal"},
	{unit{"energy", "4184", ""}, "kcal"},
	{unit{"energy", "3600", ""}, "Wh"},
	{unit{"energy", "3600000", ""}, "kWh"},
	{unit{"power", "1", ""}, "W watt watts"},
	{unit{"power", "1000", ""}, "kW"},
	{unit{"power", "735.49875", ""}, "PS"},
}

// findUnit returns the unit with the name. Upper and lower case are distinguished in names of up to
// two letters, such as kB and kb, and in names of different units that differ only in case.
func findUnit(name string) (unit, error) {
	var found *unit
	ambiguous := false
	for i := range units {
		for known := range strings.FieldsSeq(units[i].names) {
			if known == name {
				return units[i].unit, nil
			}
			if strings.EqualFold(known, name) {
				ambiguous = ambiguous || found != nil && found != &units[i].unit
				found = &units[i].unit
			}
		}
	}
	if found == nil || ambiguous || len(name) < 3 {
		return unit{}, fmt.Errorf("unknown unit %.40q; known units: %s", name, unitNames())
	}
	return *found, nil
}

// unitNames lists the first name of each unit.
func unitNames() string {
	var names []string
	for _, u := range units {
		name, _, _ := strings.Cut(u.names, " ")
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// isConversion reports whether the text after a number is a conversion of units. Otherwise it is a
// name without an operator before it.
func isConversion(name, rest string) bool {
	if joint(strings.Fields(rest)) >= 0 {
		return true
	}
	_, err := findUnit(name)
	return err == nil && constants[strings.ToLower(name)] == nil
}

// convert converts v from one unit to another. conversion names the units, such as "km to mi". The
// word between them is "to" or "in".
func convert(v value, conversion string) (value, error) {
	words := strings.Fields(conversion)
	at := joint(words)
	if at < 0 || at == len(words)-1 {
		return value{}, fmt.Errorf(`"to" and another unit must follow the unit %.40q, as in "5 km to mi"; write * to multiply`, words[0])
	}
	from, err := findUnit(strings.Join(words[:at], " "))
	if err != nil {
		return value{}, err
	}
	to, err := findUnit(strings.Join(words[at+1:], " "))
	if err != nil {
		return value{}, err
	}
	if from.dimension != to.dimension {
		return value{}, fmt.Errorf("%.40s is a unit of %s, but %.40s is a unit of %s; convert only between units of the same kind", words[0], from.dimension, words[at+1], to.dimension)
	}
	factor := new(big.Rat).Quo(rational(from.factor), rational(to.factor))
	result := new(big.Rat).Add(v.rat, rational(from.offset))
	result.Mul(result, factor).Sub(result, rational(to.offset))
	return settled(result, v.rounded)
}

// joint returns the index of the word between the two units, or -1. "to" has precedence over "in",
// because "in" is also a unit.
func joint(words []string) int {
	for _, word := range []string{"to", "in"} {
		for at := 1; at < len(words); at++ {
			if strings.EqualFold(words[at], word) {
				return at
			}
		}
	}
	return -1
}

// rational parses a number in the table of units as a fraction.
func rational(text string) *big.Rat {
	rat := new(big.Rat)
	numerator, denominator, _ := strings.Cut(text, "/")
	if numerator == "" {
		return rat
	}
	rat.SetString(numerator)
	if denominator != "" {
		divisor, _ := new(big.Rat).SetString(denominator)
		rat.Quo(rat, divisor)
	}
	return rat
}
