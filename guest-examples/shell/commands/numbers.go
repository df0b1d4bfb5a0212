package commands

import (
	"strconv"
	"strings"
)

// multipliers are the values of the units that may follow a count, such as K.
var multipliers = []struct {
	suffix string
	factor int64
}{
	{"KiB", 1 << 10},
	{"MiB", 1 << 20},
	{"GiB", 1 << 30},
	{"TiB", 1 << 40},
	{"kB", 1e3},
	{"KB", 1e3},
	{"MB", 1e6},
	{"GB", 1e9},
	{"TB", 1e12},
	{"K", 1 << 10},
	{"k", 1 << 10},
	{"M", 1 << 20},
	{"m", 1 << 20},
	{"G", 1 << 30},
	{"T", 1 << 40},
	{"b", 512},
}

// parseCount parses a nonnegative number with an optional unit such as K.
func parseCount(text string) (int64, bool) {
	factor := int64(1)
	for _, m := range multipliers {
		if rest, ok := strings.CutSuffix(text, m.suffix); ok {
			text, factor = rest, m.factor
			break
		}
	}
	n, err := strconv.ParseUint(text, 10, 62)
	if err != nil || int64(n) > (1<<62)/factor {
		return 0, false
	}
	return int64(n) * factor, true
}

// humanSize formats a size as ls -h does: at most three digits, rounded up, with a unit that is a
// power of 1024.
func humanSize(n int64) string {
	if n < 1024 {
		return strconv.FormatInt(n, 10)
	}
	const units = "KMGTPE"
	unit, divisor := 0, int64(1024)
	for unit+1 < len(units) && n/divisor >= 1024 {
		divisor *= 1024
		unit++
	}
	if tenths := ceilTenths(n, divisor); tenths < 100 {
		return strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10) + units[unit:unit+1]
	}
	whole := (n + divisor - 1) / divisor
	if whole >= 1024 && unit+1 < len(units) {
		return "1.0" + units[unit+1:unit+2]
	}
	return strconv.FormatInt(whole, 10) + units[unit:unit+1]
}

// ceilTenths returns the quotient n/divisor, rounded up to a tenth, as a number of tenths.
func ceilTenths(n, divisor int64) int64 {
	// Ten times the remainder fits in a uint64, since the divisor is at most 2^60.
	rest := uint64(n % divisor)
	return n/divisor*10 + int64((rest*10+uint64(divisor)-1)/uint64(divisor))
}

// padLeft formats n and adds spaces on the left, up to width characters.
func padLeft(n int64, width int) string {
	text := strconv.FormatInt(n, 10)
	return strings.Repeat(" ", max(width-len(text), 0)) + text
}
