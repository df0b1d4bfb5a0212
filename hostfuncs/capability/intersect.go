package capability

import "slices"

// Intersect returns the Grant of a tool that requests p if the operator offers o, and the requested
// permissions that are missing. The results share no memory with the arguments.
//
// A request that is only partly grantable is granted in part and not reported as missing. A mount
// or store requested for writing is never granted for reading only, except for the workspaces that
// [Permissions.WithOthers] adds. The operator can grant a
// missing permission unless it is denied, or is a secret that is grantable for other URLs only.
// [Explain] says which case applies.
func Intersect(p Permissions, o Grantable) (Grant, []Permission) {
	p = p.WithOthers(o)
	grant := Grant{Protected: slices.Clone(o.Protected)}
	var missing []Permission
	for _, ask := range p.FS {
		if !o.allows(ask.permission()) {
			missing = append(missing, ask.permission())
			continue
		}
		granted := GrantedFS{FS: ask.clone()}
		if ask.Mount != ScratchMount {
			granted.Dir = o.Mounts[ask.Mount].Dir
		}
		grant.FS = append(grant.FS, granted)
	}
	var lacking []Permission
	grant.Net, lacking = intersectNet(p.Net, o)
	missing = append(missing, lacking...)
	if len(grant.Net) > 0 {
		grant.NetDeny = o.Deny.net()
	}
	for _, permission := range p.plainPermissions() {
		switch {
		case permission.kind == KindSecret: // granted with the requests above
		case permission.kind == KindTools:
			granted := o.toolsFor(permission.name)
			if grant.Tools = append(grant.Tools, granted...); len(granted) == 0 {
				missing = append(missing, permission)
			}
		case !o.allows(permission):
			missing = append(missing, permission)
		default:
			grant.add(permission, o)
		}
	}
	if len(grant.Tools) > 0 {
		grant.ToolsDeny = o.Deny.tools()
	}
	return grant, unique(missing)
}

// add grants a permission for a variable, the store, the clock or randomness. o must allow the
// permission.
func (g *Grant) add(permission Permission, o Grantable) {
	switch permission.kind {
	case KindEnv:
		put(&g.Env, permission.name, o.Env[permission.name])
	case KindKV:
		g.KV = permission.mode()
	case KindClock:
		g.Clock = true
	case KindRandom:
		g.Random = true
	}
}

// intersectNet returns the requests that both sides allow, starting with the more specific ones,
// and the missing permissions: first requests, then secrets.
func intersectNet(asks []Net, o Grantable) (granted []GrantedNet, missing []Permission) {
	type part struct {
		ask    Net
		grants []GrantedNet
	}
	var parts []part
	var secrets []Permission
	for _, ask := range asks {
		grants := grantsFor(ask, o)
		if len(grants) == 0 {
			missing = append(missing, ask.permission())
		}
		for _, s := range ask.Secrets {
			reached := slices.ContainsFunc(grants, func(n GrantedNet) bool { return n.has(s) })
			if !o.allows(s.permission()) || len(grants) > 0 && !reached {
				secrets = append(secrets, s.permission())
			}
		}
		parts = append(parts, part{ask, grants})
	}
	slices.SortStableFunc(parts, func(a, b part) int { return moreSpecific(a.ask.URL, b.ask.URL) })
	for _, p := range parts {
		granted = append(granted, p.grants...)
	}
	return granted, append(missing, secrets...)
}

func (n GrantedNet) has(use SecretUse) bool {
	return slices.ContainsFunc(n.Secrets, func(s GrantedSecret) bool { return s.SecretUse == use })
}

// grantsFor returns the grants for one requested entry: one grant for each grantable entry that has
// URLs and methods in common with the request ask. It omits grants that other grants cover.
func grantsFor(ask Net, o Grantable) []GrantedNet {
	var grants []GrantedNet
	for _, offer := range o.Net {
		n, ok := grantFor(ask, offer, o)
		if ok && !slices.ContainsFunc(grants, func(g GrantedNet) bool { return g.covers(n) }) {
			grants = slices.DeleteFunc(grants, n.covers)
			grants = append(grants, n)
		}
	}
	return grants
}

// covers reports whether the grant other adds nothing to n. Both must result from the same
// requested entry. A grant that is narrower than "any" is kept, because it can have secrets, which
// "any" must not have.
func (n GrantedNet) covers(other GrantedNet) bool {
	return n.URL.IsAny() == other.URL.IsAny() && n.URL.Contains(other.URL) &&
		containsAll(n.Methods, other.Methods) && (n.Private || !other.Private)
}

func grantFor(ask Net, offer GrantableNet, o Grantable) (GrantedNet, bool) {
	url, shared := offer.URL, !offer.URL.IsZero()
	if !ask.URL.IsAny() {
		url, shared = ask.URL.Intersect(offer.URL)
	}
	methods := o.Deny.left(url, sharedMethods(ask.asked(), offer.Methods))
	if !shared || len(methods) == 0 {
		return GrantedNet{}, false
	}
	_, denied := o.Deny.Takes(netPermission(KindNetPrivate, url, methods))
	n := GrantedNet{URL: url, Methods: methods, Private: offer.private() && !denied}
	if url.NamesLocal() && !n.Private {
		return GrantedNet{}, false
	}
	for _, use := range ask.Secrets {
		if s, ok := grantSecret(use, url, o); ok {
			n.Secrets = append(n.Secrets, s)
		}
	}
	return n, true
}

// grantSecret limits a secret to the URLs that both url and o allow. A secret may be sent to "any"
// host only if o says so explicitly.
func grantSecret(use SecretUse, url URLPattern, o Grantable) (GrantedSecret, bool) {
	s := GrantedSecret{SecretUse: use}
	if !o.allows(use.permission()) {
		return s, false
	}
	for _, limit := range o.Secrets[use.Name].URLs {
		if part, ok := limit.Intersect(url); ok {
			s.URLs = append(s.URLs, part)
		}
	}
	if len(o.Secrets[use.Name].URLs) == 0 {
		return s, !url.IsAny()
	}
	return s, len(s.URLs) > 0
}
