package registry

import (
	"context"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/policy"
)

// describeGrant is what a tool may reach to describe itself, and whether it may do so at
// all. A tool in the sandbox reads the folders that it asks for and gets nothing else, and
// only where its calls could read them without anybody being asked: nobody is asked about
// a description.
func (r *Registry) describeGrant(ctx context.Context, e *entry) (capability.Grant, bool) {
	if !e.spec.Sandboxed {
		return capability.Grant{}, true
	}
	rules := r.rules.Load()
	if r.opts.NoDescriptions || e.disabled || r.holdsBack("", "", e) || r.identified(ctx, e, rules) != nil {
		return capability.Grant{}, false
	}
	var reading capability.Permissions
	for _, fs := range e.spec.Permissions.FS {
		if fs.Mount != capability.ScratchMount {
			fs.Mode = capability.ModeRead
			reading.FS = append(reading.FS, fs)
		}
	}
	given, err := r.offered(ctx, e, reading, rules, Overlay{}, "")
	if err != nil || len(given.Missing) > 0 {
		return capability.Grant{}, false
	}
	decision := rules.Policy.Decide(factsOf(e.spec), policy.CallFacts{
		Capabilities: asked(reading), Arguments: []byte("{}"), Granted: given.Granted,
	})
	return given.Grant, decision.Effect == policy.Allow
}
