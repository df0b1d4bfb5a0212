package pipeline

import (
	"context"
	"io/fs"
	"maps"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Access is what a tool may access when a tenant calls it.
type Access struct {
	// Grantable is what the Rules and the grants to exactly this tool make available.
	Grantable capability.Grantable
	// Grant is the part of Grantable that the tool requests. Permissions lists it, without the
	// private scratch directory of each call. Missing are the permissions that the tool requests
	// and does not get.
	Grant                capability.Grant
	Permissions, Missing []capability.Permission
	// Granted is what was granted to exactly this tool, limited to what the tool requests.
	Granted policy.Granted
	// Stale are permissions that were granted to another version of the tool and not to this
	// version; they no longer apply. Moved are permissions that were granted while the path of a
	// mount led to a different directory.
	Stale, Moved []capability.Permission

	digest string // the digest of the tool, if it was needed
}

// accessRequest asks what a tool may access.
type accessRequest struct {
	tool        *catalogue.Tool
	permissions capability.Permissions // what the tool requests
	rules       *Rules
	options     TenantOptions
	tenant      string
}

// access computes the access of a tool. It reads the current grants.
func (p *Pipeline) access(ctx context.Context, r accessRequest) (Access, error) {
	access := Access{Grantable: r.rules.GrantableFor(r.tool.Spec.Name)}
	added := access.add(r.rules, r.rules.Granted, r.rules.GrantedBy)
	grants, err := p.grants(ctx, r, access.Grantable)
	if err != nil {
		return access, err
	}
	if len(grants) > 0 {
		// The executor only runs the tool with this digest.
		if access.digest, err = catalogue.Digest(ctx, p.o.Catalogue, r.tool); err != nil {
			return access, err
		}
	}
	directories := make(map[string]fs.FileInfo) // directories of the grants, by mount
	for _, g := range grants {
		if access.digest == "" || g.Digest != access.digest {
			access.Stale = append(access.Stale, g.Parsed()...)
			continue
		}
		same, opened, err := p.sameDirectories(ctx, g, r.permissions, r.options.restrict(access.Grantable))
		if err != nil {
			return access, err
		}
		if !same {
			access.Moved = append(access.Moved, g.Parsed()...)
			continue
		}
		maps.Copy(directories, opened)
		added = append(added, access.add(r.rules, g.Parsed(), sourceOf(g))...)
		if g.AutoExecute {
			access.Granted.AutoExecute, access.Granted.Source = true, sourceOf(g)
		}
	}
	valid := func(p capability.Permission) bool { return slices.Contains(added, p) }
	access.Stale, access.Moved = slices.DeleteFunc(access.Stale, valid), slices.DeleteFunc(access.Moved, valid)
	if len(added) > 0 {
		granted, _ := capability.Intersect(r.permissions, r.options.restrict(access.Grantable.Only(added...)))
		access.Granted.Permissions = withoutScratch(granted.Permissions())
	}
	access.Grantable = r.options.restrict(access.Grantable)
	access.Grant, access.Missing = capability.Intersect(r.permissions, access.Grantable)
	for i := range access.Grant.FS {
		access.Grant.FS[i].Is = directories[access.Grant.FS[i].Mount]
	}
	access.Permissions = withoutScratch(access.Grant.Permissions())
	return access, nil
}

// grants returns a tenant's grants to tools with this name. It reads no grants if they cannot
// change the result: the tool already gets everything that it requests, and its calls need no
// approval.
func (p *Pipeline) grants(ctx context.Context, r accessRequest, grantable capability.Grantable) ([]remembered.Grant, error) {
	if p.o.Approvals.Grants == nil {
		return nil, nil
	}
	grant, missing := capability.Intersect(r.permissions, grantable)
	risky := func(p capability.Permission) bool { return !policy.Harmless(p) }
	if len(missing) == 0 && !r.tool.Spec.Dangerous && !slices.ContainsFunc(withoutScratch(grant.Permissions()), risky) {
		return nil, nil
	}
	grants, err := p.o.Approvals.Grants.Find(ctx, r.tenant, r.tool.Spec.Name)
	switch {
	case ctx.Err() != nil:
		return nil, callerror.OfContext(ctx)
	case err != nil:
		return nil, (&tool.Error{Code: tool.CodePermissionDenied, Message: "cannot read the grants of the tool: " + err.Error()}).WithCause(err)
	}
	return grants, nil
}

// sourceOf returns where the operator finds a grant.
func sourceOf(g remembered.Grant) string { return "wasmtool permission list, " + g.ID }

// add makes further permissions grantable, and returns the permissions that it could add.
func (a *Access) add(rules *Rules, permissions []capability.Permission, source string) []capability.Permission {
	if len(permissions) == 0 {
		return nil
	}
	lines := maps.Clone(a.Grantable.Lines) // the Rules must not change
	if lines == nil {
		lines = make(map[capability.Permission]string)
	}
	var added []capability.Permission
	grantable := a.Grantable // so that only calls that get here allocate what extend may keep
	for _, permission := range permissions {
		// A permission without a binding, such as a variable that is not set, stays missing.
		if rules.extend(&grantable, permission) != nil {
			continue
		}
		added = append(added, permission)
		if lines[permission] == "" {
			lines[permission] = source
		}
	}
	grantable.Lines = lines
	a.Grantable = grantable
	a.Granted.Source = source
	return added
}

// withoutScratch removes the permissions for the private scratch directory of each call.
func withoutScratch(permissions []capability.Permission) []capability.Permission {
	return slices.DeleteFunc(permissions, capability.Permission.IsScratch)
}
