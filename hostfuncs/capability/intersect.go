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
func Intersect(p Permissions, o Offer) (Grant, []Word) {
	grant := Grant{Protected: slices.Clone(o.Protected)}
	var missing []Word
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
	var lacking []Word
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
func (g *Grant) add(w Word, o Offer) {
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
