package commands

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

var seq = spec{
	name: "seq", synopsis: "[-w] [-s SEPARATOR] [-f FORMAT] [FIRST [STEP]] LAST",
	options: "+ - f,format: s,separator: w,equal-width", run: runSeq,
}

// seqPrecision is the precision in bits of a long double, the type of GNU's numbers.
const seqPrecision = 64

// seqNumber is an operand of seq.
type seqNumber struct {
	value *big.Float
	// width is the length of the number without an exponent. fraction is the number of digits after
	// the point, or -1 if the number has no fixed notation.
	width, fraction int
}

func runSeq(p *process, o options, words []string) int {
	switch {
	case len(words) == 0:
		return p.fail("missing operand")
	case len(words) > 3:
		return p.fail("extra operand '%s'", words[3])
	case o.has("f") && o.has("w"):
		return p.fail("format string may not be specified when printing equal width strings")
	}
	format, err := readSeqFormat(o.value("f", "%g"))
	if err != nil {
		return p.fail("%v", err)
	}
	one := seqNumber{value: big.NewFloat(1).SetPrec(seqPrecision), width: 1}
	first, step, last := one, one, one
	precision := uint(seqPrecision)
	if !o.has("f") && isNumber(strings.Join(words, "")) {
		precision = max(precision, 4*uint(len(words[len(words)-1]))) // integers are exact
	}
	for i, word := range words {
		n, err := parseSeqNumber(word, precision)
		if err != nil {
			return p.fail("%v", err)
		}
		switch {
		case i == len(words)-1:
			last = n
		case i == 0:
			first = n
		default:
			step = n
		}
	}
	if step.value.Sign() == 0 {
		return p.fail("invalid Zero increment value: '%s'", words[1])
	}
	if !o.has("f") {
		format = defaultSeqFormat(first, step, last, o.has("w"))
	}
	p.printSequence(first.value, step.value, last.value, format, o.value("s", "\n"))
	return p.status
}

// maxSeqExponent limits the size of a number, as a power of two. A long double has the same limit.
const maxSeqExponent = 1 << 14

// parseSeqNumber parses an operand in decimal or hexadecimal notation.
func parseSeqNumber(word string, precision uint) (seqNumber, error) {
	text := strings.TrimPrefix(strings.TrimLeft(word, " \t\n"), "+")
	value, _, err := big.ParseFloat(text, 0, precision, big.ToNearestEven)
	digits := strings.TrimLeft(text, "-+")
	prefixed := len(digits) > 1 && digits[0] == '0' && strings.IndexByte("bBoO", digits[1]) >= 0
	if err != nil || prefixed || strings.Contains(text, "_") {
		if strings.EqualFold(digits, "nan") {
			return seqNumber{}, fmt.Errorf("invalid 'not-a-number' argument: '%s'", word)
		}
		return seqNumber{}, fmt.Errorf("invalid floating point argument: '%s'", word)
	}
	if exponent := value.MantExp(nil); len(text) > maxSeqWidth || exponent > maxSeqExponent || exponent < -maxSeqExponent {
		return seqNumber{}, fmt.Errorf("the number '%.40s' has more than 4096 digits or an exponent beyond 4932", word)
	}
	n := seqNumber{value: value, width: len(text), fraction: -1}
	if strings.ContainsAny(text, "xX") || value.IsInf() {
		if !strings.ContainsAny(text, ".pP") {
			n.fraction = 0
		}
		n.width = 0
		return n, nil
	}
	n.measure(text)
	return n, nil
}

// measure counts the characters and the digits after the point of a decimal number.
func (n *seqNumber) measure(text string) {
	mantissa, exponentText, _ := strings.Cut(strings.ToLower(text), "e")
	whole, fraction, pointed := strings.Cut(mantissa, ".")
	n.fraction = len(fraction)
	n.width = len(mantissa)
	switch {
	case pointed && fraction == "":
		n.width--
	case pointed && (whole == "" || !isDigit(whole[len(whole)-1])):
		n.width++ // .1 becomes 0.1
	}
	exponent, err := strconv.Atoi(exponentText)
	if err != nil || exponent == 0 {
		return
	}
	if exponent < 0 {
		n.fraction -= exponent
		if !pointed || fraction == "" {
			n.width++
		}
		n.width -= exponent
		return
	}
	n.fraction -= min(n.fraction, exponent)
	if pointed && n.fraction == 0 && fraction != "" {
		n.width--
	}
	n.width += exponent - min(len(fraction), exponent)
}

// seqFormat is the format of a number, with the text around it.
type seqFormat struct{ before, verb, after string }

func (f seqFormat) number(n *big.Float) string { return fmt.Sprintf(f.verb, n) }

// maxSeqWidth limits the width and the precision of a number.
const maxSeqWidth = 4096

func defaultSeqFormat(first, step, last seqNumber, wide bool) seqFormat {
	if first.fraction < 0 || step.fraction < 0 || last.fraction < 0 {
		return seqFormat{verb: "%.6g"}
	}
	fraction := max(first.fraction, step.fraction)
	width := 0
	if wide {
		firstWidth, lastWidth := first.width+fraction-first.fraction, last.width+fraction-last.fraction
		switch {
		case last.fraction > 0 && fraction == 0:
			lastWidth-- // the point
		case last.fraction == 0 && fraction > 0:
			lastWidth++
		}
		if first.fraction == 0 && fraction > 0 {
			firstWidth++
		}
		width = max(firstWidth, lastWidth)
	}
	return seqFormat{verb: fmt.Sprintf("%%0%d.%df", min(width, maxSeqWidth), min(fraction, maxSeqWidth))}
}

// readSeqFormat parses a format of printf with exactly one number.
func readSeqFormat(format string) (seqFormat, error) {
	var f seqFormat
	f.before, format = literalPercents(format)
	if format == "" {
		return f, fmt.Errorf("format '%s' has no %% directive", f.before)
	}
	end := 1
	flags := countBytes(format[end:], "-+ 0#'")
	spelled := format[:end+flags]
	end += flags
	width := countBytes(format[end:], "0123456789")
	end += width
	precision := 0
	if strings.HasPrefix(format[end:], ".") {
		end++
		precision = countBytes(format[end:], "0123456789")
		end += precision
	} else {
		precision = -1
	}
	numbers := format[1+flags : end]
	for part := range strings.SplitSeq(numbers, ".") {
		if n, err := strconv.Atoi("0" + part); err != nil || n > maxSeqWidth {
			return f, fmt.Errorf("a width in the format is larger than the limit of %d", maxSeqWidth)
		}
	}
	end += countBytes(format[end:], "L")
	switch {
	case end == len(format):
		return f, fmt.Errorf("format '%s' ends in %%", f.before+format)
	case strings.IndexByte("eEfFgG", format[end]) < 0:
		return f, fmt.Errorf("format '%s' has unknown %%%c directive; supported: %%e %%f %%g", f.before+format, format[end])
	case precision < 0:
		numbers += ".6"
	}
	verb := format[end]
	if verb == 'F' {
		verb = 'f'
	}
	f.verb = strings.ReplaceAll(spelled, "'", "") + numbers + string(verb)
	var rest string
	if f.after, rest = literalPercents(format[end+1:]); rest != "" {
		return f, fmt.Errorf("format '%s' has too many %% directives", f.before+format)
	}
	return f, nil
}

// literalPercents returns the text before the first directive, with % for %%, and the rest.
func literalPercents(format string) (text, rest string) {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(format, "%")
		out.WriteString(before)
		if !found {
			return out.String(), ""
		}
		if !strings.HasPrefix(after, "%") {
			return out.String(), "%" + after
		}
		out.WriteByte('%')
		format = after[1:]
	}
}

// countBytes returns how many bytes at the start of text are in set.
func countBytes(text, set string) int { return len(text) - len(strings.TrimLeft(text, set)) }

// printSequence prints the numbers from first to last.
func (p *process) printSequence(first, step, last *big.Float, format seqFormat, separator string) {
	past := func(n *big.Float) bool { return n.Cmp(last) == step.Sign() }
	n := new(big.Float).Copy(first)
	if past(n) {
		return
	}
	if first.IsInf() {
		step = new(big.Float) // the sum of two infinities has no value
	}
	text := format.number(n)
	for i := 1; !p.stopped(); i++ {
		p.print(format.before)
		p.print(text)
		p.print(format.after)
		before := text
		n = new(big.Float).SetPrec(first.Prec()).Mul(step, big.NewFloat(float64(i)))
		n.Add(n, first)
		text = format.number(n)
		// Rounding may make the last number slightly too large: seq 0 0.1 0.3 has four numbers.
		if past(n) && (text == before || !sameNumber(text, last)) {
			break
		}
		p.print(separator)
	}
	p.print("\n")
}

// sameNumber reports whether text and n are the same number.
func sameNumber(text string, n *big.Float) bool {
	parsed, _, err := big.ParseFloat(strings.TrimSpace(text), 10, seqPrecision, big.ToNearestEven)
	return err == nil && parsed.Cmp(n) == 0
}
