package pipeline

import (
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Overlay is what holds for some calls besides the Rules, such as those of one tenant. It
// takes away, or puts one thing in the place of another of the same name, and never adds
// to what the Rules offer. The zero value changes nothing.
type TenantOptions struct {
	// Mounts are the folders of mounts that the Rules offer, and Env the values of their
	// variables. What the Rules do not offer is not offered by being named here, a mount
	// gives no more than it does there, and what is not named is taken away. Nil leaves the
	// folders and values of the Rules; an empty map leaves none.
	Mounts map[string]capability.Mount
	Env    map[string]string
	// Deny takes away more.
	Deny capability.Deny
	// Policy is asked as well, and the stricter answer counts; nil means that the policy
	// of the Rules decides alone.
	Policy *policy.Policy
	// Secrets has the values of secrets; nil means those of the tools' executors. Which
	// ones may be used where is for the Rules to say.
	Secrets *secret.Store
	// Approver is asked in the place of that of Options; nil means that one.
	Approver Approver
	// MaxTimeout bounds the timeout of an attempt besides Options.MaxTimeout; 0 means no
	// further bound.
	MaxTimeout time.Duration
	// Now is what the clock shows at the beginning of every call, for tools in the sandbox
	// that are granted the clock: it moves on by a second with every million readings, and
	// waits for nothing, so that equal calls give equal results. The zero value is the real time.
	Now time.Time
}

// Sees reports whether the policy of the Overlay leaves a tool to its callers.
func (o TenantOptions) Sees(s tool.Spec) bool {
	if o.Policy == nil {
		return true
	}
	visible, _ := o.Policy.Visible(factsOf(s))
	return visible
}

// cut is what is left of an offer.
func (o TenantOptions) cut(offer capability.Grantable) capability.Grantable {
	if o.Mounts == nil && o.Env == nil && len(o.Deny) == 0 {
		return offer
	}
	offer = offer.Clone()
	if o.Mounts != nil {
		for name, mount := range offer.Mounts {
			own, ok := o.Mounts[name]
			if !ok {
				delete(offer.Mounts, name)
				continue
			}
			offer.Mounts[name] = capability.Mount{Dir: own.Dir, Mode: min(own.Mode, mount.Mode)}
		}
	}
	if o.Env != nil {
		for name := range offer.Env {
			own, ok := o.Env[name]
			if !ok {
				delete(offer.Env, name)
				continue
			}
			offer.Env[name] = own
		}
	}
	offer.Deny = append(offer.Deny, o.Deny...)
	return offer
}
