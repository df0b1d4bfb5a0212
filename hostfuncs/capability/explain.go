package capability

import (
	"net/url"
	"slices"
	"strings"
)

// Explanation says whether something is allowed, and why.
type Explanation struct {
	Allowed bool
	// By is a sentence without a full stop that names what decides: the ask, and the
	// offer or denial with its line where Offer.Lines has it.
	By string
	// Fix is the word by which the operator would allow it; the zero value when it is
	// allowed, or when no word would.
	Fix Permission
}

// Explain tells what decides about a word for a tool that asks for p under the offer
// o. A word of net with no method is about the methods that the tool asks for there,
// and is allowed when all of its URLs are.
func Explain(p Permissions, o Grantable, question Permission) Explanation {
	switch question.kind {
	case KindNet, KindNetPrivate:
		return explainNet(p, o, question, o.Deny.takesPart)
	case KindSecret:
		return explainSecret(p, o, question)
	}
	ask, ok := p.asksFor(question)
	if !ok {
		return notAsked(question)
	}
	if denial, denied := o.Deny.Takes(ask); denied {
		return o.denied(denial)
	}
	if !o.offers(ask) {
		return notOffered(ask, ask, ask)
	}
	if question.IsScratch() {
		return Explanation{Allowed: true, By: "each call has a folder " + ScratchMount + " of its own"}
	}
	return o.allowed(ask, o.offered(ask))
}

// ExplainRequest tells what decides about one request. It allows what Permits
// permits under the Grant that Intersect returns.
func ExplainRequest(p Permissions, o Grantable, method string, u *url.URL) Explanation {
	_, q, err := normalise(u)
	if err != nil {
		return Explanation{By: "no request is sent to such a URL: " + err.Error()}
	}
	if err := checkMethods([]string{method}); err != nil {
		return Explanation{By: err.Error()}
	}
	return explainNet(p, o, netWord(KindNet, q, []string{method}), o.Deny.Takes)
}

// asksFor returns the word by which the tool asks for what w says: that of a whole
// mount or store, which is granted as asked or not at all.
func (p Permissions) asksFor(w Permission) (Permission, bool) {
	words := append(p.plainWords(), each(p.FS, FS.word)...)
	i := slices.IndexFunc(words, func(ask Permission) bool { return w.takes(ask, URLPattern.forbids) })
	if i < 0 {
		return Permission{}, false
	}
	return words[i], true
}

// explainNet asks denials whether they stand against one method of q.
func explainNet(p Permissions, o Grantable, q Permission, denials func(Permission) (Permission, bool)) Explanation {
	i := slices.IndexFunc(p.Net, func(n Net) bool { return n.coversAsk(q) })
	if i < 0 {
		return notAsked(q)
	}
	ask := p.Net[i]
	if q.methods == "" {
		q = netWord(q.kind, q.url, ask.asked())
	}
	if denial, denied := firstDenial(q, denials); denied {
		return o.denied(denial)
	}
	var by []string
	for _, m := range q.Methods() {
		one := netWord(q.kind, q.url, []string{m})
		i := slices.IndexFunc(o.Net, func(n GrantableNet) bool { return n.allows(one) })
		if i < 0 {
			return o.netNotOffered(ask, one, fixFor(ask, q))
		}
		if line := o.located(o.Net[i].word()); !slices.Contains(by, line) {
			by = append(by, line)
		}
	}
	return Explanation{Allowed: true, By: "the tool asks for " + ask.word().String() + ", offered by " + strings.Join(by, " and ")}
}

// firstDenial returns what stands against one of the methods of q.
func firstDenial(q Permission, denials func(Permission) (Permission, bool)) (Permission, bool) {
	kind := q.kind
	if q.url.NamesLocal() {
		kind = KindNetPrivate // such a host is at no other address
	}
	for _, m := range q.Methods() {
		if denial, denied := denials(netWord(kind, q.url, []string{m})); denied {
			return denial, true
		}
	}
	return Permission{}, false
}

// coversAsk reports whether the tool asks for all that q says.
func (n Net) coversAsk(q Permission) bool {
	return (n.URL.IsAny() || n.URL.Contains(q.url)) && containsAll(n.asked(), q.Methods())
}

// allows reports whether the offer lets the method of q go to all its URLs.
func (n GrantableNet) allows(q Permission) bool {
	reaches := n.private() || q.kind == KindNet && !q.url.NamesLocal()
	return reaches && n.URL.Contains(q.url) && len(sharedMethods(q.Methods(), n.Methods)) > 0
}

// netNotOffered tells what is offered of q, which has one method, all the same.
func (o Grantable) netNotOffered(ask Net, q, fix Permission) Explanation {
	e := notOffered(ask.word(), q, fix)
	var parts []string
	for _, n := range o.Net {
		_, shared := q.url.Intersect(n.URL)
		if (shared || q.url.IsAny()) && len(sharedMethods(q.Methods(), n.Methods)) > 0 {
			parts = append(parts, o.located(n.word()))
		}
	}
	if len(parts) > 0 {
		e.By += " in full, only " + strings.Join(parts, " and ")
	}
	return e
}

// fixFor returns the word that offers q: the whole of a narrow ask, but of a wide one
// only the host in question.
func fixFor(ask Net, q Permission) Permission {
	if !ask.URL.IsAny() || q.url.IsAny() {
		return netWord(q.kind, ask.URL, ask.word().Methods())
	}
	host := q.url
	host.path = "/"
	return netWord(q.kind, host, q.Methods())
}

func explainSecret(p Permissions, o Grantable, q Permission) Explanation {
	uses := p.secrets()
	if !slices.ContainsFunc(uses, func(s SecretUse) bool { return s.word() == q }) {
		return notAsked(q)
	}
	if denial, denied := o.Deny.Takes(q); denied {
		return o.denied(denial)
	}
	if !o.offers(q) {
		return notOffered(q, q, q)
	}
	var lacking []Permission
	for _, ask := range p.Net {
		if !slices.ContainsFunc(ask.Secrets, func(s SecretUse) bool { return s.word() == q }) {
			continue
		}
		grants := grantsFor(ask, o)
		if slices.ContainsFunc(grants, func(n GrantedNet) bool { return slices.Contains(n.words(), q) }) {
			return o.allowed(q, q)
		}
		if len(grants) == 0 {
			lacking = append(lacking, ask.word())
		}
	}
	return o.unreached(q, lacking)
}

// unreached explains a secret that is offered and goes nowhere, where the requests of
// the words lacking are not granted.
func (o Grantable) unreached(q Permission, lacking []Permission) Explanation {
	e := Explanation{By: "the tool asks for " + q.String() + ", which is offered by " + o.located(q)}
	limits := o.Secrets[q.name].URLs
	if len(limits) > 0 {
		e.By += " for " + strings.Join(each(limits, URLPattern.String), ", ") + " only"
	}
	e.By += ", but no URL that it may go to is granted"
	for _, w := range lacking {
		within := func(p URLPattern) bool { _, ok := p.Intersect(w.url); return ok }
		if _, denied := o.Deny.Takes(w); !denied && (len(limits) == 0 || slices.ContainsFunc(limits, within)) {
			e.Fix = w
			break
		}
	}
	return e
}

func notOffered(ask, question, fix Permission) Explanation {
	what := question.String()
	if ask == question {
		what = "it"
	}
	return Explanation{By: "the tool asks for " + ask.String() + " and nothing offers " + what, Fix: fix}
}

func notAsked(q Permission) Explanation {
	return Explanation{By: "the tool does not ask for " + q.String() + " in its manifest, so no word grants it"}
}

func (o Grantable) denied(denial Permission) Explanation {
	return Explanation{By: "denied by " + o.located(denial) + "; a denial wins over every offer, so only taking it away would allow it"}
}

func (o Grantable) allowed(ask, offer Permission) Explanation {
	return Explanation{Allowed: true, By: "the tool asks for " + ask.String() + ", offered by " + o.located(offer)}
}

// offered is the word by which a mount or store is offered, which may be for more
// than is asked; other words as they are.
func (o Grantable) offered(ask Permission) Permission {
	switch ask.kind {
	case KindRead, KindWrite:
		return modeWord(KindRead, o.Mounts[ask.name].Mode, ask.name)
	case KindKV:
		return modeWord(KindKV, o.KV, "")
	}
	return ask
}

// located is a word with the line that it was written in.
func (o Grantable) located(w Permission) string {
	if line := o.Lines[w]; line != "" {
		return w.String() + " (" + line + ")"
	}
	return w.String()
}
