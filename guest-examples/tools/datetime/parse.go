package datetime

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	// The sandbox has no time zone files.
	_ "time/tzdata"
)

// minYear and maxYear limit the years, as RFC 3339 does.
const minYear, maxYear = 1, 9999

// parser parses times.
type parser struct {
	now  func() time.Time
	zone *time.Location // nil if the call names none
}

// layouts are the forms of a time without an offset. The time package accepts fractional seconds
// without a layout.
var layouts = []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"}

// parse parses text, the value of the argument param. It accepts now, RFC 3339, a date with or
// without a time, or @ and Unix seconds. A time without an offset is in the parser's zone, or in
// UTC if zone is nil. If zone is not nil, the result is in zone. The note is "" or a line that
// explains how parse resolved a time that a clock change makes ambiguous.
func (p parser) parse(param, text string) (t time.Time, note string, err error) {
	text = strings.TrimSpace(text)
	seconds, isUnix := strings.CutPrefix(text, "@")
	switch {
	case text == "" || text == "now":
		t = p.now().UTC()
	case isUnix:
		n, err := strconv.ParseInt(seconds, 10, 64)
		if err != nil {
			return t, "", fmt.Errorf("%s: %.40q is not @ and a whole number of seconds since 1970", param, text)
		}
		t = time.Unix(n, 0).UTC()
	default:
		if t, note, err = p.written(text); err != nil {
			return t, "", fmt.Errorf("%s: %.60q %w", param, text, err)
		}
	}
	if p.zone != nil {
		t = t.In(p.zone)
	}
	if t.Year() < minYear || t.Year() > maxYear {
		return t, "", fmt.Errorf("%s is outside the years %04d to %d", param, minYear, maxYear)
	}
	return t, note, nil
}

// written parses a date with or without time and offset.
func (p parser) written(text string) (time.Time, string, error) {
	// RFC 3339 allows lower-case letters, and a space instead of the T.
	normal := strings.ToUpper(text)
	if len(normal) > len("2006-01-02") && normal[len("2006-01-02")] == ' ' {
		normal = strings.Replace(normal, " ", "T", 1)
	}
	t, err := time.Parse(time.RFC3339, normal)
	if err == nil {
		// The machine's own zone may happen to have this offset; don't show its name.
		_, offset := t.Zone()
		return t.In(fixedZone(offset)), "", nil
	}
	if isOutOfRange(err, "offset") {
		return time.Time{}, "", errors.New("has an offset that does not exist; write its hours and minutes, as in +05:30")
	}
	outOfRange := isOutOfRange(err, "")
	zone := p.zone
	if zone == nil {
		zone = time.UTC
	}
	for _, layout := range layouts {
		wall, err := time.Parse(layout, normal)
		if err == nil {
			t, note := atWall(wall, zone)
			return t, note, nil
		}
		outOfRange = outOfRange || isOutOfRange(err, "")
	}
	if outOfRange {
		return time.Time{}, "", errors.New("names a day or a time that does not exist")
	}
	return time.Time{}, "", errors.New("is not a time; write 2026-01-31, 2026-01-31T15:04, 2026-01-31T15:04:05+01:00, @1700000000 or now")
}

// isOutOfRange reports whether err says that a number in the given part of a time is out of range.
// The part "" means any part.
func isOutOfRange(err error, part string) bool {
	var parseErr *time.ParseError
	return errors.As(err, &parseErr) &&
		strings.Contains(parseErr.Message, part) && strings.Contains(parseErr.Message, "out of range")
}

// atWall returns the time at which clocks in zone show the date and time of wall. It adds a note if
// there is no such time, or if there are two such times.
func atWall(wall time.Time, zone *time.Location) (time.Time, string) {
	t := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), zone)
	const clock = "2006-01-02 15:04:05"
	if t.Format(clock) != wall.Format(clock) {
		return t, fmt.Sprintf("note: clocks in %s skip %s\n", zone, wall.Format(clock))
	}
	// Clocks are set back by half an hour or an hour.
	for _, shift := range []time.Duration{-time.Hour, -30 * time.Minute, 30 * time.Minute, time.Hour} {
		if other := t.Add(shift); other.Format(clock) == t.Format(clock) {
			return t, fmt.Sprintf("note: clocks in %s show %s twice; the other time is %s\n", zone, wall.Format(clock), other.Format(time.RFC3339))
		}
	}
	return t, ""
}

// parseZone returns the zone with that name or offset, or nil for "".
func parseZone(name string) (*time.Location, error) {
	switch {
	case name == "":
		return nil, nil
	case strings.EqualFold(name, "utc"), strings.EqualFold(name, "z"):
		return time.UTC, nil
	}
	if t, err := time.Parse("-07:00", name); err == nil {
		_, offset := t.Zone()
		return fixedZone(offset), nil
	}
	for _, spelling := range []string{name, titled(name)} {
		// Local would reveal the zone of the machine.
		if zone, err := time.LoadLocation(spelling); err == nil && spelling != "Local" {
			return zone, nil
		}
	}
	return nil, fmt.Errorf("%.60q is unknown; use an IANA name such as Europe/Berlin, UTC or an offset such as +02:00", name)
}

// titled returns the usual spelling of a zone written in another case: america/new york becomes
// America/New_York.
func titled(name string) string {
	out := []byte(strings.ReplaceAll(strings.ToLower(name), " ", "_"))
	for i, b := range out {
		if (i == 0 || out[i-1] == '/' || out[i-1] == '_' || out[i-1] == '-') && 'a' <= b && b <= 'z' {
			out[i] = b - 'a' + 'A'
		}
	}
	return string(out)
}

// fixedZone returns the zone with this offset in seconds.
func fixedZone(offset int) *time.Location {
	if offset == 0 {
		return time.UTC
	}
	return time.FixedZone(offsetName(offset), offset)
}

// offsetName formats an offset in seconds as +hh:mm.
func offsetName(offset int) string {
	sign := '+'
	if offset < 0 {
		sign, offset = '-', -offset
	}
	return fmt.Sprintf("%c%02d:%02d", sign, offset/3600, offset/60%60)
}
