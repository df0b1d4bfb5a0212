package commands

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

var errDate = errors.New("not a date; examples are 2024-05-06, '2024-05-06 07:08', @1700000000, yesterday and '3 days ago'")

// dateLayouts are the absolute forms, those with more words first.
var dateLayouts = []string{
	"Mon, 2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 MST", "Mon Jan 2 15:04:05 MST 2006", "Mon Jan 2 15:04:05 2006",
	"2 January 2006 15:04:05", "2 Jan 2006 15:04:05", "2 January 2006 15:04", "2 Jan 2006 15:04", "January 2, 2006", "Jan 2, 2006",
	"January 2 2006", "Jan 2 2006", "2 January 2006", "2 Jan 2006",
	"2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 -07:00", "2006-01-02 15:04:05 MST", "2006-01-02 15:04 MST", "2006-01-02 15:04 -0700",
	"2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02 MST",
	time.RFC3339Nano, "2006-01-02T15:04:05-0700", "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02", "20060102", "2006/01/02", "01/02/2006", "1/2/2006",
	"2-Jan-2006",
}

// parseDate parses a date as date -d does: an absolute form, a day such as yesterday, and any
// number of relative forms such as "+2 weeks" and "3 days ago". Missing parts come from now.
func parseDate(text string, now time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	if seconds, ok := strings.CutPrefix(text, "@"); ok {
		f, err := strconv.ParseFloat(seconds, 64)
		if err != nil || f < -1e11 || f > 1e11 {
			return time.Time{}, errDate
		}
		whole := int64(f)
		return time.Unix(whole, int64((f-float64(whole))*1e9)).In(now.Location()), nil
	}
	words := strings.Fields(text)
	if len(words) > 20 {
		return time.Time{}, errDate
	}
	at, words := absoluteDate(words, now)
	for len(words) > 0 {
		var ok bool
		if at, words, ok = relativeDate(at, words, now); !ok {
			return time.Time{}, errDate
		}
	}
	return at, nil
}

// absoluteDate parses an absolute form at the start and returns the other words.
func absoluteDate(words []string, now time.Time) (time.Time, []string) {
	for n := min(len(words), 6); n > 0; n-- {
		head := strings.Join(words[:n], " ")
		for _, layout := range dateLayouts {
			if strings.Count(layout, " ") != n-1 {
				continue
			}
			if at, err := time.ParseInLocation(layout, head, now.Location()); err == nil {
				return at.In(now.Location()), words[n:]
			}
		}
	}
	if len(words) == 0 { // for an empty text
		return startOfDay(now), words
	}
	return now, words
}

func startOfDay(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// relativeDate applies one relative form.
func relativeDate(at time.Time, words []string, now time.Time) (time.Time, []string, bool) {
	word := strings.ToLower(words[0])
	switch word {
	case "now", "today":
		return at, words[1:], true
	case "yesterday":
		return at.AddDate(0, 0, -1), words[1:], true
	case "tomorrow":
		return at.AddDate(0, 0, 1), words[1:], true
	case "midnight":
		return startOfDay(at), words[1:], true
	case "noon":
		return startOfDay(at).Add(12 * time.Hour), words[1:], true
	case "utc", "gmt", "z":
		return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), time.UTC).In(now.Location()), words[1:], true
	}
	for _, layout := range []string{"15:04:05", "15:04", "3:04pm", "3pm"} {
		if clock, err := time.Parse(layout, word); err == nil {
			return startOfDay(at).Add(clock.Sub(startOfDay(clock))), words[1:], true
		}
	}
	if day, ok := weekday(word); ok {
		return startOfDay(at).AddDate(0, 0, (int(day)-int(at.Weekday())+7)%7), words[1:], true
	}
	n := 1
	switch {
	case word == "next":
		words = words[1:]
	case word == "last":
		n, words = -1, words[1:]
	default:
		digits := countDigits([]byte(strings.TrimLeft(word, "+-")))
		signs := len(word) - len(strings.TrimLeft(word, "+-"))
		if digits == 0 || digits > 9 || signs > 1 {
			break
		}
		n, _ = strconv.Atoi(word[:signs+digits])
		if unit := word[signs+digits:]; unit != "" { // as in 3days
			words = append([]string{unit}, words[1:]...)
		} else {
			words = words[1:]
		}
	}
	if len(words) == 0 {
		return at, nil, false
	}
	unit := strings.TrimSuffix(strings.ToLower(words[0]), "s")
	if day, ok := weekday(strings.ToLower(words[0])); ok && (n == 1 || n == -1) {
		days := (int(day)-int(at.Weekday())+6)%7 + 1 // 1 to 7
		if n == -1 {
			days -= 7
			if days == 0 {
				days = -7
			}
		}
		return startOfDay(at).AddDate(0, 0, days), words[1:], true
	}
	words = words[1:]
	if len(words) > 0 && strings.EqualFold(words[0], "ago") {
		n, words = -n, words[1:]
	}
	switch unit {
	case "year":
		at = at.AddDate(n, 0, 0)
	case "month":
		at = at.AddDate(0, n, 0)
	case "fortnight":
		at = at.AddDate(0, 0, 14*n)
	case "week":
		at = at.AddDate(0, 0, 7*n)
	case "day":
		at = at.AddDate(0, 0, n)
	case "hour":
		at = at.Add(time.Duration(n) * time.Hour)
	case "minute", "min":
		at = at.Add(time.Duration(n) * time.Minute)
	case "second", "sec":
		at = at.Add(time.Duration(n) * time.Second)
	default:
		return at, nil, false
	}
	return at, words, true
}

// weekday parses the name of a day, in full or its first three letters.
func weekday(word string) (time.Weekday, bool) {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if name := strings.ToLower(day.String()); word == name || word == name[:3] {
			return day, true
		}
	}
	return 0, false
}
