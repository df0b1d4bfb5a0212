package mcp

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// namePrefix begins the names of the tools of all servers, and nameSeparator ends that of
// the server.
const (
	namePrefix    = "mcp__"
	nameSeparator = "__"
	maxName       = 64
)

// ToolName is the name in a registry of a server's tool: "mcp__SERVER__TOOL", in lower case,
// with an underscore for each character that names of tools have not. One of more than 64
// bytes is cut, and ends with the first digits of the hash of its whole name.
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

// ServerOf is the server in the name of a tool, as ToolName makes it and people write it;
// "" for another tool.
func ServerOf(tool string) string {
	rest, ours := strings.CutPrefix(strings.ToLower(strings.TrimSpace(tool)), namePrefix)
	server, _, found := strings.Cut(rest, nameSeparator)
	if !ours || !found {
		return ""
	}
	return server
}
