package capability

import (
	"net/url"
	"testing"
)

func TestExplain(t *testing.T) {
	p := Permissions{
		FS: []FS{{Mount: "ws", Mode: ModeWrite}, {Mount: "data", Mode: ModeRead}, {Mount: ScratchMount, Mode: ModeWrite}},
		Net: []Net{
			{URL: pattern(t, "https://api.example.com/v1"), Methods: []string{"GET", "POST"}, Secrets: []SecretUse{{Name: "T", Basic: true}}},
			{URL: AnyURL()},
		},
		Env: []string{"LANG"}, KV: ModeWrite, Clock: true,
	}
	const asks = "the tool asks for "
	for _, tt := range []struct {
		name     string
		offer    []string
		question string
		want     Explanation
	}{
		{"not asked", []string{"random"}, "random", Explanation{By: "the tool does not ask for random in its manifest, so it cannot be granted"}},
		{"more than asked", []string{"write:ws"}, "write:data", Explanation{By: "the tool does not ask for write:data in its manifest, so it cannot be granted"}},
		{"another method than asked", []string{"net:any"}, "net:PUT:https://api.example.com/v1", Explanation{By: "the tool does not ask for net:PUT:https://api.example.com/v1 in its manifest, so it cannot be granted"}},
		{"offered", []string{"clock"}, "clock", Explanation{Allowed: true, By: asks + "clock, granted by clock (line of clock)"}},
		{"offered with more", []string{"write:ws"}, "read:ws", Explanation{Allowed: true, By: asks + "write:ws, granted by write:ws (line of write:ws)"}},
		{"offered for less", []string{"read:ws"}, "read:ws", Explanation{By: asks + "write:ws but nothing grants it", Fix: permission(t, "write:ws")}},
		{"not offered", nil, "env:LANG", Explanation{By: asks + "env:LANG but nothing grants it", Fix: permission(t, "env:LANG")}},
		{"denied", []string{"write:ws", "but", "read:ws"}, "write:ws", Explanation{By: "denied by read:ws (line of read:ws); a denial overrides every grant, so the only fix is to remove the denial"}},
		{"denied and not offered", []string{"but", "kv:read"}, "kv:write", Explanation{By: "denied by kv:read (line of kv:read); a denial overrides every grant, so the only fix is to remove the denial"}},
		{"the store", []string{"kv:write"}, "kv:read", Explanation{Allowed: true, By: asks + "kv:write, granted by kv:write (line of kv:write)"}},
		{"scratch", nil, "write:tmp", Explanation{Allowed: true, By: "each call has its own directory tmp"}},
		{"a request offered", []string{"net:https://api.example.com"}, "net:https://api.example.com/v1", Explanation{Allowed: true, By: asks + "net:GET,POST:https://api.example.com/v1, granted by net:https://api.example.com/ (line of net:https://api.example.com/)"}},
		{"methods by two offers", []string{"net:GET:any", "net:POST:https://api.example.com"}, "net:https://api.example.com/v1", Explanation{Allowed: true, By: asks + "net:GET,POST:https://api.example.com/v1, granted by net:GET:any (line of net:GET:any) and net:POST:https://api.example.com/ (line of net:POST:https://api.example.com/)"}},
		{"a request not offered", nil, "net:GET:https://api.example.com/v1/x", Explanation{By: asks + "net:GET,POST:https://api.example.com/v1 but nothing grants net:GET:https://api.example.com/v1/x", Fix: permission(t, "net:GET,POST:https://api.example.com/v1")}},
		{"a part offered", []string{"net:https://api.example.com/v1/x"}, "net:GET:https://api.example.com/v1", Explanation{By: asks + "net:GET,POST:https://api.example.com/v1 but nothing grants net:GET:https://api.example.com/v1 in full, only net:https://api.example.com/v1/x (line of net:https://api.example.com/v1/x)", Fix: permission(t, "net:GET,POST:https://api.example.com/v1")}},
		{"a wide ask is fixed narrowly", nil, "net:https://www.example.com/a/b", Explanation{By: asks + "net:any but nothing grants net:GET:https://www.example.com/a/b", Fix: permission(t, "net:GET:https://www.example.com/")}},
		{"any host", nil, "net:any", Explanation{By: asks + "net:any but nothing grants net:GET:any", Fix: permission(t, "net:any")}},
		{"a part denied", []string{"net:any", "but", "net:https://api.example.com/v1/x"}, "net:GET:https://api.example.com/v1", Explanation{By: "denied by net:https://api.example.com/v1/x (line of net:https://api.example.com/v1/x); a denial overrides every grant, so the only fix is to remove the denial"}},
		{"one method denied", []string{"net:any", "but", "net:POST:any"}, "net:https://api.example.com/v1", Explanation{By: "denied by net:POST:any (line of net:POST:any); a denial overrides every grant, so the only fix is to remove the denial"}},
		{"private", []string{"net:any"}, "net-private:https://nas.example", Explanation{By: asks + "net:any but nothing grants net-private:GET:https://nas.example/ in full, only net:any (line of net:any)", Fix: permission(t, "net-private:GET:https://nas.example/")}},
		{"a secret", []string{"secret:T", "net:any"}, "secret:T", Explanation{Allowed: true, By: asks + "secret:T, granted by secret:T (line of secret:T)"}},
		{"a secret not asked for", []string{"secret:U"}, "secret:U", Explanation{By: "the tool does not ask for secret:U in its manifest, so it cannot be granted"}},
		{"a secret not offered", []string{"net:any"}, "secret:T", Explanation{By: asks + "secret:T but nothing grants it", Fix: permission(t, "secret:T")}},
		{"a secret denied", []string{"net:any", "secret:T", "but", "secret:T"}, "secret:T", Explanation{By: "denied by secret:T (line of secret:T); a denial overrides every grant, so the only fix is to remove the denial"}},
		{"a secret with nowhere to go", []string{"secret:T"}, "secret:T", Explanation{By: asks + "secret:T, which is granted by secret:T (line of secret:T), but no URL that the secret may be sent to is granted", Fix: permission(t, "net:GET,POST:https://api.example.com/v1")}},
		{"the zero value", nil, "", Explanation{By: "the tool does not ask for  in its manifest, so it cannot be granted"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := offerOf(t, tt.offer...)
			o.Lines = make(map[Permission]string)
			for _, text := range tt.offer {
				if text != "but" {
					w := permission(t, text)
					o.Lines[w] = "line of " + w.String()
				}
			}
			var question Permission
			if tt.question != "" {
				question = permission(t, tt.question)
			}
			if got := Explain(p, o, question); got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestExplainSecretOfferedForAnotherURL(t *testing.T) {
	p := Permissions{Net: []Net{{URL: pattern(t, "https://a.example"), Secrets: []SecretUse{{Name: "T", Basic: true}}}}}
	o := offerOf(t, "net:any")
	o.Secrets = map[string]GrantableSecret{"T": {URLs: []URLPattern{pattern(t, "https://b.example")}}}
	want := Explanation{By: "the tool asks for secret:T, which is granted by secret:T for https://b.example/ only, but no URL that the secret may be sent to is granted"}
	if got := Explain(p, o, permission(t, "secret:T")); got != want {
		t.Errorf("got %+v", got)
	}
}

// explainRequest explains one request instead of a permission. The result must agree with
// [Grant.Permits] for the Grant that Intersect returns.
func explainRequest(p Permissions, o Grantable, method string, u *url.URL) Explanation {
	_, q, err := normalise(u)
	if err != nil {
		return Explanation{By: "requests to this URL are never sent: " + err.Error()}
	}
	if err := checkMethods([]string{method}); err != nil {
		return Explanation{By: err.Error()}
	}
	return explainNet(p, o, netPermission(KindNet, q, []string{method}), o.Deny.Takes)
}

func TestExplainRequest(t *testing.T) {
	p := Permissions{Net: []Net{{URL: AnyURL()}, {URL: pattern(t, "http://localhost:3000")}}}
	for _, tt := range []struct {
		method, url string
		want        Explanation
	}{
		{"GET", "https://a.example/x?token=1", Explanation{Allowed: true, By: "the tool asks for net:any, granted by net:any"}},
		{"GET", "http://127.1/", Explanation{By: `requests to this URL are never sent: the host "127.1" looks like an incomplete address; write four decimal numbers, such as 192.0.2.1`}},
		{"get", "https://a.example/", Explanation{By: `"get" is not a method; did you mean GET?`}},
		{"POST", "https://a.example/", Explanation{By: "the tool does not ask for net:POST:https://a.example/ in its manifest, so it cannot be granted"}},
		{"GET", "http://localhost:3000/x", Explanation{By: "the tool asks for net:any but nothing grants net:GET:http://localhost:3000/x", Fix: permission(t, "net:GET:http://localhost:3000/")}},
		{"GET", "https://evil.example/x/y", Explanation{By: "denied by net:https://evil.example/x; a denial overrides every grant, so the only fix is to remove the denial"}},
		{"GET", "https://evil.example/", Explanation{Allowed: true, By: "the tool asks for net:any, granted by net:any"}},
	} {
		o := offerOf(t, "net:any", "but", "net:https://evil.example/x")
		if got := explainRequest(p, o, tt.method, parseURL(t, tt.url)); got != tt.want {
			t.Errorf("%s %s: got %+v", tt.method, tt.url, got)
		}
	}
}
