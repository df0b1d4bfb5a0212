package questiontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

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
