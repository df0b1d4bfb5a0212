package openapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/tooldir"
	"github.com/wasmtool/wasmtool/internal/lazyregexp"
)

// hasSecret reports whether the host adds a secret as this header, query parameter or cookie.
func (op *operation) hasSecret(in, name string) bool {
	return slices.ContainsFunc(op.request.Secrets, func(s tooldir.Secret) bool {
		return in == "query" && s.Query == name ||
			in == "header" && http.CanonicalHeaderKey(s.Header) == http.CanonicalHeaderKey(name) ||
			in == "cookie" && s.Prefix == name+"="
	})
}

// release matches a version of three numbers without a suffix.
var release = lazyregexp.New(`^(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})$`)

// manifest returns the tool.toml of the operation.
func (op *operation) manifest(name string) ([]byte, error) {
	for _, key := range []string{"summary", "description"} {
		if note := tooldir.Hidden(key, op.node.get(key).content()); note != "" {
			op.note(op.node.get(key), note)
		}
	}
	summary, description := op.node.get("summary").content(), op.node.get("description").content()
	m := tooldir.Manifest{Name: name, Title: summary, REST: &op.request}
	if version := op.root.get("info").get("version").content(); release.MatchString(version) {
		m.Version = version
	}
	for _, tag := range op.node.get("tags").elements() {
		word := tooldir.ToolName(tag.content())
		if word = strings.TrimRight(word[:min(len(word), tooldir.MaxName)], "_-"); !slices.Contains(m.Tags, word) {
			m.Tags = append(m.Tags, word)
		}
	}
	return m.Text(description, summary, op.String())
}
