package mcp

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

const (
	namePrefix    = "mcp__"
	nameSeparator = "__" // between server and tool
	maxName       = 64   // bytes
)

// ToolName returns the name that a server's tool has in a registry: "mcp__SERVER__TOOL", in
// lower case, with an underscore for each character that tool names must not have. A name of
// more than 64 bytes is cut and ends with a hash of the tool's whole name.
func ToolName(server, name string) string {
	full := namePrefix + server + nameSeparator + strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-' {
			return c
		}
		return '_'
	}, strings.ToLower(name))
	if len(full) <= maxName {
		return full
	}
	sum := sha256.Sum256([]byte(name))
	mark := fmt.Sprintf("_%x", sum[:4])
	return full[:maxName-len(mark)] + mark
}

// ServerOf returns the server in a name that [ToolName] returned, and "" for any other name. It
// ignores case and white space around the name, because people type such names.
func ServerOf(tool string) string {
	rest, ours := strings.CutPrefix(strings.ToLower(strings.TrimSpace(tool)), namePrefix)
	server, _, found := strings.Cut(rest, nameSeparator)
	if !ours || !found {
		return ""
	}
	return server
}
