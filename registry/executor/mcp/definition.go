package mcp

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/suggest"
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

// Adapted describes a tool of a server under a name of its own. It gives no access: a call needs
// the consent of the policy for the original tool as well, and is sent as a call of that tool.
type Adapted struct {
	// Tool is the server's name for the tool.
	Tool string
	// Spec is the definition. If Parameters or Result is empty, the server's schema applies. The
	// tool is always dangerous and outside the sandbox.
	Spec tool.Spec
	// Digest identifies the origin of the Spec, such as a manifest.
	Digest string
}

// sourced returns the tool for the server's definition d. Its digest changes when the server's
// definition changes, or the manifest.
func (a Adapted) sourced(s *Server, d definition) tool.Sourced {
	original, spec := d.spec(s.o.Name), a.Spec.Clone()
	spec.Category = cmp.Or(spec.Category, original.Category)
	spec.Server, spec.Original = original.Server, original.Name
	spec.Dangerous, spec.Sandboxed = true, false
	if len(spec.Parameters) == 0 {
		spec.Parameters = original.Parameters
	}
	if len(spec.Result) == 0 {
		spec.Result = original.Result
	}
	digest := d.digest(s.o)
	own := fmt.Sprintf("sha256:%x", sha256.Sum256(fmt.Appendf(nil, "adapted %q %q", a.Digest, digest)))
	return tool.Sourced{Spec: spec, Executor: &executor{server: s, name: d.Name, digest: digest, own: own}}
}

// lacks returns the error for an adapted tool that the server does not have.
func (s *session) lacks(a Adapted) error {
	names := each.Of(s.definitions(), func(d definition) string { return d.Name })
	hint := "it may have been renamed"
	if near := suggest.Nearest(a.Tool, names); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	missing := tool.Errorf(tool.CodeNotFound, "the MCP server %s has no tool %q; %s", s.server.o.Name, a.Tool, hint)
	missing.Tool = a.Spec.Name
	return missing
}

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
