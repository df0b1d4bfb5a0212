package skill

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/plain"
)

// maxText is how many bytes a description may have, which the host checks.
const maxText = 4096

// Definition is what the tool says of itself.
type Definition struct {
	Description string         `json:"description"`
	Parameters  map[string]any `json:"parameters,omitempty"`
}

// Describe returns the definition with the skills that there are.
func Describe(fsys fs.FS) (Definition, error) {
	skills, _, err := find(fsys)
	if err != nil {
		return Definition{}, err
	}
	text := "Shows the instructions for a kind of work, or a file that belongs to them. Read them before you begin such work, and follow them where the user says nothing else. The skills:"
	name := map[string]any{"type": "string", "description": "The skill"}
	if len(skills) > 0 {
		names := []string{}
		for _, s := range skills {
			names = append(names, s.name)
		}
		name["enum"] = names
		text += lines(skills, maxText-len(text))
	} else {
		text += " there are none at the moment."
	}
	return Definition{Description: text, Parameters: map[string]any{
		"type": "object", "required": []string{"name"},
		"properties": map[string]any{
			"name": name,
			"file": map[string]any{"type": "string", "description": "A file of the skill, as its instructions name it; without it, the instructions"},
		},
	}}, nil
}

// lines tells of each skill in a line of its own, in at most so many bytes. Where there are
// many, each says less of itself, so that all are there; where even that does not help, the
// last are in the enum alone.
func lines(skills []skill, room int) string {
	const least = 40
	for most := maxDescription; ; most /= 2 {
		all := make([]string, len(skills))
		size := 0
		for i, s := range skills {
			all[i] = "\n- " + s.name + ": " + plain.Line(s.description, max(most, least))
			size += len(all[i])
		}
		if size <= room {
			return strings.Join(all, "")
		}
		if most > least {
			continue
		}
		rest := fmt.Sprintf("\n- more, %d in all, that the parameter name has", len(all))
		kept := 0
		for size = len(rest); size+len(all[kept]) <= room; kept++ {
			size += len(all[kept])
		}
		return strings.Join(all[:kept], "") + rest
	}
}
