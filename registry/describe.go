package registry

import (
	"context"
	"maps"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
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
	if r.opts.Tools.NoDescriptions || e.disabled || r.holdsBack("", "", e) || r.identified(ctx, e, rules) != nil {
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

// forgetDescriptions puts tools in the sandbox back to what they were registered with: what
// they told of themselves is of folders that other Rules may take away.
func (r *Registry) forgetDescriptions() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, e := range maps.Clone(r.entries) {
		// Also those that wait for a description: it may be one under the old Rules.
		if _, dynamic := e.executor.(tool.Dynamic); !dynamic || !e.spec.Sandboxed {
			continue
		}
		next, err := newEntry(e.base, e.executor)
		if err == nil {
			next.createdAt, next.disabled = e.createdAt, e.disabled
			err = r.put(next, e)
		}
		if err != nil { // it held when it was registered
			r.log.Error("a tool keeps its description", "tool", name, "error", err)
		}
	}
}
