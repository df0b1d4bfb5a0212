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

// Offered is what a tool is given when a tenant calls it.
type Access struct {
	// Offer is what the Rules give, with what was granted to exactly this tool.
	Grantable capability.Grantable
	// Grant is what the tool gets of it, Words lists that without the scratch directory that
	// each call has to itself, and Missing is what the tool asks for in vain.
	Grant                capability.Grant
	Permissions, Missing []capability.Permission
	// Granted is the part of what the tool asks for that was granted to exactly this tool.
	Granted policy.Granted
	// Changed are words that were granted to another version of the tool and not to this one:
	// they no longer count. Moved are words that were granted while the path of a mount led to
	// another directory.
	Stale, Moved []capability.Permission

	digest string // of the tool, where it was looked at
}

// asks is one look at what a tool is given: whose call it is, what it asks for and under
// which rules.
type asks struct {
	tool        *catalogue.Tool
	permissions capability.Permissions
	rules       *Rules
	overlay     TenantOptions
	tenant      string
}

// offered works out what is given. It reads the grants at this moment.
func (p *Pipeline) offered(ctx context.Context, a asks) (Access, error) {
	given := Access{Grantable: a.rules.GrantableFor(a.tool.Spec.Name)}
	words := given.add(a.rules, a.rules.Granted, a.rules.GrantedBy)
	found, err := p.granted(ctx, a, given.Grantable)
	if err != nil {
		return given, err
	}
	if len(found) > 0 {
		// The tool that is looked at here is the one that runs: it stays loaded.
		if given.digest, err = p.loadedDigest(ctx, a.tool); err != nil {
			return given, err
		}
	}
	directories := make(map[string]fs.FileInfo) // of grants, by mount
	for _, g := range found {
		if given.digest == "" || g.Digest != given.digest {
			given.Stale = append(given.Stale, g.Parsed()...)
			continue
		}
		same, opened, err := p.stillLeads(ctx, g, a.permissions, a.overlay.cut(given.Grantable))
		if err != nil {
			return given, err
		}
		if !same {
			given.Moved = append(given.Moved, g.Parsed()...)
			continue
		}
		maps.Copy(directories, opened)
		words = append(words, given.add(a.rules, g.Parsed(), sourceOf(g))...)
		if g.AutoExecute {
			given.Granted.AutoExecute, given.Granted.Source = true, sourceOf(g)
		}
	}
	again := func(w capability.Permission) bool { return slices.Contains(words, w) }
	given.Stale, given.Moved = slices.DeleteFunc(given.Stale, again), slices.DeleteFunc(given.Moved, again)
	if len(words) > 0 {
		within, _ := capability.Intersect(a.permissions, a.overlay.cut(given.Grantable.Only(words...)))
		given.Granted.Permissions = withoutScratch(within.Permissions())
	}
	given.Grantable = a.overlay.cut(given.Grantable)
	given.Grant, given.Missing = capability.Intersect(a.permissions, given.Grantable)
	for i := range given.Grant.FS {
		given.Grant.FS[i].Is = directories[given.Grant.FS[i].Mount]
	}
	given.Permissions = withoutScratch(given.Grant.Permissions())
	return given, nil
}

// granted returns a tenant's grants to tools of the name, if they could change anything: the
// tool gets less than it asks for, or its calls may be asked about.
func (p *Pipeline) granted(ctx context.Context, a asks, offer capability.Grantable) ([]remembered.Grant, error) {
	if p.o.Approvals.Grants == nil {
		return nil, nil
	}
	grant, missing := capability.Intersect(a.permissions, offer)
	risky := func(w capability.Permission) bool { return !policy.Harmless(w) }
	if len(missing) == 0 && !a.tool.Spec.Dangerous && !slices.ContainsFunc(withoutScratch(grant.Permissions()), risky) {
		return nil, nil
	}
	found, err := p.o.Approvals.Grants.Find(ctx, a.tenant, a.tool.Spec.Name)
	switch {
	case ctx.Err() != nil:
		return nil, callerror.OfContext(ctx)
	case err != nil:
		return nil, (&tool.Error{Code: tool.CodePermissionDenied, Message: "what was granted to the tool cannot be read: " + err.Error()}).WithCause(err)
	}
	return found, nil
}

// sourceOf says where a grant is kept.
func sourceOf(g remembered.Grant) string { return "wasmtool permission list, " + g.ID }

// add offers further words, and returns those that it could.
func (o *Access) add(rules *Rules, words []capability.Permission, source string) []capability.Permission {
	if len(words) == 0 {
		return nil
	}
	lines := maps.Clone(o.Grantable.Lines) // the Rules are not changed
	if lines == nil {
		lines = make(map[capability.Permission]string)
	}
	var added []capability.Permission
	for _, word := range words {
		// What has no binding, such as a variable that is not set, stays missing.
		if rules.widen(&o.Grantable, word) != nil {
			continue
		}
		added = append(added, word)
		if lines[word] == "" {
			lines[word] = source
		}
	}
	o.Grantable.Lines = lines
	o.Granted.Source = source
	return added
}

// withoutScratch leaves out the words of the scratch directory that each call has to itself.
func withoutScratch(words []capability.Permission) []capability.Permission {
	return slices.DeleteFunc(words, capability.Permission.IsScratch)
}
