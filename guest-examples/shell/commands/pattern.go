package commands

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/regex"
)

// syntax is the syntax of a regular expression.
type syntax int

const (
	basic    syntax = iota // operators have a backslash: \( \) \{ \} \| \+ \?
	extended               // ( ) { } | + ?
	perl
	fixed
)

var errBackreference = errors.New("back-references such as \\1 in a pattern are not supported, because matching takes linear time; " +
	"use awk or compare the parts in the shell")

// maxPattern limits the length of a pattern, in bytes.
const maxPattern = 64 << 10

// compilePattern compiles a pattern that finds the leftmost longest match, as in POSIX. flags are
// flags of Go patterns, such as "i". compilePattern also returns warnings about escapes that have
// no special meaning here.
func compilePattern(pattern string, kind syntax, flags string) (*regex.Regexp, []string, error) {
	if len(pattern) > maxPattern {
		return nil, nil, errors.New("the pattern is longer than 64 KiB; use several shorter patterns")
	}
	var warnings []string
	switch kind {
	case fixed:
		pattern = regexp.QuoteMeta(pattern)
	case basic, extended:
		t := translator{rest: pattern, extended: kind == extended}
		if err := t.translate(); err != nil {
			return nil, nil, err
		}
		pattern, warnings = t.out.String(), t.warnings
	}
	re, err := regex.Compile("(?s" + flags + ")" + pattern)
	if err != nil {
		return nil, nil, explainPattern(err, kind)
	}
	if kind != perl {
		re.Longest()
	}
	return re, warnings, nil
}

// explainPattern rewords an error of package regexp for the given syntax.
func explainPattern(err error, kind syntax) error {
	text := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	switch {
	case kind == perl && (strings.Contains(text, "(?") || strings.Contains(text, "escape sequence")):
		return fmt.Errorf("%s: -P does not support lookaround, back-references or possessive repetition here, because matching takes linear time", text)
	case strings.Contains(text, "repeat count"), strings.Contains(text, "too large"):
		return errors.New("a repetition count is larger than the limit of 1000")
	}
	return errors.New(text)
}

// translator translates a POSIX pattern, including GNU's extensions, into Go's syntax.
type translator struct {
	rest     string
	extended bool
	out      strings.Builder
	warnings []string
	open     int
	// atom reports whether a following * has an element to repeat. The field start reports that the
	// position is the start of an alternative. repeated reports that the previous element is a
	// repetition.
	atom, repeated bool
}

func (t *translator) translate() error {
	for t.rest != "" {
		c := t.rest[0]
		var err error
		switch {
		case c == '\\':
			err = t.escape()
		case c == '[':
			err = t.bracket()
		case c == '*':
			t.rest = t.rest[1:]
			t.repeat("*")
		case c == '.':
			t.literal(".", 1)
		case c == '^':
			t.caret()
		case c == '$':
			t.dollar()
		case t.extended && strings.IndexByte("(){|+?", c) >= 0:
			t.rest = t.rest[1:]
			err = t.operator(c)
		default:
			t.literal(regexp.QuoteMeta(t.rest[:1]), 1)
		}
		if err != nil {
			return err
		}
	}
	if t.open > 0 {
		return customary("Unmatched ( or \\(")
	}
	return nil
}

// literal writes an element that matches a character, and skips n bytes of the pattern.
func (t *translator) literal(text string, n int) {
	t.out.WriteString(text)
	t.rest = t.rest[n:]
	t.atom, t.repeated = true, false
}

// anchor writes an element that matches a position, such as ^, and skips n bytes of the pattern.
func (t *translator) anchor(text string, n int) {
	t.out.WriteString(text)
	t.rest = t.rest[n:]
	t.atom, t.repeated = false, false
}

// repeat writes a repetition operator such as *. If there is no element to repeat, the operator is
// written as a literal.
func (t *translator) repeat(sign string) {
	switch {
	case !t.atom && t.extended:
		// GNU ignores such an operator.
	case !t.atom:
		t.out.WriteString(regexp.QuoteMeta(sign))
		t.atom = true
	case t.repeated && sign == "*" && strings.HasSuffix(t.out.String(), "*"):
		// a** is a*.
	case t.repeated:
		// a+* means (?:a+)*, but the start of the repeated element is unknown here. Repeating only
		// the operator matches the same strings.
		t.out.WriteString("{1}")
		t.out.WriteString(sign)
	default:
		t.out.WriteString(sign)
		t.repeated = true
	}
}

func (t *translator) caret() {
	written := t.out.String()
	if t.extended || written == "" || strings.HasSuffix(written, "(") || strings.HasSuffix(written, "|") && !strings.HasSuffix(written, `\|`) {
		t.anchor("^", 1)
		return
	}
	t.literal(`\^`, 1)
}

func (t *translator) dollar() {
	after := t.rest[1:]
	if t.extended || after == "" || strings.HasPrefix(after, `\)`) || strings.HasPrefix(after, `\|`) {
		t.anchor("$", 1)
		return
	}
	t.literal(`\$`, 1)
}

// operator translates one of ( ) { | + ?, which is already removed from rest.
func (t *translator) operator(c byte) error {
	switch c {
	case '(':
		t.open++
		t.anchor("(", 0)
	case ')':
		if t.open == 0 {
			if t.extended {
				t.literal(`\)`, 0)
				return nil
			}
			return customary("Unmatched ) or \\)")
		}
		t.open--
		t.literal(")", 0)
	case '|':
		t.anchor("|", 0)
	case '{':
		return t.interval()
	default:
		t.repeat(string(c))
	}
	return nil
}

// interval translates a repetition such as {2,3}.
func (t *translator) interval() error {
	end := "}"
	if !t.extended {
		end = `\}`
	}
	inner, rest, ok := strings.Cut(t.rest, end)
	low, high, isRange := strings.Cut(inner, ",")
	if !ok || !isNumber(low) || !isNumber(high) || low == "" && !isRange {
		if t.extended {
			t.literal(`\{`, 0)
			return nil
		}
		return customary("Invalid content of \\{\\}")
	}
	if low == "" {
		low = "0"
	}
	t.rest = rest
	if isRange {
		low += "," + high
	}
	t.repeat("{" + low + "}")
	return nil
}

func isNumber(text string) bool { return countDigits([]byte(text)) == len(text) }

// escape translates a backslash and the next character.
func (t *translator) escape() error {
	if len(t.rest) == 1 {
		return customary("Trailing backslash")
	}
	c := t.rest[1]
	switch {
	case c >= '1' && c <= '9':
		return errBackreference
	case !t.extended && strings.IndexByte("(){|+?", c) >= 0:
		t.rest = t.rest[2:]
		return t.operator(c)
	case c == '<', c == '>':
		t.anchor(`\b`, 2)
	case c == 'b', c == 'B':
		t.anchor(t.rest[:2], 2)
	case c == '`':
		t.anchor(`\A`, 2)
	case c == '\'':
		t.anchor(`\z`, 2)
	case strings.IndexByte("wWsS", c) >= 0:
		t.literal(t.rest[:2], 2)
	case c == 'n':
		t.literal(`\n`, 2)
	default:
		if c == 'd' || c == 'D' {
			t.warnings = append(t.warnings, "\\"+string(rune(c))+" matches only the letter itself; write [0-9] for a digit, or use grep -P")
		}
		t.literal(regexp.QuoteMeta(t.rest[1:2]), 2)
	}
	return nil
}

// bracket translates a bracket expression [...], in which a backslash is an ordinary character.
func (t *translator) bracket() error {
	rest := t.rest[1:]
	var out strings.Builder
	out.WriteByte('[')
	if strings.HasPrefix(rest, "^") {
		out.WriteByte('^')
		rest = rest[1:]
	}
	for first := true; ; first = false {
		switch {
		case rest == "":
			return customary("Unmatched [, [^, [:, [., or [=")
		case rest[0] == ']' && !first:
			out.WriteByte(']')
			t.literal(out.String(), len(t.rest)-len(rest)+1)
			return nil
		case strings.HasPrefix(rest, "[:"):
			class, after, ok := strings.Cut(rest[2:], ":]")
			if !ok || classMembers(class) == nil {
				return customary("Invalid character class name")
			}
			out.WriteString(unicodeClass(class))
			rest = after
		case strings.HasPrefix(rest, "[="), strings.HasPrefix(rest, "[."):
			text, after, ok := strings.Cut(rest[2:], rest[1:2]+"]")
			if !ok || len(text) != 1 {
				return customary("Invalid collation character")
			}
			out.WriteString(quoteInBracket(text[0]))
			rest = after
		case rest[0] == '-' && !first && len(rest) > 1 && rest[1] != ']':
			out.WriteByte('-')
			rest = rest[1:]
		default:
			out.WriteString(quoteInBracket(rest[0]))
			rest = rest[1:]
		}
	}
}

// unicodeClass returns the members of a POSIX class in a bracket expression of Go's syntax, for all
// scripts. As in GNU's UTF-8 locales, [:digit:] is ASCII.
func unicodeClass(class string) string {
	switch class {
	case "alnum":
		return `\p{M}\p{Nl}\p{Nd}\p{L}`
	case "alpha":
		return `\p{M}\p{Nl}\p{L}`
	case "lower":
		return `\p{Ll}`
	case "upper":
		return `\p{Lu}`
	case "punct":
		return `[:punct:]\p{P}\p{S}`
	case "graph":
		return `[:graph:]\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}`
	case "print":
		return `[:print:]\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}\p{Zs}`
	case "blank":
		return `[:blank:]\p{Zs}`
	case "space":
		return `\s`
	}
	return "[:" + class + ":]"
}

func quoteInBracket(c byte) string {
	if c < 0x80 && !isAlnum(c) && c > ' ' {
		return `\` + string(rune(c))
	}
	return string([]byte{c})
}
