package mcp

import (
	"cmp"
	"crypto/sha256"
	"fmt"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/suggest"
	"github.com/wasmtool/wasmtool/registry/tool"
)

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
