package datetime

import (
	"fmt"
	"time"
)

// clockLayout is the form of a local time in notes.
const clockLayout = "2006-01-02 15:04:05"

// atWall returns the time at which clocks in zone show the date and time of wall. It adds a note if
// there is no such time, or if there are several. RFC 5545 (section 3.3.5) defines the result. A
// time that clocks skip has the offset that was valid before the gap, and so moves forward by the
// length of the gap. If clocks show a time twice, the result is the first time. time.Date does not
// follow these rules in all zones.
func atWall(wall time.Time, zone *time.Location) (time.Time, string) {
	// No zone differs from UTC by a day or more.
	const margin = 24 * time.Hour
	var found []time.Time
	var inGap time.Time
	for start := wall.Add(-margin).In(zone); start.Before(wall.Add(margin)); {
		end := offsetEnd(start)
		_, offset := start.Zone()
		candidate := wall.Add(-time.Duration(offset) * time.Second).In(zone)
		switch {
		case !candidate.Before(end):
			inGap = candidate // a later offset may still show wall
		case !candidate.Before(start):
			found = append(found, candidate)
		}
		start = end
	}
	switch len(found) {
	case 0:
		return inGap, fmt.Sprintf("note: clocks in %s skip %s\n", zone, wall.Format(clockLayout))
	case 1:
		return found[0], ""
	}
	return found[0], fmt.Sprintf("note: clocks in %s show %s twice; the other time is %s\n", zone, wall.Format(clockLayout), found[1].Format(time.RFC3339))
}

// offsetEnd returns a time up to which the offset of t does not change. On the last day of a leap
// year, ZoneBounds may return an end that is already past (Go 1.26).
func offsetEnd(t time.Time) time.Time {
	_, end := t.ZoneBounds()
	switch {
	case end.IsZero():
		return t.AddDate(1, 0, 0)
	case !end.After(t):
		return t.Add(time.Hour)
	}
	return end
}
