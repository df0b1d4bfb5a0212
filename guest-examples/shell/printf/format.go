// Package printf implements printf and echo, as builtins of the shell and as commands.
package printf

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxField limits the width and the precision of a directive.
const maxField = 1 << 16

// Format formats the arguments as C's printf does. It repeats the format until all arguments are
// consumed, or until a repetition consumes none. problems lists invalid numbers. The value of an
// invalid number is its longest valid prefix, or 0. If Format returns an error, text is the output
// before the error. A text longer than limit bytes is an error.
func Format(format string, args []string, limit int) (text string, problems []string, err error) {
	p := printing{args: args, limit: limit}
	err = p.all(format)
	return p.out.String(), p.problems, err
}

// printing is one run of printf.
type printing struct {
	args     []string
	limit    int
	out      strings.Builder
	problems []string
	// stopped is set when \c has stopped the output.
	stopped bool
}

// all writes the format. It repeats the format until all arguments are consumed, or until a
// repetition consumes none.
func (p *printing) all(format string) error {
	for {
		before := len(p.args)
		if err := p.once(format); err != nil || p.stopped {
			return err
		}
		if len(p.args) == 0 || len(p.args) == before {
			return nil
		}
	}
}

func (p *printing) once(format string) error {
	for format != "" && !p.stopped {
		at := strings.IndexByte(format, '%')
		if at < 0 {
			at = len(format)
		}
		text, _ := Unescape(format[:at], false)
		p.out.WriteString(text)
		if at == len(format) {
			return nil
		}
		var d directive
		var err error
		if d, format, err = p.directive(format[at+1:]); err != nil {
			return err
		}
		if err := p.write(d); err != nil {
			return err
		}
		if p.out.Len() > p.limit {
			return fmt.Errorf("the output is longer than the limit of %d bytes", p.limit)
		}
	}
	return nil
}

// directive is one % directive of a format.
type directive struct {
	flags string
	width int
	// precision is -1 if the directive has no precision.
	precision int
	verb      byte
}

var errIncomplete = errors.New("missing format character")

// directive parses a directive. format starts after the %. directive returns the rest of format.
func (p *printing) directive(format string) (directive, string, error) {
	d := directive{precision: -1}
	n := len(format) - len(strings.TrimLeft(format, "-+ #0'"))
	d.flags, format = format[:n], format[n:]
	var err error
	if d.width, format, err = p.number(format); err != nil {
		return d, "", err
	}
	if d.width < 0 {
		d.flags, d.width = d.flags+"-", -d.width
	}
	if strings.HasPrefix(format, ".") {
		if d.precision, format, err = p.number(format[1:]); err != nil {
			return d, "", err
		}
	}
	format = strings.TrimLeft(format, "hlLjzt")
	if format == "" {
		return d, "", errIncomplete
	}
	d.verb = format[0]
	return d, format[1:], nil
}

// number parses a width or a precision: digits, or * for the next argument.
func (p *printing) number(format string) (int, string, error) {
	value, n := int64(0), 0
	if strings.HasPrefix(format, "*") {
		value, n = p.integer(), 1
	} else {
		for n < len(format) && '0' <= format[n] && format[n] <= '9' {
			n++
		}
		if n > 0 {
			var err error
			if value, err = strconv.ParseInt(format[:n], 10, 64); err != nil {
				value = math.MaxInt64
			}
		}
	}
	if value > maxField || value < -maxField {
		return 0, "", fmt.Errorf("a width or precision is larger than the limit of %d", maxField)
	}
	return int(value), format[n:], nil
}

// next consumes the next argument. It returns "" if no argument is left.
func (p *printing) next() string {
	if len(p.args) == 0 {
		return ""
	}
	arg := p.args[0]
	p.args = p.args[1:]
	return arg
}

func (p *printing) write(d directive) error {
	switch d.verb {
	case '%':
		p.out.WriteByte('%')
	case 's':
		p.pad(d, p.next())
	case 'c':
		arg := p.next()
		if arg == "" {
			arg = "\x00" // as in C, where the first byte of an empty string is NUL
		}
		p.pad(d, arg[:1])
	case 'b':
		text, stop := Unescape(p.next(), true)
		p.pad(d, text)
		p.stopped = stop
	case 'q':
		p.pad(d, quote(p.next()))
	case 'd', 'i':
		p.format(d, 'd', p.integer())
	case 'u':
		p.format(d, 'd', uint64(p.integer()))
	case 'o', 'x', 'X':
		value := uint64(p.integer())
		if value == 0 {
			d.flags = strings.ReplaceAll(d.flags, "#", "")
		}
		p.format(d, d.verb, value)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		p.float(d)
	case '(':
		return errors.New("%(format)T is not supported; use date +FORMAT")
	default:
		return fmt.Errorf("`%c': invalid format character", d.verb)
	}
	return nil
}

// pad writes text with the precision and width of the directive, which are in bytes.
func (p *printing) pad(d directive, text string) {
	if d.precision >= 0 && d.precision < len(text) {
		text = text[:d.precision]
	}
	space := strings.Repeat(" ", max(0, d.width-len(text)))
	if strings.Contains(d.flags, "-") {
		p.out.WriteString(text + space)
	} else {
		p.out.WriteString(space + text)
	}
}

// format formats value with the directive, using package fmt with the given verb.
func (p *printing) format(d directive, verb byte, value any) {
	flags := strings.ReplaceAll(d.flags, "'", "")
	_, float := value.(float64)
	if d.precision >= 0 && !float {
		// the flag 0 has no effect on an integer with a precision
		flags = strings.ReplaceAll(flags, "0", "")
	}
	if verb != 'd' && !float {
		flags = strings.NewReplacer("+", "", " ", "").Replace(flags) // a number without a sign
	}
	spelled := "%" + flags
	if d.width > 0 {
		spelled += strconv.Itoa(d.width)
	}
	if d.precision >= 0 {
		spelled += "." + strconv.Itoa(d.precision)
	}
	fmt.Fprintf(&p.out, spelled+string(verb), value)
}

func (p *printing) float(d directive) {
	value := p.real()
	if math.IsInf(value, 0) || math.IsNaN(value) {
		text := strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(value, 'f', -1, 64)), "+")
		d.precision = -1
		p.pad(d, text)
		return
	}
	if d.precision < 0 {
		d.precision = 6
	}
	verb := d.verb
	if verb == 'F' {
		verb = 'f'
	}
	p.format(d, verb, value)
}

// character returns the code of the character c in an argument such as 'c.
func character(arg string) (rune, bool) {
	if arg == "" || arg[0] != '\'' && arg[0] != '"' {
		return 0, false
	}
	if len(arg) == 1 {
		return 0, true
	}
	r, size := utf8.DecodeRuneInString(arg[1:])
	if r == utf8.RuneError && size == 1 {
		r = rune(arg[1])
	}
	return r, true
}

// integer consumes the next argument as an integer.
func (p *printing) integer() int64 {
	arg := p.next()
	if r, ok := character(arg); ok {
		return int64(r)
	}
	text := strings.TrimLeft(arg, " \t\n")
	if text == "" {
		return 0
	}
	n := longest(text, func(s string) bool { _, err := parseInteger(s); return !errors.Is(err, strconv.ErrSyntax) })
	value, err := parseInteger(text[:n])
	switch {
	case n < len(text):
		p.problems = append(p.problems, arg+": invalid number")
	case err != nil:
		p.problems = append(p.problems, "warning: "+arg+": Numerical result out of range")
	}
	return value
}

// parseInteger parses an integer in C's syntax. C has no underscores and no prefixes 0b and 0o in
// numbers.
func parseInteger(s string) (int64, error) {
	digits := strings.TrimLeft(s, "+-")
	if len(digits) > 1 && digits[0] == '0' && strings.IndexByte("bBoO", digits[1]) >= 0 || strings.Contains(s, "_") {
		return 0, strconv.ErrSyntax
	}
	value, err := strconv.ParseInt(s, 0, 64)
	if errors.Is(err, strconv.ErrRange) && s[0] != '-' {
		// A hexadecimal or octal number that does not fit in an int64 may fit in a uint64.
		if unsigned, err := strconv.ParseUint(strings.TrimPrefix(s, "+"), 0, 64); err == nil && strings.HasPrefix(digits, "0") {
			return int64(unsigned), nil
		}
	}
	return value, err
}

// real consumes the next argument and parses it as a floating-point number.
func (p *printing) real() float64 {
	arg := p.next()
	if r, ok := character(arg); ok {
		return float64(r)
	}
	text := strings.TrimLeft(arg, " \t\n")
	if text == "" {
		return 0
	}
	n := longest(text, func(s string) bool {
		_, err := parseFloat(s)
		return !errors.Is(err, strconv.ErrSyntax) && !strings.Contains(s, "_")
	})
	if n < len(text) {
		p.problems = append(p.problems, arg+": invalid number")
	}
	value, err := parseFloat(text[:n])
	if err != nil && n == 0 {
		return 0
	}
	return value
}

// parseFloat parses a number in C's syntax, where a hexadecimal number needs no exponent.
func parseFloat(s string) (float64, error) {
	if strings.ContainsAny(s, "xX") && !strings.ContainsAny(s, "pP") {
		s += "p0"
	}
	return strconv.ParseFloat(s, 64)
}

// longest returns the length of the longest valid prefix of s. It checks only as many bytes as a
// valid number can have.
func longest(s string, valid func(string) bool) int {
	const limit = 400
	for n := min(len(s), limit); n > 0; n-- {
		if valid(s[:n]) {
			return n
		}
	}
	return 0
}
