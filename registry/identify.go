package registry

import (
	"context"
	"slices"

	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Digest returns what names a tool as it is: its manifest and its module, or "" for a tool
// whose executor knows none. It loads the tool. Errors are an *Error: not_found, or those
// of loading.
func (r *Registry) Digest(ctx context.Context, name string) (string, error) {
	e, err := r.tools.Find(name)
	if err != nil {
		return "", err
	}
	return e.Digest(ctx)
}

// identify is the step that looks whether the tool is the one that the operator means.
// The tool is loaded and the call counts as running, so that none slips past a SetRules
// that revokes it.
func (r *Registry) identify(ctx context.Context, x *execution) error {
	return r.identified(ctx, x.tool, x.rules)
}

// identified is the error of a tool that the operator pinned as another, or revoked.
func (r *Registry) identified(ctx context.Context, e *catalogue.Tool, rules *Rules) error {
	pinned, revoked := rules.Digests[e.Spec.Name], r.rules.Load().Revoked
	if pinned == "" && len(revoked) == 0 {
		return nil
	}
	digest, err := e.Digest(ctx)
	switch {
	case err != nil:
		return err
	case slices.Contains(revoked, digest):
		return &tool.Error{Code: tool.CodeDisabled, Message: "the operator has revoked the tool"}
	case pinned != "" && pinned != digest:
		return &tool.Error{
			Code: tool.CodePermissionDenied, Message: "the tool is not the one that the operator pinned: its manifest or module changed",
			Details: tool.Details{Fix: "look at the change, then set digest = \"" + digest + "\" in [" + policy.ToolTable(e.Spec.Name) + "]"},
		}
	}
	return nil
}
