package stringtool

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/regex"
)

// replacement is the text that replaces a match: parts in order.
type replacement []replacementPart

// replacementPart is a literal, or the number of a group of the regular expression.
type replacementPart struct {
	literal string
	group   int // 0 is the whole match; -1 means that the part is the literal
}

// parseReplacement reads $1 and ${1} as groups, $name and ${name} as named groups, and $$ as a
// dollar sign. Any other dollar sign stands for itself. All digits after a dollar sign belong to
// the number. A group that the expression lacks is an error, because its text would be missing
// silently.
func parseReplacement(text string, re *regex.Regexp) (replacement, error) {
	var parts replacement
	for text != "" {
		literal, rest, found := strings.Cut(text, "$")
		parts = append(parts, replacementPart{literal: literal, group: -1})
		if !found {
			break
		}
		reference, length, err := groupReference(rest)
		if err != nil {
			return nil, err
		}
		text = rest[length:]
		if reference == "" {
			parts = append(parts, replacementPart{literal: "$", group: -1})
			continue
		}
		group := groupNumber(reference, re)
		if group < 0 {
			return nil, noGroup(rest[:length], reference, re)
		}
		parts = append(parts, replacementPart{group: group})
	}
	return parts, nil
}

// groupReference returns the number or name of a group at the start of text, which follows a dollar
// sign, and its length with braces. The reference is "" for a dollar sign that stands for itself;
// the length is then 1 if the sign is doubled.
func groupReference(text string) (reference string, length int, err error) {
	if strings.HasPrefix(text, "$") {
		return "", 1, nil
	}
	if braced, ok := strings.CutPrefix(text, "{"); ok {
		reference, _, ok = strings.Cut(braced, "}")
		if !ok || reference == "" {
			return "", 0, fmt.Errorf(`replacement: write "${name}", or $$ for a dollar sign; a name or the closing brace is missing`)
		}
		return reference, len(reference) + len("{}"), nil
	}
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits > 0 {
		return text[:digits], digits, nil
	}
	letters := strings.IndexFunc(text, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if letters < 0 {
		letters = len(text)
	}
	return text[:letters], letters, nil
}

// groupNumber returns the number of the group with this number or name, or -1.
func groupNumber(reference string, re *regex.Regexp) int {
	if reference[0] < '0' || reference[0] > '9' {
		return re.SubexpIndex(reference)
	}
	if number, err := strconv.Atoi(reference); err == nil && number <= re.NumSubexp() {
		return number
	}
	return -1
}

// noGroup returns the error for a group that the expression lacks. The parameter written is the
// group without the dollar sign.
func noGroup(written, reference string, re *regex.Regexp) error {
	names := slices.DeleteFunc(re.SubexpNames(), func(name string) bool { return name == "" })
	has := fmt.Sprintf("groups 0 to %d", re.NumSubexp())
	if re.NumSubexp() == 0 {
		has = "only group 0, the whole match"
	}
	if len(names) > 0 {
		has += fmt.Sprintf(", and the names %.200s", strings.Join(names, ", "))
	}
	hint := ""
	if number := groupNumber(reference[:1], re); number >= 0 && len(reference) > 1 && written == reference {
		hint = fmt.Sprintf("write ${%s}%s for a group and digits, and ", reference[:1], reference[1:])
	}
	return fmt.Errorf("replacement: there is no group $%.100s; the regular expression has %s; %swrite $$ for a dollar sign", written, has, hint)
}

// appendTo appends the text that replaces a match in whole.
func (r replacement) appendTo(out []byte, whole string, match []int) []byte {
	for _, part := range r {
		switch {
		case part.group < 0:
			out = append(out, part.literal...)
		case match[2*part.group] >= 0:
			out = append(out, whole[match[2*part.group]:match[2*part.group+1]]...)
		}
	}
	return out
}
