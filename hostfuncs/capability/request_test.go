package capability_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

func TestForRequestLeavesOneHostAndMethod(t *testing.T) {
	net := func(pattern string, methods []string, secrets ...capability.SecretUse) capability.Net {
		p, err := capability.ParseURLPattern(pattern)
		if err != nil {
			t.Fatal(err)
		}
		return capability.Net{URL: p, Methods: methods, Secrets: secrets}
	}
	all := capability.Permissions{Clock: true, Net: []capability.Net{
		net("any", []string{"GET", "POST"}),
		net("https://*.example.com/", nil),
		net("https://api.example.com/", []string{"GET", "PUT"}, capability.SecretUse{Name: "TOKEN", Basic: true}),
		net("https://api.example.com/v1", []string{"GET"}),
	}}
	for request, want := range map[string]string{
		"GET https://api.example.com/v1/x":    "GET https://api.example.com/v1; GET https://api.example.com/ TOKEN",
		"GET https://api.example.com/v2":      "GET https://api.example.com/ TOKEN",
		"GET https://api.example.com/v1/../a": "GET https://api.example.com/ TOKEN",
		"PUT https://api.example.com/v2":      "PUT https://api.example.com/ TOKEN",
		"POST https://api.example.com/v2":     "POST https://api.example.com/",
		"GET https://b.example.com/v1":        "GET https://b.example.com/",
		"GET https://other.example/":          "GET https://other.example/",
		"PUT https://other.example/":          "",
		"GET https://other.example:8443/":     "",
		"GET http://localhost/":               "",
		"GET https://a:b@other.example/":      "",
		"GET https://other.example/a%2fb":     "",
		"get https://other.example/":          "",
	} {
		method, target, _ := strings.Cut(request, " ")
		u, err := url.Parse(target)
		if err != nil {
			t.Fatal(err)
		}
		part := all.ForRequest(method, u)
		var got []string
		for _, n := range part.Net {
			text := strings.Join(n.Methods, ",") + " " + n.URL.String()
			for _, s := range n.Secrets {
				text += " " + s.Name
			}
			got = append(got, text)
		}
		if text := strings.Join(got, "; "); text != want || !part.Clock {
			t.Errorf("%s needs %q, want %q", request, text, want)
		}
	}
	if got := capability.Strings(all.List()); !slices.Contains(got, "net:GET,POST:any") || len(all.Net) != 4 {
		t.Errorf("the permissions themselves changed: %v", got)
	}
}
