package tooldir

import (
	"cmp"
	"fmt"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/manifests"
)

// Manifest contains those keys of a manifest that an import can set.
type Manifest struct {
	Manifest       int      `toml:"manifest"`
	Name           string   `toml:"name"`
	Version        string   `toml:"version"`
	Title          string   `toml:"title,omitempty"`
	Description    string   `toml:"description"`
	Tags           []string `toml:"tags,omitempty"`
	ParametersFile string   `toml:"parameters_file"`
	Module         *Module  `toml:"module,omitempty"`
	REST           *Request `toml:"rest,omitempty"`
}

// Module is the table [module] of a manifest.
type Module struct {
	Path    string `toml:"path"`
	ABI     string `toml:"abi"`
	Entry   string `toml:"entry"`
	MCPTool string `toml:"mcp_tool,omitempty"`
	Stdin   string `toml:"stdin,omitempty"`
}

// Request is the table [rest] of a manifest.
type Request struct {
	BaseURL string            `toml:"base_url"`
	Method  string            `toml:"method"`
	Path    string            `toml:"path,omitempty"`
	Body    string            `toml:"body,omitempty"`
	Query   map[string]string `toml:"query,omitempty"`
	Headers map[string]string `toml:"headers,omitempty"`
	Secrets []Secret          `toml:"secrets,omitempty"`
}

// Secret is an element of [[rest.secrets]].
type Secret struct {
	Name   string `toml:"name"`
	Header string `toml:"header,omitempty"`
	Query  string `toml:"query,omitempty"`
	Basic  bool   `toml:"basic,omitempty"`
	Prefix string `toml:"prefix,omitempty"`
}

// Text returns the manifest of a tool whose schema is in SchemaFile. The title and the descriptions
// may be untrusted: Text makes them valid, and uses the first description that is not empty
// afterwards. The default version is 1.0.0.
func (m Manifest) Text(descriptions ...string) ([]byte, error) {
	m.Manifest, m.ParametersFile, m.Title = 1, SchemaFile, manifests.PlainTitle(m.Title)
	m.Version = cmp.Or(m.Version, "1.0.0")
	for _, text := range descriptions {
		m.Description = cmp.Or(m.Description, manifests.PlainDescription(text))
	}
	return stricttoml.Marshal(m)
}

// Hidden returns a note about the first hidden character of text, or "" if text has none. The
// manifest leaves such characters out. The parameter what is the name of the text in the note.
func Hidden(what, text string) string {
	if found, bad := plaintext.First(text, plaintext.Lines); bad {
		return fmt.Sprintf("the %s contains %s; such characters are left out", what, found)
	}
	return ""
}
