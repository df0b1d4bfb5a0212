package capability

import "slices"

// Only returns what o offers within the words, bound and denied as in o: the offer of
// whoever says no more than the words. A secret goes where o lets it go.
func (o Offer) Only(words ...Word) Offer {
	only := Offer{Protected: o.Protected, Deny: slices.Clone(o.Deny), Lines: o.Lines}
	for _, w := range words {
		switch w.kind {
		case KindRead, KindWrite:
			if m, ok := o.Mounts[w.name]; ok {
				m.Mode = max(only.Mounts[w.name].Mode, min(m.Mode, w.mode()))
				put(&only.Mounts, w.name, m)
			}
		case KindEnv:
			if value, ok := o.Env[w.name]; ok {
				put(&only.Env, w.name, value)
			}
		case KindSecret:
			if s, ok := o.Secrets[w.name]; ok {
				put(&only.Secrets, w.name, SecretOffer{URLs: slices.Clone(s.URLs)})
			}
		case KindNet, KindNetPrivate:
			only.Net = append(only.Net, OfferedNet{URL: w.url, Methods: w.Methods(), Private: w.kind == KindNetPrivate})
		case KindKV:
			only.KV = max(only.KV, min(o.KV, w.mode()))
		case KindClock:
			only.Clock = o.Clock
		case KindRandom:
			only.Random = o.Random
		}
	}
	return only
}
