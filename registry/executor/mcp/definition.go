package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Bounds on texts that models and people are shown, in bytes.
const (
	maxToolName    = 256
	maxTitle       = 200
	maxDescription = 8 << 10
)

// definition is a tool as its server describes it.
type definition struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
}

// parseDefinition reads one tool. Annotations are not read: what a tool may do is not for
// its author to say.
func parseDefinition(raw json.RawMessage) (definition, error) {
	var d definition
	switch err := json.Unmarshal(raw, &d); {
	case len(raw) > maxDefinition:
		return d, fmt.Errorf("a tool with a definition of %d bytes is left out; there may be %d", len(raw), maxDefinition)
	case err != nil:
		return d, errors.New("a tool whose definition cannot be read is left out")
	case d.Name == "" || len(d.Name) > maxToolName:
		return d, fmt.Errorf("a tool without a name, or with one of more than %d bytes, is left out", maxToolName)
	}
	return d, nil
}

// spec is the tool for a registry. It is dangerous until the operator says otherwise: what
// the server does with a call, nobody here knows.
func (d definition) spec(server string) tool.Spec {
	return tool.Spec{
		Name: ToolName(server, d.Name), Title: plaintext.Cut(plaintext.OneLine(d.Title), maxTitle),
		Description: plaintext.Cut(plaintext.Printable(d.Description), maxDescription),
		Category:    "mcp", Source: "the MCP server " + server,
		Parameters: d.InputSchema, Result: d.OutputSchema,
		Dangerous: true,
	}
}

// digest names what decides about a tool: the program that runs it or where it
// is, and all that a model
// or a person was shown of it.
func (d definition) digest(o Options) string {
	var b bytes.Buffer
	kind, where := "mcp", o.Command
	if o.URL != "" {
		kind, where = "mcp at", []string{o.URL}
	}
	fmt.Fprintf(&b, "%s %q %q %q %q %q", kind, o.Name, where, d.Name, d.Title, d.Description)
	for _, schema := range []json.RawMessage{d.InputSchema, d.OutputSchema} {
		b.WriteByte(0)
		if len(schema) > 0 {
			_ = json.Compact(&b, schema) // it was read as JSON
		}
	}
	sum := sha256.Sum256(b.Bytes())
	return "sha256:" + hex.EncodeToString(sum[:])
}
