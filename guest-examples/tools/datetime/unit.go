package datetime

import (
	"fmt"
	"time"
)

// Unit is a unit of time. Adding days or longer units follows the calendar and keeps the time of
// day. Adding shorter units adds an exact duration.
type Unit string

// The units.
const (
	Seconds Unit = "seconds"
	Minutes Unit = "minutes"
	Hours   Unit = "hours"
	Days    Unit = "days"
	Weeks   Unit = "weeks"
	Months  Unit = "months"
	Years   Unit = "years"
)

// unitNames lists the units for error messages.
const unitNames = "seconds, minutes, hours, days, weeks, months or years"

// perYear is the maximum number of units of each kind in a year.
var perYear = map[Unit]int64{
	Seconds: 366 * 86400, Minutes: 366 * 1440, Hours: 366 * 24, Days: 366, Weeks: 53, Months: 12, Years: 1,
}

// add adds an amount of the unit to t. The note is "", or a line that explains why the result has
// another day or time: the month lacks the day, or clocks skip the time.
func (u Unit) add(t time.Time, amount int64) (moved time.Time, note string, err error) {
	limit, ok := perYear[u]
	if !ok {
		return t, "", fmt.Errorf(`the argument "unit" is %q; it must be %s`, u, unitNames)
	}
	outside := fmt.Errorf("amount: adding %d %s gives a time that is not within the years %04d to %d", amount, u, minYear, maxYear)
	if limit *= maxYear; amount > limit || amount < -limit {
		return t, "", outside
	}
	switch u {
	case Seconds:
		moved = addSeconds(t, amount)
	case Minutes:
		moved = addSeconds(t, amount*60)
	case Hours:
		moved = addSeconds(t, amount*3600)
	case Days:
		moved, note = addDays(t, int(amount))
	case Weeks:
		moved, note = addDays(t, int(amount)*7)
	case Months:
		moved, note = addMonths(t, int(amount))
	case Years:
		moved, note = addMonths(t, int(amount)*12)
	}
	if moved.Year() < minYear || moved.Year() > maxYear {
		return t, "", outside
	}
	return moved, note, nil
}

// addSeconds is like t.Add, but also works for durations that a time.Duration can't represent.
func addSeconds(t time.Time, seconds int64) time.Time {
	return time.Unix(t.Unix()+seconds, int64(t.Nanosecond())).In(t.Location())
}

// wall returns the time that clocks show at t, as a time in UTC. UTC has no clock changes.
func wall(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// addDays adds calendar days to t.
func addDays(t time.Time, days int) (time.Time, string) {
	if days == 0 {
		return t, "" // keep t if clocks show its time twice
	}
	return atWall(wall(t).AddDate(0, 0, days), t.Location())
}

// addMonths adds months to t. If the resulting month lacks the day, the result is the last day of
// the month.
func addMonths(t time.Time, months int) (time.Time, string) {
	if months == 0 {
		return t, ""
	}
	w := wall(t)
	first := time.Date(w.Year(), w.Month()+time.Month(months), 1, w.Hour(), w.Minute(), w.Second(), w.Nanosecond(), time.UTC)
	lastDay := first.AddDate(0, 1, -1).Day()
	day := min(w.Day(), lastDay)
	moved, note := atWall(first.AddDate(0, 0, day-1), t.Location())
	if day < w.Day() {
		note += fmt.Sprintf("note: the month has no day %d; the result is its last day\n", w.Day())
	}
	return moved, note
}
