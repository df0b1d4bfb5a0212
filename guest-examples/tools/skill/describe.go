package skill

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/plain"
)

// maxText limits the length of a description in bytes. The host has the same limit.
const maxText = 4096

// maxWarning limits the characters of the warning about skills that are not loaded.
const maxWarning = 300

// Definition is the tool's description of itself.
type Definition struct {
	Description string         `json:"description"`
	Parameters  map[string]any `json:"parameters,omitempty"`
}

// Describe returns the definition with the available skills.
func Describe(fsys fs.FS) (Definition, error) {
	skills, problems, err := find(fsys)
	if err != nil {
		return Definition{}, err
	}
	text := "Shows a skill: the instructions for a kind of work, or a file that belongs to them. Read the skill before you begin work of its kind, and follow it unless the user says otherwise. The skills:"
	name := map[string]any{"type": "string", "x-aliases": []string{"skill"}, "description": "The name of the skill"}
	if len(skills) > 0 {
		names := []string{}
		for _, s := range skills {
			names = append(names, s.name)
		}
		name["enum"] = names
	}
	warning := notLoaded(problems)
	if len(skills) > 0 {
		text += lines(skills, maxText-len(text)-len(warning))
	} else {
		text += " none at the moment."
	}
	text += warning
	return Definition{Description: text, Parameters: map[string]any{
		"type": "object", "required": []string{"name"},
		"properties": map[string]any{
			"name": name,
			"file": map[string]any{"type": "string", "description": "A file that the instructions of the skill mention; default: the instructions"},
		},
	}}, nil
}

// notLoaded is a warning about the directories that should be skills but are not; "" if there are
// none.
func notLoaded(problems []string) string {
	if len(problems) == 0 {
		return ""
	}
	return "\nNot loaded: " + plain.Line(strings.Join(problems, "; "), maxWarning)
}

// lines describes each skill on a separate line. The parameter room is the max number of bytes. If
// there are many skills, it shortens the descriptions so that all fit. If they still do not fit, it
// leaves out the last skills. Their names are then only in the enum.
func lines(skills []skill, room int) string {
	const least = 40
	for maximum := maxDescription; ; maximum /= 2 {
		all := make([]string, len(skills))
		size := 0
		for i, s := range skills {
			all[i] = "\n- " + s.name + ": " + plain.Line(s.description, max(maximum, least))
			size += len(all[i])
		}
		if size <= room {
			return strings.Join(all, "")
		}
		if maximum > least {
			continue
		}
		rest := fmt.Sprintf("\n- more, %d in all, listed in the parameter name", len(all))
		kept := 0
		for size = len(rest); size+len(all[kept]) <= room; kept++ {
			size += len(all[kept])
		}
		return strings.Join(all[:kept], "") + rest
	}
}
