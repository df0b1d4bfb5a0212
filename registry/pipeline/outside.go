package pipeline

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/questiontext"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// ruleOutside is the rule of a decision that asks about paths outside the workspaces.
const ruleOutside = "outside"

// outsidePaths returns the arguments that are paths of the host below none of the call's mounts,
// as mounts without a directory. They are empty unless a person may be asked about them. Only the
// arguments are read: whether the paths exist makes no difference.
//
// The person must be the owner of the host's files. So the approver must be the approver of the
// registry, and the call must come from a caller that is not confined to mounts of its own. A
// nested call cannot ask, because its arguments may be chosen by another tool.
func (p *Pipeline) outsidePaths(a authorised, deny capability.Deny) []capability.FS {
	o := p.o.Approvals
	if !a.rules.AskOutside || o.Remote || o.Approver == nil || a.Options.Approver != nil || a.Options.Mounts != nil || a.Parent != "" || !a.tool.Spec.Sandboxed {
		return nil
	}
	asks := a.tool.Spec.Permissions.FS
	i := slices.IndexFunc(asks, func(f capability.FS) bool { return f.Mount == capability.WorkspaceMount && f.Others })
	if i < 0 {
		return nil
	}
	var paths []capability.FS
	for _, parameter := range a.tool.Parameters.Parameters() {
		mode := capability.ModeRead
		if parameter.Path == "write" {
			mode = capability.ModeWrite
		}
		name, ok := a.arguments.Text(parameter.Name)
		inMount := func(m capability.GrantedFS) bool { return nested(m.GuestPath(), name) }
		if parameter.Path == "" || !ok || mode > asks[i].Mode || !path.IsAbs(name) || path.Clean(name) != name || plaintext.Visible(name) != name || slices.ContainsFunc(a.grant.FS, inMount) {
			continue
		}
		outside := capability.FS{Mount: name, Mode: mode, Deny: asks[i].Deny}
		denied := func(p capability.Permission) bool { _, taken := deny.Takes(p); return taken }
		if !slices.ContainsFunc(permissionsOf(outside), denied) {
			paths = append(paths, outside)
		}
	}
	return paths
}

// nested reports whether one of two guest paths is below the other, or they are equal.
func nested(a, b string) bool {
	a, b = strings.TrimSuffix(a, "/")+"/", strings.TrimSuffix(b, "/")+"/"
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// permissionsOf returns the permissions for paths outside the workspaces.
func permissionsOf(paths ...capability.FS) []capability.Permission {
	var grant capability.Grant
	for _, f := range paths {
		grant.FS = append(grant.FS, capability.GrantedFS{FS: f})
	}
	return grant.Permissions()
}

// outsideDecision asks about paths outside the workspaces. No grant makes the question unnecessary.
func outsideDecision(paths []capability.FS) policy.Decision {
	why := "it would "
	for i, f := range paths {
		if i > 0 {
			why += ", and "
		}
		why += f.Mode.String() + " " + questiontext.Quote(f.Mount, maxFact)
	}
	why += ", outside the workspaces; an approval is only for this call"
	return policy.Decision{Effect: policy.Ask, By: policy.Reason{Effect: policy.Ask, Rule: ruleOutside, Why: why}}
}

// addOutside finds the paths outside the workspaces on the host, and adds them to the grant of the
// call. It returns their real paths as limits of the call's access.
func (p *Pipeline) addOutside(ctx context.Context, a *authorised, id string) (bounds []string, err error) {
	if len(a.outside) == 0 {
		return nil, nil
	}
	found := make([]capability.GrantedFS, len(a.outside))
	errs := make([]error, len(a.outside))
	outside, protected := a.outside, a.grant.Protected
	if err := p.opening(ctx, func() {
		for i, f := range outside {
			found[i], errs[i] = files.Outside(f.Mount, f.Mode, f.Deny, protected)
		}
	}); err != nil {
		return nil, err
	}
	for i, g := range found {
		conflicts := func(m capability.GrantedFS) bool { return nested(m.GuestPath(), g.GuestPath()) }
		if errs[i] == nil && slices.ContainsFunc(a.grant.FS, conflicts) {
			errs[i] = errors.New("the path contains a mount of the call, or overlaps with another path of the call")
		}
		if plaintext.Visible(g.Real) != g.Real {
			errs[i] = errors.New("the real path has characters that are not shown")
		}
		if errs[i] != nil {
			p.o.Logger.Info("a path outside the workspaces cannot be approved", "tool", a.tool.Spec.Name, "call", id, "reason", errs[i])
			return nil, a.errOutside()
		}
		a.grant.FS = append(a.grant.FS, g)
		bounds = append(bounds, "outside: "+g.Mode.String()+" "+path.Join(g.Real, g.Only))
	}
	return bounds, nil
}

// errOutside returns the error of a call whose paths outside the workspaces cannot be approved. It
// is the same for every path, so that it does not reveal which paths exist.
func (a authorised) errOutside() error {
	return &tool.Error{
		Code: tool.CodePermissionDenied, Recoverable: true,
		Message: "the path " + questiontext.Quote(a.outside[0].Mount, maxFact) + " is outside the workspaces, and no approval can allow it; give a path under a workspace",
	}
}
