package tool

import (
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/internal/questiontext"
)

// OutsideSandbox says what it means that a tool is not Sandboxed. It is true of a function of
// the program, of a tool of an MCP server and of one whose work is done elsewhere.
const OutsideSandbox = "it runs outside the sandbox, with all rights of the user it runs as; no grant limits it"

// Bounds of what Reach says, in bytes.
const (
	maxReachItem = 400
	maxReach     = 1500
)

// Reach says for people, on one line and safe to print, what a call of the tool can reach:
// first that it runs outside the sandbox, where it does. The list is that of Grant.Describe or
// Permissions.Describe, which begin with what can do most harm; what does not fit is
// counted.
func (s Spec) Reach(list []string) string {
	text := "it can reach "
	switch {
	case !s.Sandboxed && len(list) == 0:
		return OutsideSandbox
	case !s.Sandboxed:
		text = OutsideSandbox + "; it says that it uses "
	case len(list) == 0:
		return text + "nothing outside its sandbox"
	}
	var shown []string
	room := maxReach
	for i, item := range list {
		item = questiontext.Shorten(item, maxReachItem)
		if room -= len(item); room < 0 {
			shown = append(shown, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		shown = append(shown, item)
	}
	return text + strings.Join(shown, ", ")
}
