package commands

import (
	"strconv"
	"strings"
	"time"
)

// strftime formats a time as date +FORMAT does in the C locale. A directive with an unknown letter
// is copied unchanged.
func strftime(format string, t time.Time) string {
	s := timeFormatter{t: t}
	s.format(format, timeField{width: -1})
	return s.out.String()
}

// timeFormatter writes the parts of a time.
type timeFormatter struct {
	t   time.Time
	out strings.Builder
}

// timeField describes how a field is written.
type timeField struct {
	// pad is - for no padding, _ for spaces, 0 or + for zeros, and the zero byte for the default.
	// With +, a year with more digits than usual gets a sign.
	pad byte
	// width is -1 if there is none.
	width                      int
	upper, lower, oppositeCase bool
	modifier                   byte // E, O or 0
	colons                     int  // before z
}

// maxTimeWidth limits the width of a field.
const maxTimeWidth = 1000

// format writes a format. If it is the format of a field, inherited has the case of that field, the
// padding of its years, and the width of its first part.
func (s *timeFormatter) format(format string, inherited timeField) {
	width := inherited.width
	for format != "" {
		literal, rest, found := strings.Cut(format, "%")
		s.out.WriteString(literal)
		if !found {
			return
		}
		f := timeField{width: width, upper: inherited.upper}
		width = -1
		n := f.parse(rest)
		if n == len(rest) || rest[n] == '%' && n > 0 { // no letter
			s.text(f, "%"+rest[:n])
			format = rest[n:]
			continue
		}
		if !s.field(rest[n], f, inherited.pad) {
			s.text(f, "%"+rest[:n+1])
		}
		format = rest[n+1:]
	}
}

// parse reads the flags, the width and the modifier of a field, and returns their length.
func (f *timeField) parse(text string) int {
	n := 0
	for ; n < len(text) && strings.IndexByte("-_0+^#", text[n]) >= 0; n++ {
		switch text[n] {
		case '^':
			f.upper = true
		case '#':
			f.oppositeCase = true
		default:
			f.pad = text[n]
		}
	}
	digits := n + countDigits([]byte(text[n:]))
	if digits > n {
		width, err := strconv.Atoi(text[n:digits])
		if err != nil || width > maxTimeWidth {
			width = maxTimeWidth
		}
		f.width, n = width, digits
	}
	if n < len(text) && (text[n] == 'E' || text[n] == 'O') {
		f.modifier = text[n]
		n++
	}
	if colons := countBytes(text[n:], ":"); n+colons < len(text) && text[n+colons] == 'z' && colons <= 3 {
		f.colons = colons
		n += colons
	}
	return n
}

// field writes one field, and reports whether the letter is known. yearPad is the padding of a year
// whose field sets no padding.
func (s *timeFormatter) field(letter byte, f timeField, yearPad byte) bool {
	// The modifiers choose another calendar or other digits, which the C locale does not have. Not
	// every letter allows them.
	if f.modifier == 'E' && strings.IndexByte("aAbBhdeHIklmMjNDFgGVUwWS", letter) >= 0 || f.modifier == 'O' && strings.IndexByte("aAcxXDFYq", letter) >= 0 {
		return false
	}
	if f.modifier == 'E' && strings.IndexByte("CyY", letter) >= 0 || f.modifier == 'O' && s.digitsOfLocale(letter) {
		// GNU's date leaves these fields to the C library, and pads the result like other text.
		part := timeFormatter{t: s.t}
		part.format("%"+string(letter), timeField{width: -1})
		s.text(f, part.out.String())
		return true
	}
	if composite, ok := map[byte]string{
		'c': "%a %b %e %H:%M:%S %-Y", 'D': "%m/%d/%y", 'x': "%m/%d/%y", 'F': "%Y-%m-%d", 'r': "%I:%M:%S %p",
		'R': "%H:%M", 'T': "%H:%M:%S", 'X': "%H:%M:%S",
	}[letter]; ok {
		s.composite(composite, letter, f)
		return true
	}
	if n, ok := s.number(letter); ok {
		switch {
		case strings.IndexByte("CgGyY", letter) >= 0:
			s.year(f, yearPad, n)
		case strings.IndexByte("ekl", letter) >= 0 && f.pad == 0:
			f.pad = '_'
			fallthrough
		default:
			s.signed(f, strconv.Itoa(max(n.value, -n.value)), n.digits, n.value < 0, false)
		}
		return true
	}
	switch letter {
	case '%', 'n', 't':
		s.text(f, map[byte]string{'%': "%", 'n': "\n", 't': "\t"}[letter])
	case 'a', 'A', 'b', 'h', 'B':
		f.upper = f.upper || f.oppositeCase
		s.text(f, s.t.Format(map[byte]string{'a': "Mon", 'A': "Monday", 'b': "Jan", 'h': "Jan", 'B': "January"}[letter]))
	case 'p', 'P':
		f.lower = f.oppositeCase || letter == 'P'
		s.text(f, s.t.Format("PM"))
	case 'Z':
		f.lower = f.oppositeCase
		name, _ := s.t.Zone()
		s.text(f, name)
	case 'N':
		s.fraction(f)
	case 'z':
		s.zone(f)
	default:
		return false
	}
	return true
}

// digitsOfLocale reports whether the modifier O has a meaning for the letter.
func (s *timeFormatter) digitsOfLocale(letter byte) bool {
	if _, offset := s.t.Zone(); letter == 'z' {
		return offset >= 0
	}
	return strings.IndexByte("CyYdeHIklmMSuUVwWgGj", letter) >= 0
}

// composite writes a field that consists of other fields.
func (s *timeFormatter) composite(format string, letter byte, f timeField) {
	inner := timeField{width: -1, upper: f.upper}
	if letter == 'F' || letter == 'D' {
		inner.pad = f.pad
	}
	if letter == 'F' {
		if f.pad == 0 && f.width < 0 {
			inner.pad, inner.width = '+', 4
		} else {
			inner.width = max(f.width-len("-01-01"), 0)
		}
	}
	part := timeFormatter{t: s.t}
	part.format(format, inner)
	s.text(timeField{pad: f.pad, width: f.width}, part.out.String())
}

// text writes a string in the case and width of the field.
func (s *timeFormatter) text(f timeField, text string) {
	switch {
	case f.lower:
		text = strings.ToLower(text)
	case f.upper:
		text = strings.ToUpper(text)
	}
	s.fill(f.pad, f.width-len(text))
	s.out.WriteString(text)
}

// fill writes n characters of padding.
func (s *timeFormatter) fill(pad byte, n int) {
	switch {
	case n <= 0 || pad == '-':
	case pad == '0' || pad == '+':
		s.out.WriteString(strings.Repeat("0", n))
	default:
		s.out.WriteString(strings.Repeat(" ", n))
	}
}

// year writes a year or a part of a year.
func (s *timeFormatter) year(f timeField, yearPad byte, n timeNumber) {
	if f.pad == 0 {
		f.pad = yearPad
	}
	limit := 9999
	if n.digits == 2 {
		limit = 99
	}
	plus := f.pad == '+' && (n.value > limit || n.digits < f.width)
	s.signed(f, strconv.Itoa(max(n.value, -n.value)), n.digits, n.value < 0, plus)
}

// signed writes the digits of a number with its sign. Without a width, the parameter least is the
// min number of characters.
func (s *timeFormatter) signed(f timeField, digits string, least int, negative, plus bool) {
	if f.pad == 0 {
		f.pad = '0'
	}
	if f.width < 0 {
		f.width = least
	}
	sign := ""
	switch {
	case negative:
		sign = "-"
	case plus:
		sign = "+"
	}
	missing := f.width - len(sign) - len(digits)
	if f.pad == '_' {
		s.fill('_', missing)
		s.out.WriteString(sign)
	} else {
		s.out.WriteString(sign)
		s.fill(f.pad, missing)
	}
	s.out.WriteString(digits)
}

// fraction writes the nanoseconds: as many digits as the width, with padding for zeros at the end.
func (s *timeFormatter) fraction(f timeField) {
	if f.width <= 0 {
		f.width = 9
	}
	if f.pad == 0 {
		f.pad = '0'
	}
	nanos := strconv.Itoa(1_000_000_000 + s.t.Nanosecond())[1:]
	digits := strings.TrimRight(nanos[:min(f.width, 9)], "0")
	if digits == "" {
		digits = "0"
	}
	s.out.WriteString(digits)
	s.fill(f.pad, f.width-len(digits))
}

// zone writes the offset of the zone.
func (s *timeFormatter) zone(f timeField) {
	name, offset := s.t.Zone()
	negative := offset < 0 || offset == 0 && strings.HasPrefix(name, "-")
	offset = max(offset, -offset)
	hours, minutes, seconds := offset/3600, offset/60%60, offset%60
	colons := f.colons
	if colons == 3 && (minutes > 0 || seconds > 0) {
		colons = 1
		if seconds > 0 {
			colons = 2
		}
	}
	two := func(n int) string { return strconv.Itoa(100 + n)[1:] }
	digits, least := "", 0
	switch colons {
	case 0:
		digits, least = strconv.Itoa(hours*100+minutes), 5
	case 1:
		digits, least = strconv.Itoa(hours)+":"+two(minutes), 6
	case 2:
		digits, least = strconv.Itoa(hours)+":"+two(minutes)+":"+two(seconds), 9
	case 3:
		digits, least = strconv.Itoa(hours), 3
	}
	s.signed(f, digits, least, negative, true)
}

// timeNumber is the value of a letter for a number, and its usual number of digits.
type timeNumber struct{ value, digits int }

func (s *timeFormatter) number(letter byte) (n timeNumber, ok bool) {
	t := s.t
	isoYear, isoWeek := t.ISOWeek()
	yearDay, weekday := t.YearDay(), int(t.Weekday())
	twelve := (t.Hour()+11)%12 + 1
	n, ok = map[byte]timeNumber{
		'C': {floorDivide(t.Year(), 100), 2}, 'd': {t.Day(), 2}, 'e': {t.Day(), 2}, 'g': {isoYear - 100*floorDivide(isoYear, 100), 2}, 'G': {isoYear, 4},
		'H': {t.Hour(), 2}, 'I': {twelve, 2}, 'j': {yearDay, 3}, 'k': {t.Hour(), 2}, 'l': {twelve, 2}, 'm': {int(t.Month()), 2}, 'M': {t.Minute(), 2},
		'q': {(int(t.Month()) + 2) / 3, 1}, 's': {int(t.Unix()), 1}, 'S': {t.Second(), 2}, 'u': {(weekday+6)%7 + 1, 1},
		'U': {(yearDay + 6 - weekday) / 7, 2}, 'V': {isoWeek, 2}, 'w': {weekday, 1}, 'W': {(yearDay + 6 - (weekday+6)%7) / 7, 2},
		'y': {t.Year() - 100*floorDivide(t.Year(), 100), 2}, 'Y': {t.Year(), 4},
	}[letter]
	return n, ok
}

func floorDivide(a, b int) int {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}
