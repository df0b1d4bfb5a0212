package registry

import (
	"context"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// mayDescribe is what a tool in the sandbox may reach to describe itself, and whether it may
// do so at all. It reads the folders that it asks for and gets nothing else, and only where
// its calls could read them without anybody being asked: nobody is asked about a description.
func (r *Registry) mayDescribe(ctx context.Context, e *catalogue.Tool) (capability.Grant, bool) {
	rules := r.rules.Load()
	if r.calls.HoldsBack(tool.CallRef{}, e) || r.identified(ctx, e, rules) != nil {
		return capability.Grant{}, false
	}
	var reading capability.Permissions
	for _, fs := range e.Spec.Permissions.FS {
		if fs.Mount != capability.ScratchMount {
			fs.Mode = capability.ModeRead
			reading.FS = append(reading.FS, fs)
		}
	}
	given, err := r.offered(ctx, e, reading, rules, Overlay{}, "")
	if err != nil || len(given.Missing) > 0 {
		return capability.Grant{}, false
	}
	decision := rules.Policy.Decide(factsOf(e.Spec), policy.CallFacts{
		Capabilities: asked(reading), Arguments: []byte("{}"), Granted: given.Granted,
	})
	return given.Grant, decision.Effect == policy.Allow
}
