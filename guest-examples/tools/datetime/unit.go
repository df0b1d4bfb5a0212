package datetime

import (
	"fmt"
	"time"
)

// Unit is a unit of time. Days and longer ones follow the calendar, so that
// the clock shows the same time after them; the others are exact spans.
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

// unitNames lists the units in texts.
const unitNames = "seconds, minutes, hours, days, weeks, months or years"

// perYear is how many of a unit there can be in a year.
var perYear = map[Unit]int64{
	Seconds: 366 * 86400, Minutes: 366 * 1440, Hours: 366 * 24, Days: 366, Weeks: 53, Months: 12, Years: 1,
}

// add moves t by the amount of the unit. The note, "" or a line, says what had
// to be changed because the calendar lacks the day or the clock the time.
func (u Unit) add(t time.Time, amount int64) (moved time.Time, note string, err error) {
	most, ok := perYear[u]
	if !ok {
		return t, "", fmt.Errorf("unit is %q; it must be %s", u, unitNames)
	}
	outside := fmt.Errorf("amount: %d %s lead outside the years %04d to %d", amount, u, minYear, maxYear)
	if most *= maxYear; amount > most || amount < -most {
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

// addSeconds is t.Add for any number, which a Duration would overflow.
func addSeconds(t time.Time, seconds int64) time.Time {
	return time.Unix(t.Unix()+seconds, int64(t.Nanosecond())).In(t.Location())
}

// wall returns what clocks show at t, as a time in UTC, where each exists.
func wall(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// addDays moves t by days of the calendar.
func addDays(t time.Time, days int) (time.Time, string) {
	if days == 0 {
		return t, "" // a time that clocks show twice stays as it is
	}
	return atWall(wall(t).AddDate(0, 0, days), t.Location())
}

// addMonths moves t by months. A day that the new month lacks becomes its last
// one.
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
		note += fmt.Sprintf("note: the month has no day %d; its last day is given\n", w.Day())
	}
	return moved, note
}
