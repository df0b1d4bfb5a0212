package pipeline

import (
	"maps"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// TenantOptions restricts the [Rules] for some calls, such as the calls of one tenant. It can
// remove what the Rules make available, or replace it with something else that has the same name.
// It cannot add anything. The zero value changes nothing.
type TenantOptions struct {
	// Mounts replaces the directories of mounts in the Rules, and Env the values of variables in
	// the Rules. Names that the Rules do not have are ignored. A mount keeps the access mode of
	// the Rules if that is stricter, and is a workspace if it is one in the Rules. Names of the
	// Rules that are missing here are removed. Nil changes nothing; an empty map removes all.
	Mounts map[string]capability.Mount
	Env    map[string]string
	// Deny adds denials to the denials of the Rules. Lines has their lines in the operator's file
	// as "file:line", for explanations; may be nil.
	Deny  capability.Deny
	Lines map[capability.Permission]string
	// Policy decides in addition to the policy of the Rules, and the stricter decision applies;
	// nil means that only the Rules decide.
	Policy *policy.Policy
	// Secrets has the values of secrets; nil means the secrets of the tools' executors. The Rules
	// decide where each secret may be used.
	Secrets *secret.Store
	// Approver replaces the Approver of ApprovalOptions; nil keeps it.
	Approver Approver
	// MaxTimeout limits the timeout of an attempt in addition to Options.MaxTimeout; 0 means no
	// further limit.
	MaxTimeout time.Duration
	// Now is the time that the clock shows when a call begins, for tools in the sandbox with a
	// granted clock. The clock then advances by one second with every million readings, and
	// sleeping takes no time, so that equal calls have equal results. The zero value means the
	// real time.
	Now time.Time
	// Seed makes the randomness of tools in the sandbox deterministic: a tool with granted
	// randomness reads the stream of this seed, from its beginning in each call. It must not be
	// used for calls that generate secrets. Zero means real randomness.
	Seed uint64
}

// Sees reports whether the policy of the options allows callers to see a tool.
func (o TenantOptions) Sees(s tool.Spec) bool {
	if o.Policy == nil {
		return true
	}
	visible, _ := o.Policy.Visible(factsOf(s))
	return visible
}

// restrict returns a Grantable without the permissions that the options remove.
func (o TenantOptions) restrict(grantable capability.Grantable) capability.Grantable {
	if o.Mounts == nil && o.Env == nil && len(o.Deny) == 0 {
		return grantable
	}
	grantable = grantable.Clone()
	if o.Mounts != nil {
		for name, mount := range grantable.Mounts {
			own, ok := o.Mounts[name]
			if !ok {
				delete(grantable.Mounts, name)
				continue
			}
			grantable.Mounts[name] = capability.Mount{Dir: own.Dir, Mode: min(own.Mode, mount.Mode), Workspace: mount.Workspace}
		}
	}
	if o.Env != nil {
		for name := range grantable.Env {
			own, ok := o.Env[name]
			if !ok {
				delete(grantable.Env, name)
				continue
			}
			grantable.Env[name] = own
		}
	}
	grantable.Deny = append(grantable.Deny, o.Deny...)
	if len(o.Lines) > 0 {
		lines := make(map[capability.Permission]string) // Lines of the Rules may be nil
		maps.Copy(lines, grantable.Lines)
		maps.Copy(lines, o.Lines)
		grantable.Lines = lines
	}
	return grantable
}
