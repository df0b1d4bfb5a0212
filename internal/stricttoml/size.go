package stricttoml

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/suggest"
)

var sizeText = regexp.MustCompile(`^([0-9]{1,19}) ?([A-Za-z]*)$`)

// exampleSize is suggested where the right size cannot be guessed.
const exampleSize = "64MiB"

// sizeUnits are the units of a size, the largest first.
var sizeUnits = []struct {
	name  string
	shift uint
}{{"GiB", 30}, {"MiB", 20}, {"KiB", 10}, {"B", 0}}

// ParseSize converts a size such as "64MiB" to a number of bytes, which must be between low and
// high.
func ParseSize(text string, low, high uint64) (uint64, error) {
	match := sizeText.FindStringSubmatch(text)
	if match == nil {
		return 0, fmt.Errorf(`%s is not a size; write a whole number and a unit, such as %q`, Quote(text), exampleSize)
	}
	number, unit := match[1], match[2]
	for _, u := range sizeUnits {
		if u.name != unit {
			continue
		}
		n, err := strconv.ParseUint(number, 10, 64)
		if err != nil || n > math.MaxUint64>>u.shift {
			n = math.MaxUint64
		} else {
			n <<= u.shift
		}
		if n < low || n > high {
			return 0, fmt.Errorf("%s is out of range; write a size from %s to %s", Quote(text), FormatSize(low), FormatSize(high))
		}
		return n, nil
	}
	return 0, fmt.Errorf("%s has no unit or an unknown one; write %q", Quote(text), number+unitOf(number, unit))
}

// SizeOf returns the size that a number without a unit most likely means.
func SizeOf(literal string) string {
	number := strings.ReplaceAll(literal, "_", "")
	if _, err := strconv.ParseUint(number, 10, 64); err != nil {
		return exampleSize
	}
	return number + unitOf(number, "")
}

// unitOf guesses the right unit for a number: the one that begins with the same letter as the
// wrong unit, or else bytes for a long number and MiB for a short one.
func unitOf(number, unit string) string {
	if unit != "" {
		for _, u := range sizeUnits {
			if strings.EqualFold(unit[:1], u.name[:1]) {
				return u.name
			}
		}
	}
	if len(number) > len("1024") {
		return "B"
	}
	return "MiB"
}

// FormatSize writes a size with the largest unit that leaves a whole number.
func FormatSize(n uint64) string {
	for _, u := range sizeUnits {
		if n >= 1<<u.shift && n%(1<<u.shift) == 0 {
			return strconv.FormatUint(n>>u.shift, 10) + u.name
		}
	}
	return strconv.FormatUint(n, 10) + "B"
}

// ParseCount reads an integer in any base and with any separators of TOML. It must be between low
// and high.
func ParseCount(literal string, low, high uint64) (uint64, error) {
	number, _ := Number(literal)
	n, err := strconv.ParseUint(number, 10, 64) // fails below 0
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("%s is out of range; write a whole number from %s to %s", plaintext.Excerpt(literal, MaxQuoted), FormatCount(low), FormatCount(high))
	}
	return n, nil
}

// FormatCount writes a number with a separator between thousands from 10_000 on.
func FormatCount(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0 && n >= 10_000; i -= 3 {
		digits = digits[:i] + "_" + digits[i:]
	}
	return digits
}

// durationText accepts less than time.ParseDuration: no sign, and no unit below a millisecond.
var durationText = regexp.MustCompile(`^([0-9]{1,9}(\.[0-9]{1,6})?(ms|s|m|h))+$`)

// ParseDuration reads a time such as "10s" or "1m30s", which must be between low and high.
func ParseDuration(text string, low, high time.Duration) (time.Duration, error) {
	scale := "a time from " + FormatDuration(low) + " to " + FormatDuration(high)
	d, err := time.ParseDuration(text)
	if err != nil || !durationText.MatchString(text) {
		if d < 0 || strings.HasPrefix(text, "-") {
			return 0, fmt.Errorf("%s is negative; write %s", Quote(text), scale)
		}
		if bareNumber.MatchString(text) {
			return 0, fmt.Errorf("%s has no unit; write %q", Quote(text), SecondsOf(text))
		}
		return 0, fmt.Errorf(`%s is not a time; write numbers with the units h, m, s or ms, such as "10s"`, Quote(text))
	}
	if d < low || d > high {
		return 0, fmt.Errorf("%s is out of range; write %s", Quote(text), scale)
	}
	return d, nil
}

var bareNumber = regexp.MustCompile(`^[0-9]{1,9}(\.[0-9]{1,6})?$`)

// SecondsOf returns the time that a number without a unit most likely means.
func SecondsOf(literal string) string {
	number := strings.ReplaceAll(literal, "_", "")
	if !bareNumber.MatchString(number) {
		number = "10"
	}
	return number + "s"
}

// FormatDuration writes a time without the units that are zero: "1h", "1m30s".
func FormatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Choice returns the key k for a string of an enumeration, which is stored in target. The values
// are written as package fmt prints them.
func Choice[T any](c *Checker, k Key, target *T, choices ...T) Key {
	k.Want, k.Choices = WantString, words(choices)
	k.Read = ReadString(c, target, func(text string) (T, error) { return ParseChoice(text, choices...) })
	return k
}

func words[T any](choices []T) []string {
	return each.Of(choices, func(choice T) string { return fmt.Sprint(choice) })
}

// ParseChoice reads one value of an enumeration, which is written as package fmt prints it.
func ParseChoice[T any](text string, choices ...T) (T, error) {
	words, quoted := words(choices), make([]string, len(choices))
	for i, choice := range choices {
		if words[i] == text {
			return choice, nil
		}
		quoted[i] = strconv.Quote(words[i])
	}
	fix := "write " + strings.Join(quoted, " or ")
	if near := suggest.Nearest(text, words); near != "" {
		fix = fmt.Sprintf("did you mean %q?", near)
	}
	return *new(T), fmt.Errorf("%s is not a valid value; %s", Quote(text), fix)
}
