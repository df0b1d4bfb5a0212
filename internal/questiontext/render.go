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

// Bounds of what a value inside of another gets, in bytes, and of how deep it is looked for.
const (
	minItem   = 120
	minMember = 24
	maxDepth  = 8
)

// extent is how much of a value is shown.
type extent int

const (
	whole     extent = iota
	shortened        // of some texts only the beginning and the end
	partial          // some members or items are not there at all
)

// render writes a JSON value on one line. Of a text that is too long it shows the beginning and
// the end; of an object or a list that is, each member shortened in its turn.
func render(value json.RawMessage, most int) (string, extent) { return renderAt(value, most, 0) }

func renderAt(value json.RawMessage, most, depth int) (string, extent) {
	value = bytes.TrimSpace(value)
	var text string
	if len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &text) == nil {
		return Quote(text, most), cutIf(len(text) > most, shortened)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, value); err != nil {
		return Shorten(string(value), most), cutIf(len(value) > most, partial)
	}
	var members map[string]json.RawMessage
	var items []json.RawMessage
	switch {
	case compact.Len() <= most:
		return plaintext.Visible(compact.String()), whole
	case depth < maxDepth && value[0] == '{' && json.Unmarshal(value, &members) == nil:
		names := slices.Sorted(maps.Keys(members))
		text, e := renderAll(len(names), most, minMember, func(i, room int) (string, extent) {
			text, e := renderAt(members[names[i]], room, depth+1)
			return label(names[i]) + ": " + text, e
		})
		return "{" + text + "}", e
	case depth < maxDepth && value[0] == '[' && json.Unmarshal(value, &items) == nil:
		text, e := renderAll(len(items), most, minItem, func(i, room int) (string, extent) {
			return renderAt(items[i], room, depth+1)
		})
		return "[" + text + "]", e
	}
	return Shorten(compact.String(), most), partial
}

func cutIf(cut bool, e extent) extent {
	if cut {
		return e
	}
	return whole
}

// renderAll writes members with the same room for each, and counts those for which there is
// none.
func renderAll(count, most, least int, show func(i, room int) (string, extent)) (string, extent) {
	each := max(least, most/count)
	var shown []string
	all := whole
	for i := range count {
		if i*each >= most {
			shown, all = append(shown, fmt.Sprintf("… %d more", count-i)), partial
			break
		}
		text, e := show(i, each)
		shown, all = append(shown, text), max(all, e)
	}
	return strings.Join(shown, ", "), all
}
