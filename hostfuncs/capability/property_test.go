package capability

import (
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// The properties are checked with a second implementation of the grammar. It knows URLs only as
// combinations of a few schemes, hosts, ports and paths from small lists.

type place struct{ scheme, host, port, path string }

var (
	schemes  = []string{"http", "https"}
	hosts    = []string{"a.example.com", "b.example.com", "x.a.example.com", "other.org", "localhost", "10.0.0.1"}
	hostAsks = append([]string{"*.example.com", "*.a.example.com"}, hosts...)
	ports    = []string{"", "", "8443"}
	paths    = []string{"/", "/v1", "/v1/", "/v1/x", "/v10", "/V1/x"}
	methods  = []string{"GET", "POST", "PUT"}
	names    = []string{"A", "B", "C"}
)

func (p place) String() string {
	if p.port != "" {
		return p.scheme + "://" + p.host + ":" + p.port + p.path
	}
	return p.scheme + "://" + p.host + p.path
}

func (p place) isLocal() bool { return p.host == "localhost" || p.host == "10.0.0.1" }

// under reports whether the place is covered by the URL pattern text of a grant or request,
// according to the grammar.
func (p place) under(text string) bool {
	if text == "any" {
		return p.port == "" && !p.isLocal()
	}
	pattern := split(text)
	hostOK := p.host == pattern.host
	if base, ok := strings.CutPrefix(pattern.host, "*"); ok {
		hostOK = strings.HasSuffix(p.host, base) && !strings.Contains(strings.TrimSuffix(p.host, base), ".")
	}
	return hostOK && p.scheme == pattern.scheme && p.port == pattern.port && underPath(p.path, pattern.path)
}

func underPath(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, strings.TrimSuffix(prefix, "/")+"/") && path != strings.TrimSuffix(prefix, "/")
}

// deniedBy reports whether a denial covers the place, according to the grammar.
func (p place) deniedBy(text string) bool {
	if text == "any" {
		return true
	}
	pattern := split(text)
	hostOK := p.host == pattern.host
	if base, ok := strings.CutPrefix(pattern.host, "*"); ok {
		hostOK = strings.HasSuffix(p.host, base)
	}
	schemeOK := p.scheme == pattern.scheme || pattern.scheme == "https"
	path, prefix := strings.ToLower(p.path)+"/", strings.TrimSuffix(strings.ToLower(pattern.path), "/")+"/"
	return hostOK && schemeOK && p.port == pattern.port && strings.HasPrefix(path, prefix)
}

func split(text string) place {
	u, err := url.Parse(text)
	if err != nil {
		panic(err)
	}
	return place{u.Scheme, u.Hostname(), u.Port(), u.Path}
}

type generator struct {
	*testing.T
	*rand.Rand
}

func one[T any](g generator, list []T) T { return list[g.IntN(len(list))] }

func some[T any](g generator, list []T) []T {
	var picked []T
	for _, x := range list {
		if g.IntN(2) == 0 {
			picked = append(picked, x)
		}
	}
	return picked
}

func (g generator) place(hosts []string) string {
	return place{one(g, schemes), one(g, hosts), one(g, ports), one(g, paths)}.String()
}

func (g generator) pattern() URLPattern {
	if g.IntN(5) == 0 {
		return AnyURL()
	}
	return pattern(g.T, g.place(hostAsks))
}

func (g generator) patterns(n int) []URLPattern {
	var list []URLPattern
	for range g.IntN(n) {
		list = append(list, g.pattern())
	}
	return list
}

func (g generator) permissions() Permissions {
	p := Permissions{Env: some(g, names), KV: Mode(g.IntN(3)), Clock: g.IntN(2) == 0, Random: g.IntN(2) == 0}
	for _, name := range some(g, []string{"a", "b", ScratchMount}) {
		p.FS = append(p.FS, FS{Mount: name, Mode: Mode(1 + g.IntN(2)), Deny: some(g, []string{".git/**"})})
	}
	for range g.IntN(4) {
		n := Net{URL: g.pattern(), Methods: some(g, methods)}
		for i, name := range some(g, names) {
			n.Secrets = append(n.Secrets, SecretUse{Name: name, Header: []string{"X-A", "X-B", "X-C"}[i]})
		}
		p.Net = append(p.Net, n)
	}
	return p
}

func (g generator) offer() Grantable {
	o := Grantable{
		Mounts: map[string]Mount{}, Env: map[string]string{}, Secrets: map[string]GrantableSecret{},
		KV: Mode(g.IntN(3)), Clock: g.IntN(2) == 0, Random: g.IntN(2) == 0,
	}
	for _, name := range some(g, []string{"a", "b", ScratchMount}) {
		o.Mounts[name] = Mount{Dir: "/host/" + name, Mode: Mode(g.IntN(3))}
	}
	for _, name := range some(g, names) {
		o.Env[name] = "value of " + name
	}
	for _, name := range some(g, names) {
		o.Secrets[name] = GrantableSecret{URLs: g.patterns(3)}
	}
	for range g.IntN(5) {
		o.Net = append(o.Net, GrantableNet{URL: g.pattern(), Methods: some(g, methods), Private: g.IntN(3) == 0})
	}
	for range g.IntN(4) {
		o.Deny = append(o.Deny, g.denial())
	}
	return o
}

func (g generator) denial() Permission {
	if g.IntN(3) > 0 {
		kind := one(g, []Kind{KindNet, KindNet, KindNetPrivate})
		p := pattern(g.T, g.place(hostAsks))
		if kind == KindNet && g.IntN(10) == 0 {
			p = AnyURL()
		}
		return netPermission(kind, p, some(g, methods))
	}
	return permission(g.T, one(g, []string{"read:a", "write:a", "write:tmp", "env:A", "secret:A", "kv:read", "kv:write", "clock", "random"}))
}

func (o Grantable) denies(text string) bool {
	return slices.ContainsFunc(o.Deny, func(w Permission) bool { return w.String() == text })
}

// eachCase runs check with many generated requests and grants, which are the same in each run.
func eachCase(t *testing.T, check func(g generator, p Permissions, o Grantable)) {
	t.Helper()
	for seed := range uint64(500) {
		g := generator{t, rand.New(rand.NewPCG(seed, 7))}
		p, o := g.permissions(), g.offer()
		check(g, p, o)
		if t.Failed() {
			t.Fatalf("seed %d: asked %q, denied %q, offered %+v", seed, p.Describe(), o.Deny, o)
		}
	}
}

func TestNoGrantExceedsEitherSideInFilesVariablesAndStore(t *testing.T) {
	eachCase(t, func(_ generator, p Permissions, o Grantable) {
		g, missing := Intersect(p, o)
		isMissing := func(w string) bool { return slices.Contains(Strings(missing), w) }
		granted := make(map[string]GrantedFS)
		for _, f := range g.FS {
			granted[f.Mount] = f
		}
		if len(granted) != len(g.FS) {
			t.Error("a mount is granted twice")
		}
		for _, ask := range p.FS {
			m, denied := o.Mounts[ask.Mount], o.denies("read:"+ask.Mount) || ask.Mode == ModeWrite && o.denies("write:"+ask.Mount)
			if ask.Mount == ScratchMount {
				m = Mount{Mode: ModeWrite}
			}
			want := m.Mode >= ask.Mode && !denied
			f, ok := granted[ask.Mount]
			if ok != want || isMissing(ask.Mode.String()+":"+ask.Mount) == want {
				t.Errorf("mount %s: granted %v, want %v", ask.Mount, ok, want)
			}
			if ok && (f.Dir != m.Dir || f.Mode != ask.Mode || !slices.Equal(f.Deny, ask.Deny)) {
				t.Errorf("mount %s: granted %+v for %+v", ask.Mount, f, ask)
			}
			delete(granted, ask.Mount)
		}
		if len(granted) > 0 {
			t.Errorf("granted unasked: %v", granted)
		}
		for _, name := range names {
			asked := slices.Contains(p.Env, name)
			value, offered := o.Env[name]
			got, ok := g.Env[name]
			if want := asked && offered && !o.denies("env:"+name); ok != want || ok && got != value || isMissing("env:"+name) != (asked && !want) {
				t.Errorf("variable %s: granted %v", name, ok)
			}
		}
		denied := o.denies("kv:read") || p.KV == ModeWrite && o.denies("kv:write")
		if want := p.KV != ModeNone && o.KV >= p.KV && !denied; g.KV != ModeNone != want || want && g.KV != p.KV || isMissing("kv:"+p.KV.String()) != (p.KV != ModeNone && !want) {
			t.Errorf("kv: granted %s", g.KV)
		}
		if g.Clock != (p.Clock && o.Clock && !o.denies("clock")) || g.Random != (p.Random && o.Random && !o.denies("random")) {
			t.Errorf("clock %v, random %v", g.Clock, g.Random)
		}
	})
}

// allowed is a second implementation of the rules for requests, which the test compares with
// Intersect. It reports whether a request may be sent, and whether it may be sent to a private
// address.
func allowed(p Permissions, o Grantable, at place, method string) (ok, private bool) {
	for _, ask := range p.Net {
		if !asks(ask, at, method) {
			continue
		}
		for _, offer := range o.Net {
			if !at.under(offer.URL.String()) || len(offer.Methods) > 0 && !slices.Contains(offer.Methods, method) {
				continue
			}
			ok = true
			named := at.isLocal() && !strings.Contains(offer.URL.String(), "*")
			private = private || named || offer.Private && !offer.URL.IsAny()
		}
	}
	for _, w := range o.Deny {
		if !w.isNet() || !at.deniedBy(w.URL().String()) || w.Methods() != nil && !slices.Contains(w.Methods(), method) {
			continue
		}
		private = false
		if w.Kind() == KindNet {
			ok = false
		}
	}
	ok = ok && (private || !at.isLocal())
	return ok, ok && private
}

func asks(ask Net, at place, method string) bool {
	hasMethod := slices.Contains(ask.Methods, method) || len(ask.Methods) == 0 && method == "GET"
	return hasMethod && (ask.URL.IsAny() || at.under(ask.URL.String()))
}

func TestNoGrantExceedsEitherSideInRequests(t *testing.T) {
	permitted := 0
	eachCase(t, func(g generator, p Permissions, o Grantable) {
		grant, missing := Intersect(p, o)
		for range 60 {
			at := place{one(g, schemes), one(g, hosts), one(g, ports), one(g, paths)}
			method := one(g, methods)
			wantOK, wantPrivate := allowed(p, o, at, method)
			u := parseURL(t, at.String())
			n, ok := grant.Permits(method, u)
			if ok != wantOK || n.Private != wantPrivate {
				t.Errorf("%s %s: permitted %v, private %v; want %v, %v", method, at, ok, n.Private, wantOK, wantPrivate)
			}
			if e := explainRequest(p, o, method, u); e.Allowed != ok || e.By == "" || ok && !e.Fix.IsZero() {
				t.Errorf("%s %s: permitted %v, explained as %+v", method, at, ok, e)
			}
			if !ok {
				continue
			}
			permitted++
			for _, s := range n.Secrets {
				checkSecret(t, p, o, at, method, s.SecretUse)
			}
		}
		for _, ask := range p.Net {
			lacks := slices.Contains(missing, ask.permission())
			if got := len(grantsFor(ask, o)) > 0; got == lacks {
				t.Errorf("%s: granted %v, missing %v", ask.permission(), got, lacks)
			}
		}
		for _, use := range p.secrets() {
			if (o.denies("secret:"+use.Name) || !o.offers(use.permission())) && !slices.Contains(missing, use.permission()) {
				t.Errorf("secret %s is not granted and not missing", use.Name)
			}
		}
	})
	if permitted < 400 {
		t.Errorf("only %d requests were permitted; the cases prove little", permitted)
	}
}

func checkSecret(t *testing.T, p Permissions, o Grantable, at place, method string, use SecretUse) {
	t.Helper()
	asked := slices.ContainsFunc(p.Net, func(n Net) bool { return asks(n, at, method) && slices.Contains(n.Secrets, use) })
	offer, offered := o.Secrets[use.Name]
	within := len(offer.URLs) == 0 || slices.ContainsFunc(offer.URLs, func(u URLPattern) bool { return at.under(u.String()) })
	if !asked || !offered || !within || o.denies("secret:"+use.Name) {
		t.Errorf("%s %s: has secret %s; asked %v, offered %v, for this URL %v", method, at, use.Name, asked, offered, within)
	}
}

// TestDenialsOnlyTakeAndOffersOnlyGive checks that adding a denial never permits more, and adding a
// grant never permits less. Secrets are not compared, because the most specific grant decides them.
func TestDenialsOnlyTakeAndOffersOnlyGive(t *testing.T) {
	eachCase(t, func(g generator, p Permissions, o Grantable) {
		before, _ := Intersect(p, o)
		less, more := o.Clone(), o.Clone()
		less.Deny = append(less.Deny, g.denial())
		more.Net = append(more.Net, GrantableNet{URL: g.pattern()})
		after, _ := Intersect(p, less)
		wider, _ := Intersect(p, more)
		for range 30 {
			u, method := parseURL(t, g.place(hosts)), one(g, methods)
			was, ok := before.Permits(method, u)
			if is, still := after.Permits(method, u); still && (!ok || is.Private && !was.Private) {
				t.Errorf("%s %s: %s permits more", method, u, less.Deny[len(less.Deny)-1])
			}
			if _, still := wider.Permits(method, u); ok && !still {
				t.Errorf("%s %s: one more offer permits less", method, u)
			}
		}
		if len(after.FS) > len(before.FS) || len(after.Env) > len(before.Env) || after.KV > before.KV {
			t.Error("a denial gives files, variables or the store")
		}
	})
}

// TestMissingPermissionsAreSufficient checks that granting exactly the missing permissions leaves
// none missing.
func TestMissingPermissionsAreSufficient(t *testing.T) {
	bound := Bound{Dirs: map[string]string{"a": "/a", "b": "/b"}, Env: func(name string) (string, bool) { return name, true }}
	eachCase(t, func(_ generator, p Permissions, o Grantable) {
		for i, n := range p.Net {
			if n.URL.IsAny() {
				p.Net[i].Secrets = nil // Validate would refuse them
			}
		}
		o.Deny, o.Secrets = nil, nil
		_, missing := Intersect(p, o)
		if err := o.Add(bound, missing...); err != nil {
			t.Fatal(err)
		}
		if _, still := Intersect(p, o); still != nil {
			t.Errorf("granted %q, and %q is missing", missing, still)
		}
		for _, w := range p.List() {
			// Intersect does not report a request as missing if it is partly grantable, although
			// Explain reports that it is not allowed.
			if e := Explain(p, o, w); !e.Allowed && !w.isNet() || e.Allowed && !e.Fix.IsZero() {
				t.Errorf("%s: %+v", w, e)
			}
		}
	})
}

// TestFixesAllow checks that granting the Fix of an explanation allows the access.
func TestFixesAllow(t *testing.T) {
	fixes := 0
	bound := Bound{Dirs: map[string]string{"a": "/a", "b": "/b"}, Env: func(name string) (string, bool) { return name, true }}
	eachCase(t, func(g generator, p Permissions, o Grantable) {
		check := func(what string, explain func(Grantable) Explanation) {
			e := explain(o)
			if e.Fix.IsZero() {
				return
			}
			fixes++
			fixed := o.Clone()
			if err := fixed.Add(bound, e.Fix); err != nil {
				t.Fatal(err)
			}
			if after := explain(fixed); !after.Allowed {
				t.Errorf("%s: %+v, and with the fix %+v", what, e, after)
			}
		}
		for _, w := range p.List() {
			if w.kind != KindSecret {
				check(w.String(), func(o Grantable) Explanation { return Explain(p, o, w) })
			}
		}
		for range 20 {
			u, method := parseURL(t, g.place(hosts)), one(g, methods)
			check(method+" "+u.String(), func(o Grantable) Explanation { return explainRequest(p, o, method, u) })
		}
	})
	if fixes < 200 {
		t.Errorf("only %d fixes were tried", fixes)
	}
}
