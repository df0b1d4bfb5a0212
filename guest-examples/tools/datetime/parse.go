package datetime

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	// The sandbox has no zone files.
	_ "time/tzdata"
)

// The years that RFC 3339 can write.
const minYear, maxYear = 1, 9999

// parser reads moments.
type parser struct {
	now  func() time.Time
	zone *time.Location // nil if none was asked for
}

// layouts are the forms of a moment without an offset. A fraction of a second
// is taken without being named.
var layouts = []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"}

// parse reads text, the argument param, as now, as RFC 3339, as date and time
// or date alone in the zone (UTC if there is none), or as @ and Unix seconds.
// The result is in the zone, if there is one. The note, "" or a line, says how
// a time was read that the change of clocks makes doubtful.
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
		return t, "", fmt.Errorf("%s lies outside the years %04d to %d", param, minYear, maxYear)
	}
	return t, note, nil
}

// written reads a date with or without time and offset.
func (p parser) written(text string) (time.Time, string, error) {
	// RFC 3339 allows small letters, and a space in place of the T.
	normal := strings.ToUpper(text)
	if len(normal) > len("2006-01-02") && normal[len("2006-01-02")] == ' ' {
		normal = strings.Replace(normal, " ", "T", 1)
	}
	t, err := time.Parse(time.RFC3339, normal)
	if err == nil {
		// A zone of the machine that happens to have this offset must not
		// lend its name.
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

// isOutOfRange reports whether the part of a time, "" for any, has a number that
// is too large or too small.
func isOutOfRange(err error, part string) bool {
	var parseErr *time.ParseError
	return errors.As(err, &parseErr) &&
		strings.Contains(parseErr.Message, part) && strings.Contains(parseErr.Message, "out of range")
}

// atWall returns the moment at which clocks in zone show the date and time of
// wall, and a note if there is none or if there are two.
func atWall(wall time.Time, zone *time.Location) (time.Time, string) {
	t := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), zone)
	const clock = "2006-01-02 15:04:05"
	if t.Format(clock) != wall.Format(clock) {
		return t, fmt.Sprintf("note: clocks in %s skip %s\n", zone, wall.Format(clock))
	}
	// Clocks are put back by half an hour or an hour.
	for _, shift := range []time.Duration{-time.Hour, -30 * time.Minute, 30 * time.Minute, time.Hour} {
		if other := t.Add(shift); other.Format(clock) == t.Format(clock) {
			return t, fmt.Sprintf("note: clocks in %s show %s twice; the other one is %s\n", zone, wall.Format(clock), other.Format(time.RFC3339))
		}
	}
	return t, ""
}

// parseZone returns the zone of that name or offset, or nil for "".
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
		// Local would be the machine's, which is nobody's business.
		if zone, err := time.LoadLocation(spelling); err == nil && spelling != "Local" {
			return zone, nil
		}
	}
	return nil, fmt.Errorf("%.60q is unknown; use an IANA name such as Europe/Berlin, UTC or an offset such as +02:00", name)
}

// titled returns the usual spelling of a zone that was written in another case:
// america/new york becomes America/New_York.
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

// offsetName writes an offset in seconds as +hh:mm.
func offsetName(offset int) string {
	sign := '+'
	if offset < 0 {
		sign, offset = '-', -offset
	}
	return fmt.Sprintf("%c%02d:%02d", sign, offset/3600, offset/60%60)
}
