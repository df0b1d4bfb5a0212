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
	given, err := r.offered(ctx, x.tool, asksFor(x.tool.Spec, x.script), x.rules, x.overlay, x.call.Tenant)
	if err != nil {
		return err
	}
	x.granted, x.digest = given.Granted, given.digest
	if len(given.Missing) == 0 {
		x.grant, x.words = given.Grant, given.Words
		return nil
	}
	return x.notGranted(given, r.readingWouldRun(ctx, x))
}

// readingWouldRun reports whether the call would have all that it needs if its script only
// read.
func (r *Registry) readingWouldRun(ctx context.Context, x *execution) bool {
	if x.script == nil || x.script.ReadOnly || !x.tool.Spec.Sandboxed {
		return false
	}
	given, err := r.offered(ctx, x.tool, x.tool.Spec.Permissions.Reading(), x.rules, x.overlay, x.call.Tenant)
	return err == nil && len(given.Missing) == 0
}

// notGranted is the error of a call whose tool asks for more than it gets; reading tells
// that a script which only reads would run.
func (x *execution) notGranted(given Offered, reading bool) error {
	missing := x.narrow(given.Missing, given.Offer)
	message := "not granted: " + strings.Join(capability.Strings(missing), ", ")
	if reading {
		if x.script.Effect == policy.Ask {
			message += ", needed since " + x.script.Reason
		}
		message += "; a script that only reads runs without it"
	}
	missingOf := func(earlier []string) bool {
		return slices.ContainsFunc(given.Missing, func(w capability.Word) bool { return slices.Contains(earlier, w.String()) })
	}
	switch {
	case missingOf(given.Moved):
		message += "; its grant has no effect, since a mount leads to another directory now, and only the operator can grant it again"
	case missingOf(given.Changed):
		message += "; it was granted to the tool as it was before it changed, and only the operator can grant it again"
	default:
		message += "; only the operator can grant it"
	}
	e := &tool.Error{
		Code: tool.CodePermissionDenied, Message: message, Recoverable: true,
		Details: tool.Details{Missing: capability.Strings(missing)},
	}
	help := x.rules.Help(x.tool.Spec.Permissions, given.Offer, missing)
	e.Details.Denied = capability.Strings(help.Denied)
	if len(help.Obstacles) > 0 {
		e.Details.Fix = strings.Join(help.Obstacles, "\n")
		return e
	}
	grantable := capability.Strings(help.Grant)
	e.Details.Fix = x.rules.allowLines(x.tool.Spec.Name, grantable)
	// What would be asked about then is granted with it, so that one step is enough.
	decision := x.rules.Policy.Decide(factsOf(x.tool.Spec), policy.CallFacts{
		Capabilities: asked(asksFor(x.tool.Spec, x.script)), Arguments: x.arguments.JSON, Granted: grantedWith(x.granted, x.script),
	})
	for _, text := range decision.Grant {
		word, err := capability.ParseWord(text)
		if err != nil { // policy.AutoExecute
			continue
		}
		if text := x.narrowWord(word, given.Offer).String(); !slices.Contains(grantable, text) {
			grantable = append(grantable, text)
		}
	}
	switch {
	case x.script != nil && x.script.Effect == policy.Ask && !x.rules.Shell.Unconfirmed:
		e.Details.Fix += "\n# scripts that may do more than read are asked about, unless [shell] allows their commands"
	case decision.Effect == policy.Ask:
		e.Details.Fix += "\n# its calls are asked about, unless you add: auto_execute = true"
	}
	e.Details.Grant = grantable
	return e
}

// asked are the words of what a call asks for, but for those of what each call has for
// itself, which concern nobody.
func asked(asks capability.Permissions) []capability.Word {
	return slices.DeleteFunc(asks.Words(), capability.Word.IsScratch)
}
