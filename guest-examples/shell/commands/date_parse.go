package commands

import (
	"errors"
	"strings"
	"time"
)

var errDate = errors.New("not a date; examples are 2024-05-06, '2024-05-06 07:08', @1700000000, yesterday and '3 days ago'")

// maxYear is the largest year, since the time of a later year overflows.
const maxYear = 2_000_000_000

// parseDate parses a date as date -d does: absolute dates and times, zones, days of the week, and
// any number of relative forms such as "+2 weeks" and "3 days ago". It copies missing parts from
// the time now.
func parseDate(text string, now time.Time) (time.Time, error) {
	text = strings.TrimLeft(text, " \t\n")
	if rest, ok := strings.CutPrefix(text, `TZ="`); ok {
		name, rest, ok := cutQuoted(rest)
		location, err := loadZone(name)
		if !ok || err != nil {
			return time.Time{}, firstError(err, errDate)
		}
		at, err := parseDate(rest, now.In(location))
		return at.In(now.Location()), err
	}
	if seconds, ok := strings.CutPrefix(text, "@"); ok {
		return parseSeconds(seconds, now)
	}
	if text == "" {
		text = "0" // an empty date is midnight
	}
	tokens, ok := dateTokens(text, now)
	if !ok {
		return time.Time{}, errDate
	}
	d := &dateParser{tokens: tokens}
	for d.peek(0).kind != dateEnd {
		if !d.item() {
			return time.Time{}, errDate
		}
	}
	at, ok := d.resolve(now)
	if !ok || at.Year() > maxYear || at.Year() < -maxYear {
		return time.Time{}, errDate
	}
	return at.In(now.Location()), nil
}

// cutQuoted returns the text up to the quotation mark, and the text after it.
func cutQuoted(text string) (quoted, rest string, ok bool) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			return out.String(), text[i+1:], true
		case text[i] == '\\' && i+1 < len(text):
			i++
		}
		out.WriteByte(text[i])
	}
	return "", "", false
}

// parseSeconds parses seconds since 1970, with an optional fraction.
func parseSeconds(text string, now time.Time) (time.Time, error) {
	tokens, ok := dateTokens(text, now)
	if !ok || len(tokens) != 1 || strings.IndexByte("nsf", tokens[0].kind) < 0 {
		return time.Time{}, errDate
	}
	if n := tokens[0].value; n > maxDateNumber*100_000 || n < -maxDateNumber*100_000 {
		return time.Time{}, errors.New("the number of seconds is out of range")
	}
	return time.Unix(tokens[0].value, int64(tokens[0].nanos)).In(now.Location()), nil
}

// dateParser collects the parts of a date.
type dateParser struct {
	tokens []dateToken

	// The number of parts of each kind. Only a relative part may occur several times.
	dates, times, days, zones, relatives int

	year              dateToken
	hasYear           bool
	month, day        int64
	hour, minute, sec int64
	nanos             int
	meridian          int64 // 0 for AM, 1 for PM, -1 for neither
	ordinal, weekday  int64
	zone              int64 // minutes east of UTC
	local             bool  // whether zone came from an abbreviation of the time zone TZ
	relative          [unitSecond + 1]int64
	relativeNanos     int64
}

// peek returns token n of the remaining tokens.
func (d *dateParser) peek(n int) dateToken {
	if n >= len(d.tokens) {
		return dateToken{kind: dateEnd}
	}
	return d.tokens[n]
}

// next reports whether the next tokens are of the given kinds.
func (d *dateParser) next(kinds string) bool {
	for i := range len(kinds) {
		if d.peek(i).kind != kinds[i] {
			return false
		}
	}
	return true
}

func (d *dateParser) skip(n int) { d.tokens = d.tokens[n:] }

// item parses the next part.
func (d *dateParser) item() bool {
	first := d.peek(0)
	switch first.kind {
	case dateNumber:
		return d.number()
	case dateMonth:
		return d.monthFirst()
	case dateZone, dateT:
		return d.zoneFirst()
	case dateDay:
		d.setDay(0, first.value)
		if d.skip(1); d.next(",") {
			d.skip(1)
		}
		return true
	case dateOrdinal:
		if d.peek(1).kind == dateDay {
			d.setDay(first.value, d.peek(1).value)
			d.skip(2)
			return true
		}
		return d.units()
	case dateShift:
		d.relatives++
		d.relative[unitDay] += first.value
		d.skip(1)
		return true
	case dateSigned, dateUnits, dateFraction:
		return d.units()
	}
	return false
}

func (d *dateParser) setDay(ordinal, day int64) {
	d.days++
	d.ordinal, d.weekday = ordinal, day
}

func (d *dateParser) setDate(year dateToken, month, day int64) {
	d.dates++
	d.year, d.hasYear, d.month, d.day = year, true, month, day
}

// number parses a part that begins with a number without a sign.
func (d *dateParser) number() bool {
	first, second, third := d.peek(0), d.peek(1), d.peek(2)
	switch {
	case d.next("nm"), d.next("n:"):
		return d.clock()
	case d.next("n/n/n"):
		if first.digits >= 4 {
			d.setDate(first, third.value, d.peek(4).value)
		} else {
			d.setDate(d.peek(4), first.value, third.value)
		}
		d.skip(5)
	case d.next("n/n"):
		d.dates++
		d.month, d.day = first.value, third.value
		d.skip(3)
	case d.next("nMs"), d.next("nMn"):
		d.setDate(positive(third), second.value, first.value)
		d.skip(3)
	case d.next("nM"):
		d.dates++
		d.month, d.day = second.value, first.value
		d.skip(2)
	case d.next("nss"): // 2024-05-06
		d.setDate(first, -second.value, -third.value)
		if d.skip(3); d.next("Tn") {
			d.skip(1)
			return d.clock() && d.meridian < 0
		}
	case d.next("nsu"):
		d.bare(first)
		d.skip(1)
		return d.signedUnits()
	case d.next("ns"): // 07+02
		return d.clock()
	case d.next("nD"):
		d.setDay(first.value, second.value)
		d.skip(2)
	case d.next("nu"):
		return d.units()
	default:
		d.bare(first)
		d.skip(1)
	}
	return true
}

// positive returns the token with a positive value: in 17-JUN-1992, the dash before the year looks
// like a sign.
func positive(t dateToken) dateToken {
	if t.kind == dateSigned {
		t.value = -t.value
	}
	return t
}

// bare parses a number without a unit or a separator. Its length decides whether it is a year after
// a date, a date, or a time.
func (d *dateParser) bare(n dateToken) {
	switch {
	case d.dates > 0 && d.year.digits == 0 && d.relatives == 0 && (d.times > 0 || n.digits > 2):
		d.year, d.hasYear = n, true
	case n.digits > 4:
		year := dateToken{value: n.value / 10000, digits: n.digits - 4}
		d.setDate(year, n.value/100%100, n.value%100)
	default:
		d.times++
		d.hour, d.minute, d.sec, d.nanos, d.meridian = n.value, 0, 0, 0, -1
		if n.digits > 2 {
			d.hour, d.minute = n.value/100, n.value%100
		}
	}
}

// clock parses a time: 7pm, 7:08, 7:08:09.5, 7:08 pm, 07:08+02:00. A number with a sign is a zone
// here, so 7:08 +2 days is a day after 7:08 in the zone +02.
func (d *dateParser) clock() bool {
	d.times++
	d.hour, d.minute, d.sec, d.nanos, d.meridian = d.peek(0).value, 0, 0, 0, -1
	d.skip(1)
	if d.next(":n") {
		d.minute = d.peek(1).value
		d.skip(2)
		if d.next(":n") || d.next(":f") {
			d.sec, d.nanos = d.peek(1).value, d.peek(1).nanos
			d.skip(2)
		}
	} else if d.next(":") {
		return false
	}
	switch {
	case d.next("m"):
		d.meridian = d.peek(0).value
		d.skip(1)
	case d.next("s"):
		d.zones++
		return d.offset(0)
	}
	return true
}

// offset parses the offset of a zone, such as +02, +0230 or +02:30, and adds it to base.
func (d *dateParser) offset(base int64) bool {
	n := d.peek(0)
	d.skip(1)
	var minutes int64
	switch {
	case d.next(":n"):
		minutes = d.peek(1).value
		if n.negative {
			minutes = -minutes
		}
		minutes += n.value * 60
		d.skip(2)
	case n.digits <= 2:
		minutes = n.value * 60
	default:
		minutes = n.value/100*60 + n.value%100
	}
	d.zone = base + minutes
	return minutes >= -24*60 && minutes <= 24*60
}

func (d *dateParser) monthFirst() bool {
	month, second, third := d.peek(0).value, d.peek(1), d.peek(2)
	switch {
	case d.next("Mss"): // May-06-2024
		d.setDate(positive(third), month, -second.value)
		d.skip(3)
	case d.next("Mn,n"):
		d.setDate(d.peek(3), month, second.value)
		d.skip(4)
	case d.next("Mn"):
		d.dates++
		d.month, d.day = month, second.value
		d.skip(2)
	default:
		return false
	}
	return true
}

// zoneFirst parses a zone, optionally with an offset: UTC, EST DST, UTC+2. T is the military zone.
func (d *dateParser) zoneFirst() bool {
	zone := d.peek(0).value
	d.local = d.peek(0).local
	summer := d.local || d.peek(0).summer
	if d.peek(0).kind == dateT {
		zone = -7 * 60
	}
	d.zones++
	d.zone = zone
	d.skip(1)
	switch {
	case d.next("S"):
		d.zone += 60
		d.skip(1)
	case d.next("su") && !summer:
		return d.signedUnits()
	case d.next("s") && !d.next("su"):
		return d.offset(zone)
	}
	return true
}

// signedUnits parses a relative form after a number or a zone, where "ago" is not allowed.
func (d *dateParser) signedUnits() bool { return !d.next("sua") && d.units() }

// units parses a relative form: 3 days, next month, -2 weeks ago, 1.5 seconds.
func (d *dateParser) units() bool {
	count, unit := d.peek(0), d.peek(1)
	switch {
	case d.next("u"):
		unit = count
		count = dateToken{value: 1}
		d.skip(1)
	case d.next("fu") && unit.unit == unitSecond, d.next("nu"), d.next("su"), d.next("ou"):
		d.skip(2)
	default:
		return false
	}
	sign := int64(1)
	if d.next("a") {
		sign = d.peek(0).value
		d.skip(1)
	}
	d.relatives++
	total := d.relative[unit.unit] + sign*count.value*unit.value
	d.relative[unit.unit] = total
	d.relativeNanos += sign * int64(count.nanos)
	return total < maxDateNumber && total > -maxDateNumber && count.value < maxDateNumber && count.value > -maxDateNumber
}

// resolve returns the time that the parts describe; ok is false if there is none.
func (d *dateParser) resolve(now time.Time) (at time.Time, ok bool) {
	if d.dates > 1 || d.times > 1 || d.days > 1 || d.zones > 1 {
		return at, false
	}
	location := now.Location()
	if d.zones > 0 {
		location = time.FixedZone("", int(d.zone)*60)
	}
	year, month, day := int64(now.Year()), int64(now.Month()), int64(now.Day())
	if d.dates > 0 {
		month, day = d.month, d.day
		if d.hasYear {
			year = fullYear(d.year)
		}
	}
	hour, minute, sec, nanos := int64(0), int64(0), int64(0), 0
	switch {
	case d.times > 0:
		if hour, ok = fullHour(d.hour, d.meridian); !ok {
			return at, false
		}
		minute, sec, nanos = d.minute, d.sec, d.nanos
	case d.relatives > 0 && d.dates == 0 && d.days == 0:
		hour, minute, sec, nanos = int64(now.Hour()), int64(now.Minute()), int64(now.Second()), now.Nanosecond()
	}
	if year > maxYear || year < -maxYear {
		return at, false
	}
	at = time.Date(int(year), time.Month(month), int(day), int(hour), int(minute), int(sec), nanos, location)
	// A date such as February 30 is not normalized. A time of day that a clock change skips does
	// not exist.
	if at.Day() != int(day) || at.Month() != time.Month(month) || at.Hour() != int(hour) || at.Minute() != int(minute) || at.Second() != int(sec) {
		return at, false
	}
	if d.local && !sameClock(at, at.In(now.Location())) {
		return at, false // such as 12:00 EST in summer
	}
	if d.days > 0 && d.dates == 0 {
		today := int64(at.Weekday())
		days := (d.weekday - today + 7) % 7
		if d.ordinal > 0 && today != d.weekday {
			days -= 7
		}
		at = at.AddDate(0, 0, int(days+7*d.ordinal))
	}
	if years := d.relative[unitYear]; years > maxYear || years < -maxYear {
		return at, false
	}
	r := d.relative
	at = at.AddDate(int(r[unitYear]), int(r[unitMonth]), int(r[unitDay]))
	seconds := r[unitHour]*3600 + r[unitMinute]*60 + r[unitSecond]
	return time.Unix(at.Unix()+seconds, int64(at.Nanosecond())+d.relativeNanos), true
}

// sameClock reports whether the times have the same date and time of day in their zones.
func sameClock(a, b time.Time) bool { return a.Format(time.DateTime) == b.Format(time.DateTime) }

// fullYear adds the century to a year of two digits. The years 69 to 99 are in the 20th century.
func fullYear(year dateToken) int64 {
	switch {
	case year.digits != 2:
		return year.value
	case year.value < 69:
		return year.value + 2000
	}
	return year.value + 1900
}

// fullHour converts an hour with AM or PM to an hour from 0 to 23.
func fullHour(hour, meridian int64) (int64, bool) {
	if meridian < 0 {
		return hour, hour < 24
	}
	if hour < 1 || hour > 12 {
		return 0, false
	}
	return hour%12 + 12*meridian, true
}
