package registry

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
type Offered struct {
	// Offer is what the Rules give, with what was granted to exactly this tool.
	Offer capability.Offer
	// Grant is what the tool gets of it, Words say so, but for the folder that each call has
	// for itself, and Missing is what the tool asks for in vain.
	Grant          capability.Grant
	Words, Missing []capability.Word
	// Granted is the part that was granted to exactly this tool of what it asks for.
	Granted policy.Granted
	// Changed are words that were granted to tools of the name that are not this one, and not
	// to this one: they count no more. Moved are those that were granted when the path of a
	// mount led to another directory.
	Changed, Moved []string

	digest string // of the tool, where it was asked for
}

// Offered returns what a tool is given when a tenant calls it. Where something was granted
// to a tool of that name, it loads the tool. Errors are an *Error: not_found, those of
// loading, and permission_denied when what was granted cannot be read.
func (r *Registry) Offered(ctx context.Context, name, tenant string) (Offered, error) {
	e, err := r.tools.Find(name)
	if err != nil {
		return Offered{}, err
	}
	return r.offered(ctx, e, e.Spec.Permissions, r.rules.Load(), Overlay{}, tenant)
}

// offered is what is left of that when an overlay holds besides, for a call that asks for
// this.
func (r *Registry) offered(ctx context.Context, e *catalogue.Tool, asks capability.Permissions, rules *Rules, overlay Overlay, tenant string) (Offered, error) {
	given := Offered{Offer: rules.OfferTo(e.Spec.Name)}
	words := given.add(rules, rules.Granted, rules.GrantedBy)
	found, err := r.granted(ctx, e, asks, given.Offer, tenant)
	if err != nil {
		return given, err
	}
	if len(found) > 0 {
		// The tool that is looked at here is the one that runs: it stays loaded.
		if given.digest, err = r.digestWithin(ctx, e); err != nil {
			return given, err
		}
	}
	directories := make(map[string]fs.FileInfo) // of grants, by mount
	for _, g := range found {
		if given.digest == "" || g.Digest != given.digest {
			given.Changed = append(given.Changed, g.Words...)
			continue
		}
		same, opened, err := r.stillLeads(ctx, g, asks, overlay.cut(given.Offer))
		if err != nil {
			return given, err
		}
		if !same {
			given.Moved = append(given.Moved, g.Words...)
			continue
		}
		maps.Copy(directories, opened)
		words = append(words, given.add(rules, g.Parsed(), sourceOf(g))...)
		if g.AutoExecute {
			given.Granted.AutoExecute, given.Granted.Source = true, sourceOf(g)
		}
	}
	again := func(w string) bool {
		return slices.ContainsFunc(words, func(given capability.Word) bool { return given.String() == w })
	}
	given.Changed, given.Moved = slices.DeleteFunc(given.Changed, again), slices.DeleteFunc(given.Moved, again)
	if len(words) > 0 {
		within, _ := capability.Intersect(asks, overlay.cut(given.Offer.Only(words...)))
		given.Granted.Words = grantWords(within)
	}
	given.Offer = overlay.cut(given.Offer)
	given.Grant, given.Missing = capability.Intersect(asks, given.Offer)
	for i := range given.Grant.FS {
		given.Grant.FS[i].Is = directories[given.Grant.FS[i].Mount]
	}
	given.Words = grantWords(given.Grant)
	return given, nil
}

// granted are a tenant's grants to tools of the name, if they could change anything: the
// tool gets less than it asks for, or its calls may be asked about.
func (r *Registry) granted(ctx context.Context, e *catalogue.Tool, asks capability.Permissions, offer capability.Offer, tenant string) ([]remembered.Grant, error) {
	if r.opts.Approvals.Grants == nil {
		return nil, nil
	}
	grant, missing := capability.Intersect(asks, offer)
	risky := func(w capability.Word) bool { return !policy.Harmless(w) }
	if len(missing) == 0 && !e.Spec.Dangerous && !slices.ContainsFunc(grantWords(grant), risky) {
		return nil, nil
	}
	found, err := r.opts.Approvals.Grants.Find(ctx, tenant, e.Spec.Name)
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

// add offers words besides, and returns those that it could.
func (o *Offered) add(rules *Rules, words []capability.Word, source string) []capability.Word {
	if len(words) == 0 {
		return nil
	}
	lines := maps.Clone(o.Offer.Lines) // the Rules are not changed
	if lines == nil {
		lines = make(map[capability.Word]string)
	}
	var added []capability.Word
	for _, word := range words {
		// What nobody binds, such as a variable that is not set, stays missing.
		if rules.widen(&o.Offer, word) != nil {
			continue
		}
		added = append(added, word)
		if lines[word] == "" {
			lines[word] = source
		}
	}
	o.Offer.Lines = lines
	o.Granted.Source = source
	return added
}

// grantWords are the words of a grant, but for those of what each call has for itself, which
// concern nobody.
func grantWords(g capability.Grant) []capability.Word {
	return slices.DeleteFunc(g.Words(), capability.Word.IsScratch)
}
