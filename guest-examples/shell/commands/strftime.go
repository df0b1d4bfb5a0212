package commands

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// strftime formats a time as date +FORMAT does in the C locale. An unknown letter is kept with
// its %.
func strftime(format string, t time.Time) string {
	var out strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			out.WriteByte(format[i])
			continue
		}
		start := i
		i++
		flag := byte(0)
		for i < len(format) && strings.IndexByte("-_0^#", format[i]) >= 0 {
			flag = format[i]
			i++
		}
		width := 0
		for i < len(format) && isDigit(format[i]) && width < 1000 {
			width = width*10 + int(format[i]-'0')
			i++
		}
		colons := 0
		for i < len(format) && format[i] == ':' && colons < 3 {
			colons++
			i++
		}
		if i+1 < len(format) && (format[i] == 'E' || format[i] == 'O') {
			i++ // skip the modifier E or O: there is no alternative calendar
		}
		if i == len(format) {
			return out.String() + format[start:]
		}
		text, ok := timeField(format[i], flag, width, colons, t)
		if !ok {
			text = format[start : i+1]
		}
		out.WriteString(text)
	}
	return out.String()
}

// timeField returns the text of one letter.
func timeField(letter, flag byte, width, colons int, t time.Time) (string, bool) {
	if composite, ok := map[byte]string{
		'c': "%a %b %e %H:%M:%S %Y", 'D': "%m/%d/%y", 'x': "%m/%d/%y", 'F': "%Y-%m-%d", 'r': "%I:%M:%S %p",
		'R': "%H:%M", 'T': "%H:%M:%S", 'X': "%H:%M:%S",
	}[letter]; ok {
		return padText(strftime(composite, t), flag, width), true
	}
	if n, digits, pad, ok := timeNumber(letter, t); ok {
		return padNumber(n, digits, pad, flag, width), true
	}
	text := ""
	switch letter {
	case '%':
		text = "%"
	case 'n':
		text = "\n"
	case 't':
		text = "\t"
	case 'a':
		text = t.Format("Mon")
	case 'A':
		text = t.Format("Monday")
	case 'b', 'h':
		text = t.Format("Jan")
	case 'B':
		text = t.Format("January")
	case 'p':
		text = t.Format("PM")
		if flag == '#' {
			text = strings.ToLower(text)
		}
	case 'P':
		text = t.Format("pm")
	case 'N':
		text = fmt.Sprintf("%09d", t.Nanosecond())
		if width > 0 && width < 9 {
			text = text[:width]
		}
		return text, true
	case 'z':
		text = t.Format([]string{"-0700", "-07:00", "-07:00:00", "-07:00"}[colons])
	case 'Z':
		text, _ = t.Zone()
	default:
		return "", false
	}
	return padText(text, flag, width), true
}

// timeNumber returns the value of a letter for a number, its number of digits, and its padding.
func timeNumber(letter byte, t time.Time) (n, digits int, pad byte, ok bool) {
	isoYear, isoWeek := t.ISOWeek()
	yearDay, weekday := t.YearDay(), int(t.Weekday())
	switch letter {
	case 'C':
		return t.Year() / 100, 2, '0', true
	case 'd':
		return t.Day(), 2, '0', true
	case 'e':
		return t.Day(), 2, ' ', true
	case 'g':
		return isoYear % 100, 2, '0', true
	case 'G':
		return isoYear, 4, '0', true
	case 'H':
		return t.Hour(), 2, '0', true
	case 'I':
		return (t.Hour()+11)%12 + 1, 2, '0', true
	case 'j':
		return yearDay, 3, '0', true
	case 'k':
		return t.Hour(), 2, ' ', true
	case 'l':
		return (t.Hour()+11)%12 + 1, 2, ' ', true
	case 'm':
		return int(t.Month()), 2, '0', true
	case 'M':
		return t.Minute(), 2, '0', true
	case 'q':
		return (int(t.Month()) + 2) / 3, 1, '0', true
	case 's':
		return int(t.Unix()), 1, '0', true
	case 'S':
		return t.Second(), 2, '0', true
	case 'u':
		return (weekday+6)%7 + 1, 1, '0', true
	case 'U':
		return (yearDay + 6 - weekday) / 7, 2, '0', true
	case 'V':
		return isoWeek, 2, '0', true
	case 'w':
		return weekday, 1, '0', true
	case 'W':
		return (yearDay + 6 - (weekday+6)%7) / 7, 2, '0', true
	case 'y':
		return t.Year() % 100, 2, '0', true
	case 'Y':
		return t.Year(), 1, '0', true
	}
	return 0, 0, 0, false
}

func padNumber(n, digits int, pad, flag byte, width int) string {
	switch flag {
	case '-':
		return strconv.Itoa(n)
	case '_':
		pad = ' '
	case '0':
		pad = '0'
	}
	text := strconv.Itoa(n)
	return strings.Repeat(string(rune(pad)), max(max(digits, width)-len(text), 0)) + text
}

func padText(text string, flag byte, width int) string {
	if flag == '^' {
		text = strings.ToUpper(text)
	}
	fill := " "
	if flag == '0' {
		fill = "0"
	}
	return strings.Repeat(fill, max(width-len(text), 0)) + text
}
