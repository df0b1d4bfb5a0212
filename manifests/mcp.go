package manifests

import (
	"fmt"

	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// MCP names the tool of an MCP server that a manifest describes anew. The manifest does not say how
// to reach the server: only the operator configures servers.
type MCP struct {
	// Server is the name of the server in the operator's file.
	Server string
	// Tool is the server's own name for the tool, 1 to 256 bytes.
	Tool string
}

var serverText = lazyregexp.New(`^[a-z][a-z0-9-]{0,31}$`)

func (c *checker) mcpKeys(m *Manifest) []stricttoml.Key {
	m.MCP = &MCP{}
	return []stricttoml.Key{
		{Name: "server", Want: stricttoml.WantString, Required: `the name of a server in the operator's file, such as server = "github"`, Read: stricttoml.ReadString(c.Checker, &m.MCP.Server, parseServer)},
		{Name: "tool", Want: stricttoml.WantString, Required: `the server's name for the tool, such as tool = "create_issue"`, Read: stricttoml.ReadString(c.Checker, &m.MCP.Tool, parseMCPTool)},
	}
}

func parseServer(text string) (string, error) {
	if !serverText.MatchString(text) {
		return "", fmt.Errorf("%s is not the name of a server; write the NAME of [servers.NAME] in the operator's file", stricttoml.Quote(text))
	}
	return text, nil
}

// mcp reports keys that are only for programs and requests.
func (c *checker) mcp() {
	for _, key := range []string{"changes", "shell", "limits", "settings", "permissions"} {
		if c.Root().Get(key) != nil {
			c.Errorf(c.At(key), "nothing restricts an MCP server, so a tool with [mcp] cannot have this key; leave it out")
		}
	}
}
