package tooldir

import (
	"strconv"
	"strings"
	"unicode"
)

// MaxName limits the name of a tool or argument, in bytes.
const MaxName = 64

// Names makes names unique.
type Names struct {
	taken map[string]bool
	// last maps a name to the last number that was appended to it. Making many equal names unique
	// therefore takes linear time.
	last map[string]int
}

// NewNames returns Names with some names that are already taken.
func NewNames(taken ...string) Names {
	n := Names{make(map[string]bool), make(map[string]int)}
	for _, name := range taken {
		n.taken[name] = true
	}
	return n
}

// Take returns the name, shortened to MaxName bytes. If the name is already taken, Take appends a
// number.
func (n Names) Take(name string) string {
	for i := n.last[name] + 1; ; i++ {
		suffix := ""
		if i > 1 {
			suffix = "_" + strconv.Itoa(i)
		}
		candidate := strings.TrimRight(name[:min(len(name), MaxName-len(suffix))], "_-") + suffix
		if !n.taken[candidate] {
			n.taken[candidate], n.last[name] = true, i
			return candidate
		}
	}
}

// ToolName turns any text into the name of a tool: "listPets" becomes "list_pets".
func ToolName(text string) string {
	var b strings.Builder
	var before rune
	for _, r := range text {
		upper := 'A' <= r && r <= 'Z'
		switch {
		case upper && ('a' <= before && before <= 'z' || '0' <= before && before <= '9'):
			b.WriteByte('_')
			fallthrough
		case upper:
			b.WriteRune(unicode.ToLower(r))
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-':
			b.WriteRune(r)
		case b.Len() > 0 && before != '_' && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
		before = r
	}
	name := strings.Trim(b.String(), "_-")
	if name == "" || name[0] < 'a' || name[0] > 'z' {
		name = "call_" + name
	}
	return name
}
