package datetime

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

// describe writes a time in RFC 3339, and facts about it.
func describe(t time.Time) string {
	yearEnd := time.Date(t.Year(), time.December, 31, 0, 0, 0, 0, time.UTC)
	var b strings.Builder
	fmt.Fprintln(&b, t.Format(time.RFC3339Nano))
	fmt.Fprintf(&b, "weekday: %s\n", t.Weekday())
	fmt.Fprintf(&b, "iso week: %s\n", isoWeek(t))
	fmt.Fprintf(&b, "day of year: %d of %d\n", t.YearDay(), yearEnd.YearDay())
	fmt.Fprintf(&b, "unix: %d\n", t.Unix())
	fmt.Fprintf(&b, "zone: %s\n", describeZone(t))
	return b.String()
}

// details has the facts about a time for programs.
func details(t time.Time) map[string]any {
	return map[string]any{
		"time": t.Format(time.RFC3339Nano), "weekday": t.Weekday().String(), "isoWeek": isoWeek(t), "dayOfYear": t.YearDay(),
		"unix": t.Unix(), "zone": t.Location().String(),
	}
}

// isoWeek returns the day as year, week and weekday, as in 2026-W05-6.
func isoWeek(t time.Time) string {
	year, week := t.ISOWeek()
	return fmt.Sprintf("%04d-W%02d-%d", year, week, isoWeekday(t))
}

// describeZone returns the name of the zone of t, and the offset from UTC at that time.
func describeZone(t time.Time) string {
	abbreviation, offset := t.Zone()
	facts := []string{offsetName(offset)}
	name := t.Location().String()
	if name == facts[0] {
		return name
	}
	if abbreviation != name && !strings.ContainsAny(abbreviation, "+-") {
		facts = append(facts, abbreviation)
	}
	if t.IsDST() {
		facts = append(facts, "daylight saving time")
	}
	return fmt.Sprintf("%s (%s)", name, strings.Join(facts, ", "))
}

// span is a duration that is split into units. No two fields have different signs.
type span struct {
	years, months, days, hours, minutes, seconds int64
	nanoseconds                                  int64
}

// describeSpan writes the duration between two times in exact units and in calendar units. The
// calendar units depend on the zone of the first time. The details have the exact units.
func describeSpan(from, until time.Time) (text string, details map[string]any) {
	early, late, direction := from, until, ""
	if until.Before(from) {
		early, late, direction = until, from, "-"
	}
	seconds := late.Unix() - early.Unix()
	nanoseconds := int64(late.Nanosecond() - early.Nanosecond())
	if nanoseconds < 0 {
		seconds, nanoseconds = seconds-1, nanoseconds+1e9
	}
	exact := clockSpan(seconds, nanoseconds)
	exact.days, exact.hours = exact.hours/24, exact.hours%24
	duration, count := direction+exact.iso(), fmt.Sprintf("%s%d%s", direction, seconds, fraction(nanoseconds))
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", duration)
	fmt.Fprintf(&b, "exact: %s\n", exact.words())
	fmt.Fprintf(&b, "seconds: %s\n", count)
	fmt.Fprintf(&b, "calendar: %s (in %s)\n", calendarSpan(early.In(from.Location()), late.In(from.Location())).words(), from.Location())
	switch {
	case direction != "":
		fmt.Fprintln(&b, "until is before time")
	case until.Equal(from):
		fmt.Fprintln(&b, "until and time are equal")
	}
	return b.String(), map[string]any{"duration": duration, "seconds": json.Number(count)}
}

// clockSpan splits a duration into hours, minutes, seconds and nanoseconds.
func clockSpan(seconds, nanoseconds int64) span {
	return span{hours: seconds / 3600, minutes: seconds / 60 % 60, seconds: seconds % 60, nanoseconds: nanoseconds}
}

// calendarSpan splits the time between two times in the same zone into whole months, whole days and
// the remaining time.
func calendarSpan(early, late time.Time) span {
	months := (late.Year()-early.Year())*12 + int(late.Month()-early.Month())
	base, _ := addMonths(early, months)
	if base.After(late) {
		months--
		base, _ = addMonths(early, months)
	}
	// This is not too small: a day has at most 25 hours, and there are fewer than 32 days.
	days := int((late.Unix()-base.Unix())/86400) + 1
	moved, _ := addDays(base, days)
	for ; moved.After(late); days-- {
		moved, _ = addDays(base, days-1)
	}
	rest := late.Sub(moved)
	s := clockSpan(int64(rest/time.Second), int64(rest%time.Second))
	s.years, s.months, s.days = int64(months/12), int64(months%12), int64(days)
	return s
}

// fraction writes nanoseconds as the decimal places of a number of seconds.
func fraction(nanoseconds int64) string {
	if nanoseconds == 0 {
		return ""
	}
	return "." + strings.TrimRight(fmt.Sprintf("%09d", nanoseconds), "0")
}

// words writes the units of s that are not zero, as words.
func (s span) words() string {
	var parts []string
	for _, part := range []struct {
		n    int64
		unit string
	}{{s.years, "year"}, {s.months, "month"}, {s.days, "day"}, {s.hours, "hour"}, {s.minutes, "minute"}} {
		if part.n != 0 {
			parts = append(parts, toolabi.Quantity(part.n, part.unit))
		}
	}
	if s.seconds != 0 || s.nanoseconds != 0 || len(parts) == 0 {
		parts = append(parts, toolabi.Quantity(fmt.Sprintf("%d%s", s.seconds, fraction(s.nanoseconds)), "second"))
	}
	return strings.Join(parts, " ")
}

// iso writes s as an ISO 8601 duration. s must have no years and months.
func (s span) iso() string {
	date, clock := "", ""
	if s.days != 0 {
		date = fmt.Sprintf("%dD", s.days)
	}
	if s.hours != 0 {
		clock += fmt.Sprintf("%dH", s.hours)
	}
	if s.minutes != 0 {
		clock += fmt.Sprintf("%dM", s.minutes)
	}
	if s.seconds != 0 || s.nanoseconds != 0 || date+clock == "" {
		clock += fmt.Sprintf("%d%sS", s.seconds, fraction(s.nanoseconds))
	}
	if clock != "" {
		clock = "T" + clock
	}
	return "P" + date + clock
}
