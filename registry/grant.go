package registry

import (
	"context"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// computeGrant is the step that cuts what the tool asks for down to what the
// operator offers, and the overlay leaves of it. A tool that asks for more than it gets
// does not run: it would fail half-way, where the reason is harder to see.
func (r *Registry) computeGrant(ctx context.Context, x *execution) error {
	given, err := r.offered(ctx, x.entry, asksFor(x.entry.spec, x.script), x.rules, x.overlay, x.call.Tenant)
	if err != nil {
		return err
	}
	x.granted, x.digest = given.Granted, given.digest
	if len(given.Missing) == 0 {
		x.grant, x.words = given.Grant, given.Words
		return nil
	}
	return x.notGranted(given)
}

// notGranted is the error of a call whose tool asks for more than it gets.
func (x *execution) notGranted(given Offered) error {
	missing := x.narrow(given.Missing, given.Offer)
	message := "not granted: " + strings.Join(missing, ", ")
	switch {
	case slices.ContainsFunc(given.Missing, func(w string) bool { return slices.Contains(given.Changed, w) }):
		message += "; it was granted to the tool as it was before it changed, and only the operator can grant it again"
	default:
		message += "; only the operator can grant it"
	}
	e := &tool.Error{
		Code: tool.CodePermissionDenied, Message: message, Recoverable: true,
		Details: tool.Details{Missing: missing},
	}
	grantable, obstacles := x.whatHelps(given.Offer, &e.Details)
	if len(obstacles) > 0 {
		e.Details.Fix = strings.Join(obstacles, "\n")
		return e
	}
	e.Details.Fix = policy.AllowLines(x.entry.spec.Name, grantable)
	// What would be asked about then is granted with it, so that one step is enough.
	decision := x.rules.Policy.Decide(factsOf(x.entry.spec), policy.CallFacts{
		Capabilities: asked(asksFor(x.entry.spec, x.script)), Arguments: x.arguments.JSON, Granted: grantedWith(x.granted, x.script),
	})
	for _, w := range x.narrow(decision.Grant, given.Offer) {
		if w != policy.AutoExecute && !slices.Contains(grantable, w) {
			grantable = append(grantable, w)
		}
	}
	if decision.Effect == policy.Ask {
		e.Details.Fix += "\n# its calls are asked about, unless you add: auto_execute = true"
	}
	e.Details.Grant = grantable
	return e
}

// whatHelps tells missing words that a grant would bring from what stands in its way, and
// notes those that no grant brings.
func (x *execution) whatHelps(offer capability.Offer, d *tool.Details) (grantable, obstacles []string) {
	for _, text := range d.Missing {
		word, err := capability.ParseWord(text)
		if err != nil { // a word that was printed is read again
			continue
		}
		explained := capability.Explain(x.entry.spec.Permissions, offer, word)
		fix, err := capability.ParseWord(explained.Fix)
		switch {
		case err != nil:
			d.Denied = append(d.Denied, text)
			obstacles = append(obstacles, text+": "+explained.By)
			continue
		case slices.Contains(grantable, explained.Fix):
			continue
		}
		if err := x.rules.widen(&offer, fix); err != nil {
			obstacles = append(obstacles, err.Error())
			continue
		}
		grantable = append(grantable, explained.Fix)
	}
	return grantable, obstacles
}

// asked are the words of what a call asks for, but for those of what each call has for
// itself, which concern nobody.
func asked(asks capability.Permissions) []string {
	return slices.DeleteFunc(asks.Words(), func(w string) bool {
		_, name, _ := strings.Cut(w, ":")
		return name == capability.ScratchMount
	})
}
