package commands

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

var seq = spec{
	name: "seq", synopsis: "[-w] [-s SEPARATOR] [-f FORMAT] [FIRST [STEP]] LAST", options: rawArguments,
	run: runSeq,
}

func runSeq(p *process, _ options, words []string) int {
	separator, format, wide := "\n", "", false
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' && !isDigit(words[0][1]) && words[0][1] != '.' {
		word := words[0]
		words = words[1:]
		switch {
		case word == "-w" || word == "--equal-width":
			wide = true
		case word == "--":
		case strings.HasPrefix(word, "-s") || strings.HasPrefix(word, "-f"):
			value := word[2:]
			if value == "" {
				if len(words) == 0 {
					return p.fail("option requires an argument -- '%c'", word[1])
				}
				value, words = words[0], words[1:]
			}
			if word[1] == 's' {
				separator = value
			} else {
				format = value
			}
		default:
			return p.fail("invalid option '%s'; supported: -w -s -f", word)
		}
	}
	if len(words) == 0 || len(words) > 3 {
		return p.fail("give one to three numbers: [FIRST [STEP]] LAST")
	}
	numbers := [3]float64{1, 1, 0}
	digits := 0
	for i, word := range words {
		n, err := strconv.ParseFloat(word, 64)
		if err != nil || math.IsNaN(n) || strings.ContainsAny(word, "_xX") {
			return p.fail("invalid floating point argument: '%s'", word)
		}
		at := i
		if i == len(words)-1 {
			at = 2
		} else {
			_, fraction, _ := strings.Cut(word, ".")
			digits = max(digits, min(len(fraction), 20))
		}
		numbers[at] = n
	}
	first, step, last := numbers[0], numbers[1], numbers[2]
	if step == 0 {
		return p.fail("invalid Zero increment value: '%s'", words[1])
	}
	width := 0
	if wide {
		width = max(len(strconv.FormatFloat(first, 'f', digits, 64)), len(strconv.FormatFloat(last, 'f', digits, 64)))
	}
	for i := 0.0; !p.stopped(); i++ {
		n := first + i*step
		if step > 0 && n > last+step*1e-10 || step < 0 && n < last+step*1e-10 {
			if i > 0 {
				p.print("\n")
			}
			break
		}
		if i > 0 {
			p.print(separator)
		}
		if format != "" {
			text, ok := formatNumber(format, n)
			if !ok {
				return p.fail("format '%s' has no %% directive for a number", format)
			}
			p.print(text)
			continue
		}
		p.printf("%0*.*f", width, digits, n)
	}
	return p.status
}

// formatNumber formats with the single %e, %f or %g of a format.
func formatNumber(format string, n float64) (text string, ok bool) {
	at := strings.IndexByte(format, '%')
	if at < 0 {
		return "", false
	}
	end := at + 1
	for end < len(format) && strings.IndexByte("0123456789.+- #'", format[end]) >= 0 && end-at < 20 {
		end++
	}
	if end == len(format) || strings.IndexByte("eEfFgG", format[end]) < 0 {
		return "", false
	}
	return format[:at] + fmt.Sprintf(format[at:end+1], n) + format[end+1:], true
}
