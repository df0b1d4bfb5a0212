package commands

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

var printfSpec = spec{name: "printf", synopsis: "FORMAT [ARGUMENT]...", options: rawArguments, run: runPrintf}

func runPrintf(p *process, _ options, words []string) int {
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return p.fail("missing operand")
	}
	f := &formatter{p: p, words: words[1:]}
	for {
		before := len(f.words)
		if !f.once(words[0]) || len(f.words) == 0 || len(f.words) == before || p.stopped() {
			return p.status
		}
	}
}

// formatter prints arguments by a format, again and again while there are some.
type formatter struct {
	p     *process
	words []string
}

// maxWidth is how wide a field may be.
const maxWidth = 1 << 20

func (f *formatter) take() string {
	if len(f.words) == 0 {
		return ""
	}
	word := f.words[0]
	f.words = f.words[1:]
	return word
}

// once prints the format once. It returns false where the output ends for good.
func (f *formatter) once(format string) bool {
	for i := 0; i < len(format); i++ {
		switch {
		case format[i] == '\\' && i+1 < len(format):
			if format[i+1] == 'c' {
				return false
			}
			text, n := printfEscape(format[i:])
			f.p.print(text)
			i += n - 1
		case format[i] != '%' || i+1 == len(format):
			f.p.write([]byte{format[i]})
		case format[i+1] == '%':
			f.p.print("%")
			i++
		default:
			n, more := f.directive(format[i:])
			if i += n - 1; !more {
				return false
			}
		}
	}
	return true
}

// directive prints one argument by a directive such as %-5d, and returns the
// length of that.
func (f *formatter) directive(format string) (n int, more bool) {
	i := 1
	for i < len(format) && strings.IndexByte("-+ #0", format[i]) >= 0 {
		i++
	}
	flags := format[:i]
	number := func() string {
		if i < len(format) && format[i] == '*' {
			i++
			return strconv.Itoa(int(min(f.integer(f.take()), maxWidth)))
		}
		start := i
		for i < len(format) && isDigit(format[i]) {
			i++
		}
		return format[start:i]
	}
	width := number()
	if w, _ := strconv.Atoi(width); w > maxWidth {
		width = strconv.Itoa(maxWidth)
	}
	precision := ""
	if i < len(format) && format[i] == '.' {
		i++
		precision = "." + number()
	}
	for i < len(format) && strings.IndexByte("hlLqjzt", format[i]) >= 0 && i+1 < len(format) && isAlpha(format[i+1]) {
		i++
	}
	if i == len(format) {
		f.p.errorf("'%s': invalid directive", format)
		return i, false
	}
	directive := flags + width + precision
	switch c := format[i]; c {
	case 's':
		f.p.printf(directive+"s", f.take())
	case 'b':
		text, stop := expandEscapes(f.take())
		if f.p.printf(directive+"s", text); stop {
			return i + 1, false
		}
	case 'c':
		text := f.take()
		_, size := utf8.DecodeRuneInString(text)
		f.p.printf(flags+width+"s", text[:size])
	case 'd', 'i':
		f.p.printf(directive+"d", f.integer(f.take()))
	case 'u', 'x', 'X', 'o':
		f.p.printf(directive+strings.Replace(string(rune(c)), "u", "d", 1), uint64(f.integer(f.take())))
	case 'f', 'F', 'e', 'E', 'g', 'G':
		if precision == "" && (c == 'g' || c == 'G') {
			directive += ".6" // Go would print as many digits as are needed
		}
		f.p.printf(directive+string(rune(c)), f.float(f.take()))
	default:
		f.p.errorf("%s: invalid conversion specification", format[:i+1])
		return i + 1, false
	}
	return i + 1, true
}

// integer reads a number as that of C: 0x1f, 017, or 'A for the code of a letter.
func (f *formatter) integer(text string) int64 {
	if text == "" {
		return 0
	}
	if text[0] == '\'' || text[0] == '"' {
		r, _ := utf8.DecodeRuneInString(text[1:])
		return int64(r)
	}
	trimmed := strings.TrimSpace(text)
	n, err := strconv.ParseInt(trimmed, 0, 64)
	if err == nil && !strings.ContainsAny(trimmed, "_bBoO") || err == nil && strings.HasPrefix(strings.ToLower(trimmed), "0x") {
		return n
	}
	if u, err := strconv.ParseUint(trimmed, 0, 64); err == nil {
		return int64(u)
	}
	f.complain(text)
	end := countDigits([]byte(trimmed))
	n, _ = strconv.ParseInt(trimmed[:end], 10, 64)
	return n
}

func (f *formatter) complain(text string) {
	if len(text) > 0 && isDigit(text[0]) {
		f.p.errorf("'%s': value not completely converted", text)
		return
	}
	f.p.errorf("'%s': expected a numeric value", text)
}

func (f *formatter) float(text string) float64 {
	if text == "" {
		return 0
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		f.complain(text)
	}
	return n
}
