package capability

import "slices"

// Intersect returns what a tool that asks for p gets under the offer o, and what
// it asks for in vain. Both results
// are independent of the arguments' memory.
//
// What is offered more narrowly than asked is granted as narrowly and not missing,
// with requests; a mount or store that is asked for writing is not granted for reading
// instead. Each missing word is one by which the operator would grant it, unless a
// denial stands against it or a secret is offered for other URLs; Explain tells.
func Intersect(p Permissions, o Grantable) (Grant, []Permission) {
	grant := Grant{Protected: slices.Clone(o.Protected)}
	var missing []Permission
	for _, ask := range p.FS {
		if !o.allows(ask.word()) {
			missing = append(missing, ask.word())
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
	for _, w := range p.plainWords() {
		switch {
		case w.kind == KindSecret: // belongs to the requests above
		case !o.allows(w):
			missing = append(missing, w)
		default:
			grant.add(w, o)
		}
	}
	return grant, unique(missing)
}

// add grants a word that o allows and that has nothing more to it.
func (g *Grant) add(w Permission, o Grantable) {
	switch w.kind {
	case KindEnv:
		put(&g.Env, w.name, o.Env[w.name])
	case KindKV:
		g.KV = w.mode()
	case KindClock:
		g.Clock = true
	case KindRandom:
		g.Random = true
	}
}

// intersectNet returns the requests that both sides allow, those of the more specific
// asks first, and what is missing: first the requests, then the secrets.
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
			missing = append(missing, ask.word())
		}
		for _, s := range ask.Secrets {
			reached := slices.ContainsFunc(grants, func(n GrantedNet) bool { return n.has(s) })
			if !o.allows(s.word()) || len(grants) > 0 && !reached {
				secrets = append(secrets, s.word())
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

// grantsFor returns what one ask gets: a grant for each offer that it shares URLs and
// methods with, but for those that say nothing new.
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

// covers reports whether other adds nothing to n, both coming from one ask. What is
// under "any" may have secrets that "any" has not.
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
	_, denied := o.Deny.Takes(netWord(KindNetPrivate, url, methods))
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

// grantSecret cuts a secret down to the URLs within both url and the offer. It goes to
// "any" host only where the offer spells that.
func grantSecret(use SecretUse, url URLPattern, o Grantable) (GrantedSecret, bool) {
	s := GrantedSecret{SecretUse: use}
	if !o.allows(use.word()) {
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
