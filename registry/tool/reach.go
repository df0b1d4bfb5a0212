package tool

import (
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/internal/questiontext"
)

// OutsideSandbox describes a tool that is not Sandboxed: a Go function, a tool of an MCP server,
// or a tool whose work a client does.
const OutsideSandbox = "it runs outside the sandbox, with all rights of the user it runs as; no grant limits it"

// Limits on the text that Reach returns, in bytes.
const (
	maxReachItem = 400
	maxReach     = 1500
)

// Reach describes for a person what a call of the tool can access. The text is one line and safe to
// print. For a tool outside the sandbox, it begins with OutsideSandbox. The parameter list comes
// from Grant.Describe or Permissions.Describe, which put the most dangerous items first. Reach
// counts the items that do not fit.
func (s Spec) Reach(list []string) string {
	text := "it can reach "
	switch {
	case !s.Sandboxed && len(list) == 0:
		return OutsideSandbox
	case !s.Sandboxed:
		text = OutsideSandbox + "; it claims to use "
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
