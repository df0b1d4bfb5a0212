package commands

import (
	"strconv"
	"strings"
	"time"
)

// dateToken is a word of a date. kind is a character of the text itself, or one of the kinds below.
type dateToken struct {
	kind byte
	// value is the value of a number, the index of a month or a day, the minutes of a zone east of
	// UTC, the length of a unit, or the count of a relative word.
	value int64
	// digits is the number of digits, which distinguishes a year from an hour.
	digits   int
	negative bool
	nanos    int // the fraction of a number, in nanoseconds
	unit     dateUnit
	local    bool // an abbreviation of the zone that TZ names
	summer   bool // an abbreviation of daylight saving time
}

const (
	dateEnd      = 0
	dateNumber   = 'n' // without a sign
	dateSigned   = 's'
	dateFraction = 'f' // a number with a fraction, with or without a sign
	dateMeridian = 'm' // value 1 for PM
	dateMonth    = 'M'
	dateDay      = 'D'
	dateZone     = 'Z'
	dateSummer   = 'S' // DST after a zone
	dateUnits    = 'u'
	dateShift    = 'h' // a number of days: yesterday, now
	dateOrdinal  = 'o' // next, last, third
	dateAgo      = 'a'
	dateT        = 'T'
)

// dateUnit is a unit of a relative date: an index of the amounts that resolve adds.
type dateUnit byte

const (
	unitYear dateUnit = iota
	unitMonth
	unitDay
	unitHour
	unitMinute
	unitSecond
)

// maxDateNumber limits numbers, so that sums and products with a unit don't overflow.
const maxDateNumber = 100_000_000_000

// dateTokens splits a date into its tokens; ok is false if a word is unknown. The zone of now
// decides which abbreviations are local.
func dateTokens(text string, now time.Time) (tokens []dateToken, ok bool) {
	for text != "" {
		c := text[0]
		switch {
		case strings.IndexByte(" \t\n\v\f\r", c) >= 0:
			text = text[1:]
		case isDigit(c), c == '-', c == '+':
			token, rest, found, ok := dateDigits(text)
			if !ok {
				return nil, false
			}
			if text = rest; found {
				tokens = append(tokens, token)
			}
		case isAlpha(c):
			n := 0
			for n < len(text) && (isAlpha(text[n]) || text[n] == '.') {
				n++
			}
			token, ok := dateWord(strings.ToLower(text[:n]), now)
			if !ok {
				return nil, false
			}
			tokens, text = append(tokens, token), text[n:]
		case c == '(': // a comment
			if text, ok = skipComment(text); !ok {
				return nil, false
			}
		default:
			tokens, text = append(tokens, dateToken{kind: c}), text[1:]
		}
		if len(tokens) > 100 {
			return nil, false
		}
	}
	return tokens, true
}

func skipComment(text string) (rest string, ok bool) {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return text[i+1:], true
		}
	}
	return "", true
}

// dateDigits reads a number. A sign without a number has no meaning, so found is false.
func dateDigits(text string) (token dateToken, rest string, found, ok bool) {
	token.kind = dateNumber
	if text[0] == '-' || text[0] == '+' {
		token.kind, token.negative = dateSigned, text[0] == '-'
		text = strings.TrimLeft(text[1:], " \t\n")
		if text == "" || !isDigit(text[0]) {
			return token, text, false, true
		}
	}
	token.digits = countDigits([]byte(text))
	value, err := strconv.ParseInt(text[:token.digits], 10, 64)
	if err != nil || value > maxDateNumber*1000 {
		return token, "", false, false
	}
	if token.value = value; token.negative {
		token.value = -value
	}
	rest = text[token.digits:]
	if len(rest) > 1 && (rest[0] == '.' || rest[0] == ',') && isDigit(rest[1]) {
		n := countDigits([]byte(rest[1:]))
		token.nanos, _ = strconv.Atoi((rest[1:1+n] + "000000000")[:9])
		if token.negative {
			token.nanos = -token.nanos
		}
		token.kind, rest = dateFraction, rest[1+n:]
	}
	return token, rest, true, true
}

// dateWord returns the token of a word in lower case.
func dateWord(word string, now time.Time) (dateToken, bool) {
	switch word {
	case "am", "a.m.":
		return dateToken{kind: dateMeridian}, true
	case "pm", "p.m.":
		return dateToken{kind: dateMeridian, value: 1}, true
	case "dst":
		return dateToken{kind: dateSummer}, true
	case "t":
		return dateToken{kind: dateT}, true
	}
	if token, ok := calendarWord(word); ok {
		return token, true
	}
	if token, ok := zoneWord(word, now); ok {
		return token, true
	}
	if token, ok := relativeWord(word); ok {
		return token, true
	}
	if short := strings.ReplaceAll(word, ".", ""); short != word {
		return zoneWord(short, now)
	}
	return dateToken{}, false
}

// calendarWord reads the name of a month or a day, in full or its first three letters.
func calendarWord(word string) (dateToken, bool) {
	short := len(word) == 3 || len(word) == 4 && word[3] == '.'
	matches := func(name string) bool {
		name = strings.ToLower(name)
		return word == name || short && word[:3] == name[:3]
	}
	for month := time.January; month <= time.December; month++ {
		if matches(month.String()) || month == time.September && word == "sept" {
			return dateToken{kind: dateMonth, value: int64(month)}, true
		}
	}
	for day := time.Sunday; day <= time.Saturday; day++ {
		if matches(day.String()) {
			return dateToken{kind: dateDay, value: int64(day)}, true
		}
	}
	day, ok := map[string]time.Weekday{"tues": time.Tuesday, "wednes": time.Wednesday, "thur": time.Thursday, "thurs": time.Thursday}[word]
	return dateToken{kind: dateDay, value: int64(day)}, ok
}

func relativeWord(word string) (dateToken, bool) {
	for _, name := range []string{word, strings.TrimSuffix(word, "s")} {
		if unit, ok := map[string]dateToken{
			"year": {unit: unitYear, value: 1}, "month": {unit: unitMonth, value: 1}, "fortnight": {unit: unitDay, value: 14},
			"week": {unit: unitDay, value: 7}, "day": {unit: unitDay, value: 1}, "hour": {unit: unitHour, value: 1},
			"minute": {unit: unitMinute, value: 1}, "min": {unit: unitMinute, value: 1},
			"second": {unit: unitSecond, value: 1}, "sec": {unit: unitSecond, value: 1},
		}[name]; ok {
			unit.kind = dateUnits
			return unit, true
		}
	}
	switch word {
	case "tomorrow":
		return dateToken{kind: dateShift, value: 1}, true
	case "yesterday":
		return dateToken{kind: dateShift, value: -1}, true
	case "today", "now":
		return dateToken{kind: dateShift}, true
	case "ago":
		return dateToken{kind: dateAgo, value: -1}, true
	case "hence":
		return dateToken{kind: dateAgo, value: 1}, true
	}
	count, ok := map[string]int64{
		"last": -1, "this": 0, "next": 1, "first": 1, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
		"ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12,
	}[word]
	return dateToken{kind: dateOrdinal, value: count}, ok
}

// zoneWord reads the abbreviation of a zone. An abbreviation that the zone of the time now uses has
// its meaning in that zone.
func zoneWord(word string, now time.Time) (token dateToken, ok bool) {
	token.kind = dateZone
	if word == "gmt" || word == "ut" || word == "utc" {
		return token, true
	}
	for month := range 12 {
		name, offset := now.AddDate(0, month, 0).Zone()
		if strings.EqualFold(name, word) {
			token.value, token.local = int64(offset/60), true
			return token, true
		}
	}
	if len(word) == 1 {
		minutes, ok := militaryZone(word[0])
		token.value = int64(minutes)
		return token, ok
	}
	minutes, summer, ok := foreignZone(word)
	token.value, token.summer = int64(minutes), summer
	return token, ok
}

// foreignZone returns the minutes east of UTC of a common abbreviation.
func foreignZone(word string) (minutes int, summer, ok bool) {
	for _, group := range []struct {
		minutes int
		names   string // abbreviations after a bar are daylight saving time
	}{
		{-720, "sst"},
		{-600, "hst hast"},
		{-540, "akst | hadt"},
		{-480, "pst | akdt"},
		{-420, "mst | pdt"},
		{-360, "cst | mdt"},
		{-300, "est | cdt"},
		{-240, "ast clt | edt"},
		{-210, "nst"},
		{-180, "art brt | adt clst"},
		{-150, "| ndt"},
		{-120, "| brst"},
		{0, "wet"},
		{60, "wat cet met mez | west bst"},
		{120, "eet cat sast | cest mest mesz"},
		{180, "eat msk | eest"},
		{240, "| msd"},
		{330, "ist"},
		{480, "sgt"},
		{540, "kst jst"},
		{600, "gst"},
		{720, "nzst"},
		{780, "| nzdt"},
	} {
		summer := false
		for name := range strings.FieldsSeq(group.names) {
			summer = summer || name == "|"
			if name == word {
				return group.minutes, summer, true
			}
		}
	}
	return 0, false, false
}

// militaryZone returns the minutes east of UTC of a zone of one letter. J is not a zone, and T
// begins a time.
func militaryZone(letter byte) (minutes int, ok bool) {
	switch {
	case letter >= 'a' && letter <= 'i':
		return 60 * int(letter-'a'+1), true
	case letter >= 'k' && letter <= 'm':
		return 60 * int(letter-'k'+10), true
	case letter >= 'n' && letter <= 'y' && letter != 't':
		return -60 * int(letter-'n'+1), true
	}
	return 0, letter == 'z'
}
