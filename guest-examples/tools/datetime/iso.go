package datetime

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The forms of ISO 8601 for a date, a time of day and an offset. A month or week without a day,
// basic ordinal dates and years of more than four digits are not supported.
const (
	isoDate   = `(?P<year>\d{4})(?:-(?P<month>\d\d)-(?P<day>\d\d)|(?P<month>\d\d)(?P<day>\d\d)|-?W(?P<week>\d\d)-?(?P<weekday>\d)|-(?P<ordinal>\d{3}))`
	isoClock  = `(?P<hour>\d\d?)(?::(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d+))?)?|(?P<minute>\d\d)(?:(?P<second>\d\d)(?:[.,](?P<fraction>\d+))?)?)?`
	isoOffset = `(?:(?P<utc>Z)|(?P<sign>[-+])(?P<offhour>\d\d)(?::?(?P<offminute>\d\d))?)`
)

var (
	errNoSuchTime   = errors.New("is a day or a time that does not exist")
	errNoSuchOffset = errors.New("has an offset that does not exist; write its hours and minutes, as in +05:30")
	errNotTime      = errors.New("is not a time; write 2026-01-31, 2026-01-31T15:04, 2026-01-31T15:04:05+01:00, @1700000000 or now")
)

// isoTime is a date and a time of day in a form of ISO 8601.
type isoTime struct {
	wall time.Time      // the date and time that clocks show, as a time in UTC
	zone *time.Location // a zone with the offset of the text; nil without an offset
	leap bool           // the text has the second 60; wall is then one second earlier
}

// fields are the named groups of a match. If several groups have the same name, the field is the
// value that is not empty.
type fields map[string]string

// match returns the fields of text, or nil if text does not match the expression.
func match(expression, text string) fields {
	re := regexp.MustCompile("^(?:" + expression + ")$")
	found := re.FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	f := fields{}
	for i, name := range re.SubexpNames() {
		if found[i] != "" {
			f[name] = found[i]
		}
	}
	return f
}

// number returns a field as a number, or 0 if the field is missing.
func (f fields) number(name string) int {
	n, _ := strconv.Atoi(f[name]) // a field is a few digits, so there is no error
	return n
}

// parseISO reads a date with or without a time of day and an offset. RFC 3339 allows lower-case
// letters and a space instead of the T.
func parseISO(text string) (isoTime, error) {
	f := match(isoDate+"(?:[T ]"+isoClock+"(?: ?"+isoOffset+")?)?", strings.ToUpper(text))
	if f == nil {
		return isoTime{}, errNotTime
	}
	zone, err := f.offset()
	if err != nil {
		return isoTime{}, err
	}
	day, ok := f.date()
	hour, minute, second := f.number("hour"), f.number("minute"), f.number("second")
	nanosecond, _ := strconv.Atoi((f["fraction"] + "000000000")[:9])
	endOfDay := hour == 24 && minute == 0 && second == 0 && nanosecond == 0
	if !ok || hour > 23 && !endOfDay || minute > 59 || second > 60 {
		return isoTime{}, errNoSuchTime
	}
	t := isoTime{zone: zone, leap: second == 60}
	t.wall = time.Date(day.Year(), day.Month(), day.Day(), hour, minute, min(second, 59), nanosecond, time.UTC)
	return t, nil
}

// date returns the day; ok is false if there is no such day.
func (f fields) date() (day time.Time, ok bool) {
	year := f.number("year")
	first := time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC)
	switch {
	case f["week"] != "":
		// The first week has January 4, and weeks begin on Monday.
		week, weekday := f.number("week"), f.number("weekday")
		fourth := first.AddDate(0, 0, 3)
		day = fourth.AddDate(0, 0, (week-1)*7+weekday-isoWeekday(fourth))
		haveYear, haveWeek := day.ISOWeek()
		return day, weekday >= 1 && weekday <= 7 && haveYear == year && haveWeek == week
	case f["ordinal"] != "":
		day = first.AddDate(0, 0, f.number("ordinal")-1)
		return day, day.Year() == year
	}
	month := time.Month(f.number("month"))
	day = time.Date(year, month, f.number("day"), 0, 0, 0, 0, time.UTC)
	return day, day.Month() == month && day.Day() == f.number("day")
}

// isoWeekday returns the number of the weekday; Monday is 1.
func isoWeekday(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 }

// offset returns the zone of the offset, or nil if there is none.
func (f fields) offset() (*time.Location, error) {
	if f["utc"] != "" {
		return time.UTC, nil
	}
	if f["sign"] == "" {
		return nil, nil
	}
	hours, minutes := f.number("offhour"), f.number("offminute")
	if hours > 23 || minutes > 59 {
		return nil, errNoSuchOffset
	}
	seconds := (hours*60 + minutes) * 60
	if f["sign"] == "-" {
		seconds = -seconds
	}
	return fixedZone(seconds), nil
}
