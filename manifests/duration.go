package manifests

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// durationText is narrower than time.ParseDuration: no sign, no unit below a millisecond.
var durationText = regexp.MustCompile(`^([0-9]{1,9}(\.[0-9]{1,6})?(ms|s|m|h))+$`)

// parseTimeout reads a time such as "10s" or "1m30s".
func parseTimeout(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || !durationText.MatchString(text) {
		if d < 0 || strings.HasPrefix(text, "-") {
			return 0, fmt.Errorf("%s is negative; write a time from 1ms to 1h", quote(text))
		}
		if bareNumber.MatchString(text) {
			return 0, fmt.Errorf("%s has no unit; write %q", quote(text), secondsOf(text))
		}
		return 0, fmt.Errorf(`%s is not a time; write numbers with the units h, m, s or ms, such as "10s"`, quote(text))
	}
	if d < MinTimeout || d > MaxTimeout {
		return 0, fmt.Errorf("%s is out of range; write a time from 1ms to 1h", quote(text))
	}
	return d, nil
}

var bareNumber = regexp.MustCompile(`^[0-9]{1,9}(\.[0-9]{1,6})?$`)

// secondsOf returns the time that a bare number most likely stands for.
func secondsOf(literal string) string {
	number := strings.ReplaceAll(literal, "_", "")
	if !bareNumber.MatchString(number) {
		number = "10"
	}
	return number + "s"
}
