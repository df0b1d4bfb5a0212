package datetime

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	// Embed the time zone database, because the sandbox has no time zone files.
	_ "time/tzdata"
)

// minYear and maxYear limit the years of all times, as RFC 3339 does.
const minYear, maxYear = 1, 9999

// parser parses times.
type parser struct {
	now  func() time.Time
	zone *time.Location // nil if the call has no zone
}

// parse parses text, the value of the argument param. It accepts now, a date of ISO 8601 with or
// without a time, or @ and Unix seconds. A time without an offset is in the parser's zone, or in
// UTC if zone is nil. If zone is not nil, the result is in zone. The note is "" or a line that
// explains the result for a time that a clock change skips or repeats.
func (p parser) parse(param, text string) (t time.Time, note string, err error) {
	text = strings.TrimSpace(text)
	seconds, isUnix := strings.CutPrefix(text, "@")
	switch {
	case text == "" || text == "now":
		t = p.now().UTC()
	case isUnix:
		n, err := strconv.ParseInt(seconds, 10, 64)
		if err != nil {
			return t, "", fmt.Errorf("%s: %.40q is invalid; after @, give a whole number of seconds since 1970", param, text)
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
		return t, "", fmt.Errorf("%s is not within the years %04d to %d", param, minYear, maxYear)
	}
	return t, note, nil
}

// written parses a date with an optional time and an optional offset.
func (p parser) written(text string) (t time.Time, note string, err error) {
	iso, err := parseISO(text)
	if err != nil {
		return t, "", err
	}
	zone := iso.zone
	if zone == nil {
		zone = p.zone
	}
	if zone == nil {
		zone = time.UTC
	}
	t, note = atWall(iso.wall, zone)
	if !iso.leap {
		return t, note, nil
	}
	t = t.Add(time.Second)
	if utc := t.UTC(); utc.Day() != 1 || utc.Hour() != 0 || utc.Minute() != 0 {
		return t, "", errors.New("has second 60, but leap seconds come only at the end of a month in UTC, at 23:59:60Z")
	}
	return t, note + "note: second 60 is a leap second; Unix time gives it the number of the next second\n", nil
}

// parseZone returns the zone with the given name or offset. It returns nil for "".
func parseZone(name string) (*time.Location, error) {
	switch {
	case name == "":
		return nil, nil
	case strings.EqualFold(name, "utc"), strings.EqualFold(name, "z"):
		return time.UTC, nil
	}
	if f := match(isoOffset, name); f != nil {
		zone, err := f.offset()
		if err != nil {
			err = fmt.Errorf("%.60q %w", name, err)
		}
		return zone, err
	}
	for _, spelling := range []string{name, titled(name)} {
		// Reject Local, because it would reveal the time zone of the machine.
		if zone, err := time.LoadLocation(spelling); err == nil && spelling != "Local" {
			return zone, nil
		}
	}
	return nil, fmt.Errorf("%.60q is unknown; use an IANA name such as Europe/Berlin, UTC or an offset such as +02:00", name)
}

// titled converts the name of a zone to the usual spelling: america/new york becomes
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

// fixedZone returns a zone with the given offset in seconds.
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
