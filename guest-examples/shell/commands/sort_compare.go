package commands

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/bytescan"
)

// compare compares two keys. Its result does not consider the option -r.
func (o ordering) compare(a, b []byte) int {
	switch {
	case o.numeric:
		return compareNumbers(parseDecimal(a), parseDecimal(b))
	case o.human:
		return compareHuman(a, b)
	case o.general:
		x, rankX := generalNumber(a)
		y, rankY := generalNumber(b)
		return cmp.Or(cmp.Compare(rankX, rankY), cmp.Compare(x, y))
	case o.month:
		return cmp.Compare(monthNumber(a), monthNumber(b))
	}
	if o.fold || o.dictionary || o.printing {
		a, b = o.appendReduced(nil, a), o.appendReduced(nil, b)
	}
	if o.version {
		return compareVersions(string(a), string(b))
	}
	return bytes.Compare(a, b)
}

// appendReduced appends to kept the bytes of a key that are compared, for options such as -d and
// -f.
func (o ordering) appendReduced(kept, text []byte) []byte {
	if o.fold && !bytescan.ASCII(text) {
		text = bytes.ToUpper(text)
	}
	kept = slices.Grow(kept, len(text))
	for _, b := range text {
		if o.dictionary && b != ' ' && b != '\t' && !isAlnum(b) || o.printing && (b < ' ' || b >= 0x7f) {
			continue
		}
		if o.fold && b >= 'a' && b <= 'z' {
			b -= 'a' - 'A'
		}
		kept = append(kept, b)
	}
	return kept
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
func isAlpha(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }
func isAlnum(b byte) bool { return isDigit(b) || isAlpha(b) }

// decimal is a number that is stored as digits, because sort -n compares numbers of any length.
type decimal struct {
	negative        bool
	whole, fraction []byte // whole has no leading zeros, fraction no trailing zeros
	rest            []byte // the text after the number
}

func parseDecimal(text []byte) decimal {
	var d decimal
	text = text[leadingBlanks(text):]
	if len(text) > 0 && text[0] == '-' {
		text, d.negative = text[1:], true
	}
	n := countDigits(text)
	d.whole, text = text[:n], text[n:]
	for len(d.whole) > 0 && d.whole[0] == '0' {
		d.whole = d.whole[1:]
	}
	if len(text) > 0 && text[0] == '.' {
		n := countDigits(text[1:])
		d.fraction, text = bytes.TrimRight(text[1:1+n], "0"), text[1+n:]
	}
	d.rest = text
	if len(d.whole)+len(d.fraction) == 0 {
		d.negative = false
	}
	return d
}

func countDigits(text []byte) int {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return n
}

func compareNumbers(a, b decimal) int {
	if a.negative != b.negative {
		if a.negative {
			return -1
		}
		return 1
	}
	c := cmp.Compare(len(a.whole), len(b.whole))
	if c == 0 {
		c = cmp.Or(bytes.Compare(a.whole, b.whole), bytes.Compare(a.fraction, b.fraction))
	}
	if a.negative {
		c = -c
	}
	return c
}

// compareHuman compares numbers such as 2K and 1G as sort -h does: units first, then the values.
func compareHuman(a, b []byte) int {
	x, y := parseDecimal(a), parseDecimal(b)
	if x.negative == y.negative {
		if c := cmp.Compare(x.unit(), y.unit()); c != 0 {
			if x.negative {
				return -c
			}
			return c
		}
	}
	return compareNumbers(x, y)
}

// unit returns the rank of the unit letter after the number, or 0 if there is no unit.
func (d decimal) unit() int {
	if len(d.rest) == 0 || len(d.whole)+len(d.fraction) == 0 {
		return 0
	}
	if d.rest[0] == 'k' {
		return 1
	}
	return 1 + strings.IndexByte("KMGTPEZY", d.rest[0])
}

// generalNumber parses the number at the start of a text, as C's strtod does. Texts without a
// number have the rank 0, NaN 1, and other numbers 2.
func generalNumber(text []byte) (number float64, rank int) {
	s := strings.TrimLeft(string(text[:min(len(text), 400)]), " \t")
	for end := len(s); end > 0; end-- {
		part := s[:end]
		if strings.Contains(part, "_") {
			continue
		}
		f, err := strconv.ParseFloat(part, 64)
		if err != nil && strings.ContainsAny(part, "xX") && !strings.ContainsAny(part, "pP") {
			f, err = strconv.ParseFloat(part+"p0", 64) // in C the exponent is optional
		}
		switch {
		case err != nil && !errors.Is(err, strconv.ErrRange):
		case math.IsNaN(f):
			return 0, 1
		default:
			return f, 2
		}
	}
	return 0, 0
}

func monthNumber(text []byte) int {
	text = bytes.TrimLeft(text, " \t")
	if len(text) < 3 {
		return 0
	}
	return (strings.Index("JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC", strings.ToUpper(string(text[:3]))) + 3) / 3
}
