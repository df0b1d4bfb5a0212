package questiontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// Limits for nested values.
const (
	minItem   = 120 // minRoom for the items of a list, in bytes
	minMember = 24  // minRoom for the members of an object, in bytes
	maxDepth  = 8   // levels that are shortened separately
)

// extent says how much of a value is shown.
type extent int

const (
	whole     extent = iota
	shortened        // only the beginning and the end of some strings
	partial          // some members or items are missing
)

// render writes a JSON value on one line, in about limit bytes. It shows only the beginning and the
// end of a string that is too long. In an object or a list that is too long, it shortens each
// member.
func render(value json.RawMessage, limit int) (string, extent) { return renderAt(value, limit, 0) }

func renderAt(value json.RawMessage, limit, depth int) (string, extent) {
	value = bytes.TrimSpace(value)
	var text string
	if len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &text) == nil {
		return Quote(text, limit), cutIf(len(text) > limit, shortened)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, value); err != nil {
		return Shorten(string(value), limit), cutIf(len(value) > limit, partial)
	}
	var members map[string]json.RawMessage
	var items []json.RawMessage
	switch {
	case compact.Len() <= limit:
		return plaintext.Visible(compact.String()), whole
	case depth < maxDepth && value[0] == '{' && json.Unmarshal(value, &members) == nil:
		names := slices.Sorted(maps.Keys(members))
		text, e := renderAll(len(names), limit, minMember, func(i, room int) (string, extent) {
			text, e := renderAt(members[names[i]], room, depth+1)
			return label(names[i]) + ": " + text, e
		})
		return "{" + text + "}", e
	case depth < maxDepth && value[0] == '[' && json.Unmarshal(value, &items) == nil:
		text, e := renderAll(len(items), limit, minItem, func(i, room int) (string, extent) {
			return renderAt(items[i], room, depth+1)
		})
		return "[" + text + "]", e
	}
	return Shorten(compact.String(), limit), partial
}

func cutIf(cut bool, e extent) extent {
	if cut {
		return e
	}
	return whole
}

// renderAll writes members with the same room for each, at least minRoom. Members for which there
// is no room are only counted.
func renderAll(count, limit, minRoom int, show func(i, room int) (string, extent)) (string, extent) {
	each := max(minRoom, limit/count)
	var shown []string
	all := whole
	for i := range count {
		if i*each >= limit {
			shown, all = append(shown, fmt.Sprintf("… %d more", count-i)), partial
			break
		}
		text, e := show(i, each)
		shown, all = append(shown, text), max(all, e)
	}
	return strings.Join(shown, ", "), all
}

// Shorten returns a string on one line and safe to print. If it has more than limit bytes, only its
// beginning, its end and its length are shown.
func Shorten(text string, limit int) string {
	head, tail := ends(text, limit)
	if tail == "" {
		return plaintext.Visible(head)
	}
	return fmt.Sprintf("%s … %s (%d bytes in all)", plaintext.Visible(head), plaintext.Visible(tail), len(text))
}

// Quote is like Shorten, but quotes the string and escapes special characters.
func Quote(text string, limit int) string {
	head, tail := ends(text, limit)
	quoted := func(s string) string { return plaintext.Visible(strconv.Quote(s)) }
	if tail == "" {
		return quoted(head)
	}
	return fmt.Sprintf("%s … %s (%d bytes in all)", quoted(head), quoted(tail), len(text))
}

// ends returns the beginning and the end of a string that has more than limit bytes. Two thirds of
// limit are for the beginning. For a shorter string, tail is "".
func ends(text string, limit int) (head, tail string) {
	if len(text) <= limit {
		return text, ""
	}
	head = strings.ToValidUTF8(text[:limit*2/3], "")
	tail = strings.ToValidUTF8(text[len(text)-limit/3:], "")
	return head, tail
}

// columns is the maximum length of a line, so that a terminal of 80 columns breaks no line.
// Otherwise, text of an argument could appear at the beginning of a row, where lines of the host
// begin.
const columns = 72

// Wrap breaks a line that is too long for a terminal. The continuation lines begin with six spaces;
// a line of the host never does. Removing the line breaks and these spaces restores the line.
func Wrap(line string) string { return wrap(line, "      ") }

func wrap(line, indent string) string {
	var b strings.Builder
	for room := columns; ; room = columns - len(indent) {
		n := fits(line, room)
		b.WriteString(line[:n])
		if line = line[n:]; line == "" {
			return b.String()
		}
		b.WriteString("\n" + indent)
	}
}

// fits returns the number of bytes of a line that fit into a row. It prefers to break before a
// blank, because a blank at the end of a row is invisible: "rm / x" would look like "rm /x".
func fits(line string, room int) int {
	column, blank := 0, 0
	for i, r := range line {
		if r == ' ' && column > room/2 {
			blank = i
		}
		if column += width(r); column <= room {
			continue
		}
		if blank > 0 {
			return blank
		}
		return i
	}
	return len(line)
}

// width returns the maximum number of columns that a terminal needs for a character. Terminals do
// not agree on which characters are wide.
func width(r rune) int {
	if r < utf8.RuneSelf {
		return 1
	}
	return 2
}
