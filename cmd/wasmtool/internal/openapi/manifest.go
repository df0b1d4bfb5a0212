package openapi

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/manifests"
)

// manifestText is what is written of a manifest.
type manifestText struct {
	Manifest       int      `toml:"manifest"`
	Name           string   `toml:"name"`
	Version        string   `toml:"version"`
	Title          string   `toml:"title,omitempty"`
	Description    string   `toml:"description"`
	Tags           []string `toml:"tags,omitempty"`
	ParametersFile string   `toml:"parameters_file"`
	REST           request  `toml:"rest"`
}

// request is [rest].
type request struct {
	BaseURL string            `toml:"base_url"`
	Method  string            `toml:"method"`
	Path    string            `toml:"path,omitempty"`
	Body    string            `toml:"body,omitempty"`
	Query   map[string]string `toml:"query,omitempty"`
	Headers map[string]string `toml:"headers,omitempty"`
	Secrets []secretUse       `toml:"secrets,omitempty"`
}

// secretUse is one of [[rest.secrets]].
type secretUse struct {
	Name   string `toml:"name"`
	Header string `toml:"header,omitempty"`
	Query  string `toml:"query,omitempty"`
	Basic  bool   `toml:"basic,omitempty"`
	Prefix string `toml:"prefix,omitempty"`
}

// hasSecret reports whether the host puts a secret there.
func (r *request) hasSecret(in, name string) bool {
	return slices.ContainsFunc(r.Secrets, func(s secretUse) bool {
		return in == "query" && s.Query == name ||
			in == "header" && http.CanonicalHeaderKey(s.Header) == http.CanonicalHeaderKey(name) ||
			in == "cookie" && s.Prefix == name+"="
	})
}

// release is a version without anything after its numbers.
var release = regexp.MustCompile(`^(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})$`)

// manifest writes the tool.toml of the operation.
func (op *operation) manifest(name string) ([]byte, error) {
	summary, description := op.node.get("summary").content(), op.node.get("description").content()
	for _, key := range []string{"summary", "description"} {
		if found, bad := plaintext.First(op.node.get(key).content(), plaintext.Lines); bad {
			op.note(op.node.get(key), fmt.Sprintf("the %s holds %s; such characters are left out", key, found))
		}
	}
	m := manifestText{
		Manifest: 1, Name: name, Version: "1.0.0",
		Title:          manifests.PlainTitle(summary),
		Description:    manifests.PlainDescription(description),
		ParametersFile: SchemaFile, REST: op.request,
	}
	if m.Description == "" {
		m.Description = manifests.PlainDescription(summary)
	}
	if m.Description == "" {
		m.Description = manifests.PlainDescription(op.String())
	}
	if version := op.root.get("info").get("version").content(); release.MatchString(version) {
		m.Version = version
	}
	for _, tag := range op.node.get("tags").elements() {
		word := toolName(tag.content())
		if word = strings.TrimRight(word[:min(len(word), maxName)], "_-"); !slices.Contains(m.Tags, word) {
			m.Tags = append(m.Tags, word)
		}
	}
	return toml.Marshal(m)
}
