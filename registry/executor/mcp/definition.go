package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Limits of the strings that are shown to models and people, in bytes.
const (
	maxToolName    = 256
	maxTitle       = 200
	maxDescription = 8 << 10
	maxNameExcerpt = 80 // max characters of a name that a warning quotes
)

// definition is a tool as its server describes it.
type definition struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  json.RawMessage `json:"annotations"`
	Execution    json.RawMessage `json:"execution"`
}

// parseDefinition reads one tool. The result changes lists the changes. Annotations are ignored,
// except for the title: the author of a tool does not decide what the tool may do.
func parseDefinition(raw json.RawMessage) (d definition, changes []string, err error) {
	switch err := json.Unmarshal(raw, &d); {
	case len(raw) > maxDefinition:
		return d, nil, fmt.Errorf("a tool with a definition of %d bytes is left out; the limit is %d", len(raw), maxDefinition)
	case err != nil:
		return d, nil, errors.New("a tool whose definition cannot be read is left out")
	case d.Name == "" || len(d.Name) > maxToolName:
		return d, nil, fmt.Errorf("a tool without a name, or with a name of more than %d bytes, is left out", maxToolName)
	}
	var annotations struct{ Title string }
	if d.Title == "" && json.Unmarshal(d.Annotations, &annotations) == nil {
		d.Title = annotations.Title // where servers of older revisions write it
	}
	var execution struct{ TaskSupport string }
	if json.Unmarshal(d.Execution, &execution) == nil && execution.TaskSupport == "required" {
		return d, nil, fmt.Errorf("the tool %s is left out: it can only be called as a task, which this client does not support", d.excerpt())
	}
	cleaned, err := d.clean()
	if cleaned != "" {
		changes = append(changes, cleaned)
	}
	if err == nil {
		changes = append(changes, d.repair()...)
	}
	return d, changes, err
}

// excerpt returns the name of the tool for a warning.
func (d *definition) excerpt() string {
	return plaintext.Excerpt(plaintext.Visible(d.Name), maxNameExcerpt)
}

// repair makes the schemas of the tool valid, and returns what that changed. The server checks the
// arguments of its tools itself, so nothing depends on a rule that is left out. A schema that
// cannot be repaired stays as it is, and the registry refuses the tool with the reason.
func (d *definition) repair() (changes []string) {
	name := d.excerpt()
	if len(d.InputSchema) == 0 {
		d.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	if repaired, removed, err := jsonschema.RepairParameters(d.InputSchema); err == nil && len(removed) > 0 {
		d.InputSchema = repaired
		changes = append(changes, fmt.Sprintf("the tool %s: parts of its inputSchema are left out: %s", name, removed.Summary()))
	}
	switch repaired, removed, err := jsonschema.Repair(d.OutputSchema); {
	case len(d.OutputSchema) == 0 || err != nil || len(removed) == 0:
	case bytes.Equal(bytes.TrimSpace(d.OutputSchema), []byte("null")):
		d.OutputSchema = nil // null stands for an absent schema
	default:
		d.OutputSchema = repaired
		changes = append(changes, fmt.Sprintf("the tool %s: parts of its outputSchema are left out: %s", name, removed.Summary()))
	}
	return changes
}

// clean escapes hidden characters in texts that models and people read; cleaned says where the
// first one was. An escape in the tool's name, or in a value that is sent back to the server, would
// change the meaning. If these have such a character, clean returns an error and the tool is left
// out.
func (d *definition) clean() (cleaned string, err error) {
	name := d.excerpt()
	note := func(field, what string) {
		if cleaned == "" {
			cleaned = fmt.Sprintf("the tool %s: its %s %s; such characters are shown as an escape", name, field, what)
		}
	}
	if found, bad := plaintext.First(d.Name, plaintext.Word); bad {
		return "", fmt.Errorf("the tool %s is left out: its name contains %s", name, found)
	}
	if found, bad := plaintext.First(d.Title, plaintext.Line); bad {
		note("title", "contains "+found.String())
	}
	if found, bad := plaintext.First(d.Description, plaintext.Lines); bad {
		note("description", "contains "+found.String())
	}
	// Escape once more after the cut, because the cut may separate a joiner from its next
	// character.
	d.Title = plaintext.OneLine(plaintext.Cut(plaintext.OneLine(d.Title), maxTitle))
	d.Description = plaintext.Printable(plaintext.Cut(plaintext.Printable(d.Description), maxDescription))
	for _, s := range []struct {
		name   string
		schema *json.RawMessage
	}{{"inputSchema", &d.InputSchema}, {"outputSchema", &d.OutputSchema}} {
		clean, hidden, refused := jsonschema.CleanTexts(*s.schema)
		if refused != nil {
			return "", fmt.Errorf("the tool %s is left out: its %s %s; an escape there would change what it means", name, s.name, refused)
		}
		if len(hidden) > 0 {
			note(s.name, hidden[0].String())
		}
		*s.schema = clean
	}
	return cleaned, nil
}

// spec returns the tool for a registry. The tool is dangerous unless the operator says otherwise,
// because the effects of a call are unknown.
func (d definition) spec(server string) tool.Spec {
	return tool.Spec{
		Name: ToolName(server, d.Name), Title: d.Title, Description: d.Description,
		Category: "mcp", Source: "the MCP server " + server, Server: server,
		Parameters: d.InputSchema, Result: d.OutputSchema,
		Dangerous: true,
	}
}

// digest identifies everything that a decision about the tool depends on: the program or the
// URL of its server, and all that a model or a person was shown.
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
			_ = json.Compact(&b, schema) // no error, because schema is valid JSON
		}
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(b.Bytes()))
}
