package stricttoml

import (
	"fmt"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/internal/lazyregexp"
)

// durationText accepts less than time.ParseDuration: no sign, and no unit below a millisecond.
var durationText = lazyregexp.New(`^([0-9]{1,9}(\.[0-9]{1,6})?(ms|s|m|h))+$`)

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

var bareNumber = lazyregexp.New(`^[0-9]{1,9}(\.[0-9]{1,6})?$`)

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
