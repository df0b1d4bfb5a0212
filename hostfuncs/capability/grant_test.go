package capability

import (
	"reflect"
	"strings"
	"testing"
)

// offerOf returns a Grantable for permissions. Permissions after "but" are denied.
func offerOf(t testing.TB, texts ...string) Grantable {
	t.Helper()
	var o Grantable
	bound := Bound{Dirs: map[string]string{"ws": "/ws"}, Env: func(name string) (string, bool) { return name, true }}
	for i, text := range texts {
		if text == "but" {
			o.Deny = permissions(t, texts[i+1:]...)
			break
		}
		if err := o.Add(bound, permission(t, text)); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

func secretNames(secrets []GrantedSecret) string {
	var all string
	for _, s := range secrets {
		all += s.Name
	}
	return all
}

func TestPermits(t *testing.T) {
	p := Permissions{Net: []Net{
		{URL: pattern(t, "https://api.example.com"), Methods: []string{"GET", "POST"}, Secrets: []SecretUse{{Name: "A", Basic: true}}},
		{URL: pattern(t, "https://api.example.com/v2"), Secrets: []SecretUse{{Name: "B", Basic: true}}},
		{URL: pattern(t, "https://*.example.com/pub")},
		{URL: pattern(t, "http://localhost:3000")},
		{URL: pattern(t, "https://nas.corp.example")},
	}}
	both := []string{"net:https://api.example.com", "secret:A", "secret:B"}
	for _, tt := range []struct {
		name    string
		offer   []string
		request string
		ok      bool
		private bool
		secrets string
	}{
		{"asked and offered", both, "GET https://api.example.com/x", true, false, "A"},
		{"the more specific ask has its own secret", both, "GET https://api.example.com/v2/x", true, false, "B"},
		{"the method is only in the wider ask", both, "POST https://api.example.com/v2/x", true, false, "A"},
		{"a narrow offer keeps to the more specific ask", []string{"net:https://api.example.com/v2/x", "secret:A", "secret:B"}, "GET https://api.example.com/v2/x", true, false, "B"},
		{"secrets not offered", both[:2], "GET https://api.example.com/v2/x", true, false, ""},
		{"secrets denied", append(both, "but", "secret:A"), "GET https://api.example.com/", true, false, ""},
		{"a method not asked for", both, "PUT https://api.example.com/x", false, false, ""},
		{"a method not offered", []string{"net:GET:https://api.example.com"}, "POST https://api.example.com/x", false, false, ""},
		{"a method in lower case", both, "get https://api.example.com/x", false, false, ""},
		{"a host not offered", both, "GET https://www.example.com/pub", false, false, ""},
		{"a wildcard asked, a host offered", []string{"net:https://www.example.com"}, "GET https://www.example.com/pub/x", true, false, ""},
		{"all asked for and any host offered", []string{"net:any"}, "GET https://www.example.com/pub/x", true, false, ""},
		{"any host offered, and no more than asked", []string{"net:any"}, "GET https://www.example.com/", false, false, ""},
		{"any host is no local one", []string{"net:any"}, "GET http://localhost:3000/", false, false, ""},
		{"a local host offered by name", []string{"net:http://localhost:3000"}, "GET http://localhost:3000/", true, true, ""},
		{"a name without private", []string{"net:https://nas.corp.example"}, "GET https://nas.corp.example/", true, false, ""},
		{"a name with private", []string{"net-private:https://nas.corp.example"}, "GET https://nas.corp.example/", true, true, ""},
		{"a name with private somewhere above", []string{"net:https://nas.corp.example/a", "net-private:https://nas.corp.example"}, "GET https://nas.corp.example/a", true, true, ""},
		{"private denied", []string{"net-private:https://nas.corp.example", "but", "net-private:https://nas.corp.example"}, "GET https://nas.corp.example/", true, false, ""},
		{"private denied for a local host", []string{"net:http://localhost:3000", "but", "net-private:http://localhost:3000"}, "GET http://localhost:3000/", false, false, ""},
		{"private denied for a path of a local host", []string{"net:http://localhost:3000", "but", "net-private:http://localhost:3000/x"}, "GET http://localhost:3000/x", false, false, ""},
		{"private for a path", []string{"net:https://nas.corp.example", "net-private:https://nas.corp.example/a"}, "GET https://nas.corp.example/a/b", true, true, ""},
		{"beside private for a path", []string{"net:https://nas.corp.example", "net-private:https://nas.corp.example/a"}, "GET https://nas.corp.example/b", true, false, ""},
		{"a path denied", append(both, "but", "net:https://api.example.com/x"), "GET https://api.example.com/X/y", false, false, ""},
		{"beside a path denied", append(both, "but", "net:https://api.example.com/x"), "GET https://api.example.com/y", true, false, "A"},
		{"a path denied, in disguise", append(both, "but", "net:https://api.example.com/x"), "GET https://api.example.com/y/..//x", false, false, ""},
		{"a URL in the path", both, "GET https://api.example.com/web/2020/https://www.example.com/", true, false, "A"},
		{"two slashes below an ask with its own secret", both, "GET https://api.example.com/v2//x", true, false, "B"},
		{"two slashes in place of a denied one", append(both, "but", "net:https://api.example.com/x/y"), "GET https://api.example.com/x//y", false, false, ""},
		{"four slashes in place of a denied one", append(both, "but", "net:https://api.example.com/x/y"), "GET https://api.example.com/x////Y/z", false, false, ""},
		{"two slashes before a denied path", append(both, "but", "net:https://api.example.com/x"), "GET https://api.example.com//x", false, false, ""},
		{"two slashes in a disguise of dots", append(both, "but", "net:https://api.example.com/x"), "GET https://api.example.com/.//x", false, false, ""},
		{"two slashes below a denied path", append(both, "but", "net:https://api.example.com/x/"), "GET https://api.example.com/x//y", false, false, ""},
		{"private denied for two slashes", []string{"net-private:https://nas.corp.example", "but", "net-private:https://nas.corp.example/a/b"}, "GET https://nas.corp.example/a//b", true, false, ""},
		{"a method denied", append(both, "but", "net:POST:any"), "POST https://api.example.com/", false, false, ""},
		{"another method denied", append(both, "but", "net:POST:any"), "GET https://api.example.com/", true, false, "A"},
		{"everything denied", append(both, "but", "net:any"), "GET https://api.example.com/", false, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, _ := Intersect(p, offerOf(t, tt.offer...))
			method, link, _ := strings.Cut(tt.request, " ")
			n, ok := g.Permits(method, parseURL(t, link))
			if ok != tt.ok || n.Private != tt.private || secretNames(n.Secrets) != tt.secrets {
				t.Errorf("got %v, private %v, secrets %q", ok, n.Private, secretNames(n.Secrets))
			}
		})
	}
	if _, ok := (Grant{}).Permits("GET", parseURL(t, "https://example.com")); ok {
		t.Error("the zero grant permits a request")
	}
	if _, ok := (Grant{Net: []GrantedNet{{URL: AnyURL(), Methods: []string{""}}}}).Permits("GET", nil); ok {
		t.Error("a request to nowhere is permitted")
	}
}

func TestSecretsGoWhereBothSidesLetThem(t *testing.T) {
	token := SecretUse{Name: "T", Header: "X-T"}
	at := func(text string) Permissions {
		return Permissions{Net: []Net{{URL: pattern(t, text), Secrets: []SecretUse{token}}}}
	}
	for _, tt := range []struct {
		name    string
		ask     Permissions
		limits  []string
		url     string
		has     bool
		missing []string
	}{
		{"no limit", at("https://a.example"), nil, "https://a.example/x", true, nil},
		{"within the limit", at("https://a.example"), []string{"https://a.example/v1"}, "https://a.example/v1/x", true, nil},
		{"beyond the limit", at("https://a.example"), []string{"https://a.example/v1"}, "https://a.example/v2", false, nil},
		{"one of two limits", at("https://a.example"), []string{"https://b.example", "https://a.example/v2"}, "https://a.example/v2", true, nil},
		{"for another host", at("https://a.example"), []string{"https://b.example"}, "https://a.example/", false, []string{"secret:T"}},
		{"for one host of a wildcard", at("https://*.a.example"), []string{"https://x.a.example"}, "https://y.a.example/", false, nil},
		{"asked for any host", at("any"), nil, "https://c.example/", false, []string{"secret:T"}},
		{"asked for any host, offered for one", at("any"), []string{"https://c.example"}, "https://c.example/", true, nil},
		{"asked and offered for any host", at("any"), []string{"any"}, "https://c.example/", true, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := offerOf(t, "net:any")
			var limits []URLPattern
			for _, l := range tt.limits {
				limits = append(limits, pattern(t, l))
			}
			o.Secrets = map[string]GrantableSecret{"T": {URLs: limits}}
			g, missing := Intersect(tt.ask, o)
			if !reflect.DeepEqual(Strings(missing), tt.missing) {
				t.Errorf("missing %q", missing)
			}
			n, ok := g.Permits("GET", parseURL(t, tt.url))
			if !ok || (len(n.Secrets) > 0) != tt.has {
				t.Errorf("got %v, %+v", ok, n.Secrets)
			}
		})
	}
}

func TestMissingPermissionsAreReported(t *testing.T) {
	p := Permissions{
		Net: []Net{
			{URL: pattern(t, "https://a.example/v1"), Secrets: []SecretUse{{Name: "T", Basic: true}}},
			{URL: pattern(t, "https://b.example"), Methods: []string{"PUT", "GET"}, Secrets: []SecretUse{{Name: "T", Basic: true}}},
		},
		KV: ModeWrite,
	}
	for _, tt := range []struct {
		name  string
		offer []string
		want  []string
	}{
		{"all", nil, []string{"net:https://a.example/v1", "net:GET,PUT:https://b.example/", "secret:T", "kv:write"}},
		{"nothing", []string{"net:any", "secret:T", "kv:write"}, nil},
		{"a part offered is not missing", []string{"net:GET:https://a.example/v1/x", "net:PUT:https://b.example/y", "secret:T", "kv:write"}, nil},
		{"other methods", []string{"net:POST:any", "secret:T", "kv:write"}, []string{"net:https://a.example/v1", "net:GET,PUT:https://b.example/"}},
		{"other paths", []string{"net:https://a.example/v2", "net:https://b.example", "secret:T", "kv:write"}, []string{"net:https://a.example/v1"}},
		{"less than asked of the store", []string{"net:any", "secret:T", "kv:read"}, []string{"kv:write"}},
		{"denied", []string{"net:any", "secret:T", "kv:write", "but", "net:https://a.example", "kv:write"}, []string{"net:https://a.example/v1", "kv:write"}},
	} {
		_, missing := Intersect(p, offerOf(t, tt.offer...))
		if !reflect.DeepEqual(Strings(missing), tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, missing, tt.want)
		}
	}
}

// TestDeniedPrivateAddressesShow checks that the description shown before an approval agrees with
// Permits.
func TestDeniedPrivateAddressesShow(t *testing.T) {
	p := Permissions{Net: []Net{{URL: pattern(t, "https://nas.example")}, {URL: pattern(t, "http://localhost")}}}
	g, missing := Intersect(p, offerOf(t, "net-private:https://nas.example", "net:http://localhost", "but", "net-private:https://nas.example", "net-private:http://localhost"))
	if len(g.Net) != 1 || g.Net[0].Describe() != "net:https://nas.example/ (GET)" || !reflect.DeepEqual(Strings(missing), []string{"net:http://localhost/"}) {
		t.Errorf("got %+v, missing %q", g.Net, missing)
	}
}

func TestAskingForAnyHostGetsWhatIsOffered(t *testing.T) {
	ask := Permissions{Net: []Net{{URL: AnyURL(), Methods: []string{"GET", "POST"}}}}
	g, missing := Intersect(ask, offerOf(t, "net:GET:https://*.example.com", "net:http://localhost:3000", "net:https://a.example.com", "net:GET:https://a.example.com/x"))
	var got []string
	for _, n := range g.Net {
		got = append(got, n.Describe())
	}
	want := []string{"net:https://*.example.com/ (GET)", "net-private:http://localhost:3000/ (GET, POST)", "net:https://a.example.com/ (GET, POST)"}
	if missing != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, missing %q; want %q", got, missing, want)
	}
}

func TestGrantPermissions(t *testing.T) {
	p := Permissions{
		FS: []FS{{Mount: "ws", Mode: ModeWrite}},
		Net: []Net{
			{URL: pattern(t, "http://localhost:3000"), Methods: []string{"GET", "PUT"}},
			{URL: pattern(t, "https://a.example"), Secrets: []SecretUse{{Name: "T", Basic: true}}},
		},
		Env: []string{"B", "A"}, KV: ModeRead, Random: true,
	}
	g, missing := Intersect(p, offerOf(t, "write:ws", "net:any", "net:http://localhost:3000", "secret:T", "env:A", "env:B", "kv:write", "random"))
	var got []string
	for _, w := range g.Permissions() {
		got = append(got, w.String())
	}
	want := []string{
		"read:ws", "write:ws",
		"net:http://localhost:3000/", "net:PUT:http://localhost:3000/", "net-private:http://localhost:3000/", "net-private:PUT:http://localhost:3000/",
		"net:https://a.example/", "secret:T", "env:A", "env:B", "kv:read", "random",
	}
	if missing != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, missing %q; want %q", got, missing, want)
	}
	if got := g.Net[1].Describe(); got != "net:https://a.example/ (GET) with T as user and password" {
		t.Errorf("got %q", got)
	}
	if got := (Grant{}).Permissions(); got != nil {
		t.Errorf("the zero grant has %q", got)
	}
}
