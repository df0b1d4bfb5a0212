package capability

import (
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
)

// Explanation says whether an access is allowed, and why.
type Explanation struct {
	Allowed bool
	// By is a sentence without a full stop that gives the reason. It names the tool's request, and
	// the grantable permission or denial that decides, with its line if Grantable.Lines has the
	// line.
	By string
	// Fix is the permission that the operator must grant to allow the access. It is the zero value
	// if the access is allowed, or if no permission would allow it.
	Fix Permission
}

// Explain explains whether a permission is allowed for a tool that requests p, if the operator
// offers o. A net permission without methods means the methods that the tool requests for that URL.
// A net permission is allowed only if all its URLs are allowed.
func Explain(p Permissions, o Grantable, question Permission) Explanation {
	p = p.WithOthers(o)
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
	if question.kind == KindTools {
		ask = question // a part of what the tool asks for
	}
	if denial, denied := o.Deny.Takes(ask); denied {
		return o.denied(denial)
	}
	if !o.offers(ask) {
		return notOffered(ask, ask, ask)
	}
	if question.IsScratch() {
		return Explanation{Allowed: true, By: "each call has its own directory " + ScratchMount}
	}
	return o.allowed(ask, o.offered(ask))
}

// asksFor returns the tool's request that includes the permission. A mount or store is granted
// exactly as requested or not at all, so a request for writing also includes reading.
func (p Permissions) asksFor(permission Permission) (Permission, bool) {
	permissions := append(p.plainPermissions(), each.Of(p.FS, FS.permission)...)
	i := slices.IndexFunc(permissions, func(ask Permission) bool {
		return permission.takes(ask, URLPattern.forbids) || permission.kind == KindTools && ask.takes(permission, URLPattern.forbids)
	})
	if i < 0 {
		return Permission{}, false
	}
	return permissions[i], true
}

// explainNet explains a net permission. The function denials returns a denial that applies to one
// method of q.
func explainNet(p Permissions, o Grantable, q Permission, denials func(Permission) (Permission, bool)) Explanation {
	i := slices.IndexFunc(p.Net, func(n Net) bool { return n.coversAsk(q) })
	if i < 0 {
		return notAsked(q)
	}
	ask := p.Net[i]
	if q.methods == "" {
		q = netPermission(q.kind, q.url, ask.asked())
	}
	if denial, denied := firstDenial(q, denials); denied {
		return o.denied(denial)
	}
	var by []string
	for _, m := range q.Methods() {
		one := netPermission(q.kind, q.url, []string{m})
		i := slices.IndexFunc(o.Net, func(n GrantableNet) bool { return n.allows(one) })
		if i < 0 {
			return o.netNotOffered(ask, one, fixFor(ask, q))
		}
		if line := o.located(o.Net[i].permission()); !slices.Contains(by, line) {
			by = append(by, line)
		}
	}
	return Explanation{Allowed: true, By: "the tool asks for " + ask.permission().String() + ", granted by " + strings.Join(by, " and ")}
}

// firstDenial returns the first denial that applies to one of the methods of q.
func firstDenial(q Permission, denials func(Permission) (Permission, bool)) (Permission, bool) {
	kind := q.kind
	if q.url.NamesLocal() {
		kind = KindNetPrivate // such a host has no public address
	}
	for _, m := range q.Methods() {
		if denial, denied := denials(netPermission(kind, q.url, []string{m})); denied {
			return denial, true
		}
	}
	return Permission{}, false
}

// coversAsk reports whether the tool requests all of q.
func (n Net) coversAsk(q Permission) bool {
	return (n.URL.IsAny() || n.URL.Contains(q.url)) && containsAll(n.asked(), q.Methods())
}

// allows reports whether the method of q is grantable for all its URLs.
func (n GrantableNet) allows(q Permission) bool {
	reaches := n.private() || q.kind == KindNet && !q.url.NamesLocal()
	return reaches && n.URL.Contains(q.url) && len(sharedMethods(q.Methods(), n.Methods)) > 0
}

// netNotOffered explains why q, which has one method, is not granted. It names the parts of q that
// are grantable.
func (o Grantable) netNotOffered(ask Net, q, fix Permission) Explanation {
	e := notOffered(ask.permission(), q, fix)
	var parts []string
	for _, n := range o.Net {
		_, shared := q.url.Intersect(n.URL)
		if (shared || q.url.IsAny()) && len(sharedMethods(q.Methods(), n.Methods)) > 0 {
			parts = append(parts, o.located(n.permission()))
		}
	}
	if len(parts) > 0 {
		e.By += " in full, only " + strings.Join(parts, " and ")
	}
	return e
}

// fixFor returns the permission that allows q: the tool's whole request if it is narrow, and only
// the host of q if the tool requests any host.
func fixFor(ask Net, q Permission) Permission {
	if !ask.URL.IsAny() || q.url.IsAny() {
		return netPermission(q.kind, ask.URL, ask.permission().Methods())
	}
	host := q.url
	host.path = "/"
	return netPermission(q.kind, host, q.Methods())
}

func explainSecret(p Permissions, o Grantable, q Permission) Explanation {
	uses := p.secrets()
	if !slices.ContainsFunc(uses, func(s SecretUse) bool { return s.permission() == q }) {
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
		if !slices.ContainsFunc(ask.Secrets, func(s SecretUse) bool { return s.permission() == q }) {
			continue
		}
		grants := grantsFor(ask, o)
		if slices.ContainsFunc(grants, func(n GrantedNet) bool { return slices.Contains(n.permissions(), q) }) {
			return o.allowed(q, q)
		}
		if len(grants) == 0 {
			lacking = append(lacking, ask.permission())
		}
	}
	return o.unreached(q, lacking)
}

// unreached explains a secret that is grantable, although no granted request uses it. lacking lists
// the requests with this secret that are not granted.
func (o Grantable) unreached(q Permission, lacking []Permission) Explanation {
	e := Explanation{By: "the tool asks for " + q.String() + ", which is granted by " + o.located(q)}
	limits := o.Secrets[q.name].URLs
	if len(limits) > 0 {
		e.By += " for " + strings.Join(each.Of(limits, URLPattern.String), ", ") + " only"
	}
	e.By += ", but no URL that the secret may be sent to is granted"
	for _, permission := range lacking {
		within := func(p URLPattern) bool { _, ok := p.Intersect(permission.url); return ok }
		if _, denied := o.Deny.Takes(permission); !denied && (len(limits) == 0 || slices.ContainsFunc(limits, within)) {
			e.Fix = permission
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
	return Explanation{By: "the tool asks for " + ask.String() + " but nothing grants " + what, Fix: fix}
}

func notAsked(q Permission) Explanation {
	return Explanation{By: "the tool does not ask for " + q.String() + " in its manifest, so it cannot be granted"}
}

func (o Grantable) denied(denial Permission) Explanation {
	return Explanation{By: "denied by " + o.located(denial) + "; a denial overrides every grant, so the only fix is to remove the denial"}
}

func (o Grantable) allowed(ask, offer Permission) Explanation {
	return Explanation{Allowed: true, By: "the tool asks for " + ask.String() + ", granted by " + o.located(offer)}
}

// offered returns the grantable permission for a mount or store, which may allow more than the tool
// requests. It returns other permissions unchanged.
func (o Grantable) offered(ask Permission) Permission {
	switch ask.kind {
	case KindRead, KindWrite:
		return modePermission(KindRead, o.Mounts[ask.name].Mode, ask.name)
	case KindKV:
		return modePermission(KindKV, o.KV, "")
	}
	return ask
}

// located returns the text of a permission with the line on which it was written.
func (o Grantable) located(permission Permission) string {
	if line := o.Lines[permission]; line != "" {
		return permission.String() + " (" + line + ")"
	}
	return permission.String()
}
