package policy_test

import (
	"testing"

	"github.com/wasmtool/wasmtool/registry/policy"
)

// TestCapabilities checks rules with a pattern against a granted permission. A deny rule must match
// if and only if the two overlap. An allow rule must match if and only if the pattern covers the
// permission.
func TestCapabilities(t *testing.T) {
	for _, tc := range []struct {
		pattern, word     string
		overlaps, covered bool
	}{
		{"*", "write:a", true, true},
		{"*", "exec:sh", true, true},
		{"write:*", "write:workspace", true, true},
		{"write:work*", "write:workspace", true, true},
		{"write:a", "write:b", false, false},
		{"write:a", "no word", true, false},
		{"read:a", "write:a", true, false},
		{"env:PATH", "env:Path", true, false},
		{"env:AWS_*", "env:AWS_KEY", true, true},
		{"secret:*", "env:X", false, false},
		{"kv:*", "kv:write", true, true},
		{"kv:read", "kv:write", true, false},
		{"kv:write", "kv:write", true, true},

		{"net:*", "net:https://a.example/", true, true},
		{"net:any", "net:any", true, true},
		{"net:*", "net-private:http://a.example/", true, false},
		{"net-private:*", "net:https://a.example/", false, true},
		{"net-private:*", "net-private:http://a.example/", true, true},
		{"net-private:*", "net:http://127.0.0.1/", true, true},
		{"net-private:*", "net:http://[fd00::1]/", true, true},
		{"net:http://[FD00:0::1]:*/", "net:http://[fd00::1]:8080/", true, true},
		{"net-private:*", "net:http://localhost:8080/", true, true},
		{"net:*", "net:http://192.168.0.1/", true, false},
		{"net:http://localhost:8080/", "net:http://localhost:8080/", true, true},
		{"net:https://a.example/", "net:any", true, false},
		{"net:https://a.example/", "net:https://a.example/", true, true},
		{"net:https://a.example", "net:https://a.example/x/", true, true},
		{"net:https://a.example/**", "net:https://a.example/x", true, true},
		{"net:https://a.example:443/", "net:https://a.example/", true, true},
		{"net:https://a.example:8443/", "net:https://a.example/", false, false},
		{"net:https://a.example:*/", "net:https://a.example:8443/", true, true},
		{"net:http://a.example/", "net:https://a.example/", false, false},
		{"net:*://a.example/", "net:https://a.example/", true, true},
		{"net:*://a.example:443/", "net:https://a.example/", true, true},
		{"net:*://a.example/", "net:https://a.example:444/", false, false},
		{"net:https://a.example/repos/x/", "net:https://a.example/repos/", true, false},
		{"net:https://a.example/repos/", "net:https://a.example/repos/x", true, true},
		{"net:https://a.example/repo", "net:https://a.example/repos", false, false},
		{"net:https://*.corp/", "net:https://a.corp/", true, true},
		{"net:https://*.corp/", "net:https://a.b.corp/", false, false},
		{"net:https://*.corp/", "net:https://corp/", false, false},
		{"net:https://**.corp/", "net:https://a.b.corp/", true, true},
		{"net:https://**.corp/", "net:https://corp/", true, true},
		{"net:https://**.corp/", "net:https://evilcorp/", false, false},
		{"net:https://**.corp/", "net:https://corp.evil/", false, false},
		{"net:https://a.corp/", "net:https://*.corp/", true, false},
		{"net:https://*.b.corp/", "net:https://*.b.corp/", true, true},
		{"net:https://BÜCHER.example./", "net:https://xn--bcher-kva.example/", true, true},
		{"net:https://*.bücher.example/", "net:https://a.xn--bcher-kva.example/", true, true},
		{"net:https://a.example/x/../%61pi", "net:https://a.example/api/v1", true, true},
		{"net:https://a.example/API", "net:https://a.example/api/v1", true, false},
		{"net:*://**:8080/", "net:http://a.example:8080/", true, true},
		{"net:*://a.example/", "net:http://a.example:443/", false, false},
		{"net-private:https://*/", "net-private:https://intranet/", true, true},
		{"net-private:https://*/", "net:https://intranet/", false, true},
		{"net:https://**.b.corp/", "net:https://*.corp/", true, false},
		{"net:https://**.a.**.corp/", "net:https://x.a.y.a.z.corp/", true, true},
		{"net:GET:https://a.example/", "net:GET:https://a.example/", true, true},
		{"net:GET:https://a.example/", "net:GET,POST:https://a.example/", true, false},
		{"net:POST:https://a.example/", "net:GET,HEAD:https://a.example/", false, false},
		{"net:POST:*", "net:GET,POST:https://a.example/", true, false},
		{"net:POST:*", "net:https://a.example/", true, false},
		{"net:GET:https://a.example/", "net:https://a.example/", true, true},
		{"net:https://a.example/", "net:POST:https://a.example/", true, true},
		{"net:https://a.example/", "net:what is this", true, false},
		{"net:https://a.example/", "net:https://**.example/", true, false},
		{"write:a", "net:any", false, false},
	} {
		for _, effect := range []policy.Effect{policy.Deny, policy.Allow} {
			p := compile(t, policy.Config{Rules: []policy.Rule{{Effect: effect, Capabilities: []string{tc.pattern}}}})
			got := p.Decide(issues, grants(tc.word)).Effect == effect
			want := map[policy.Effect]bool{policy.Deny: tc.overlaps, policy.Allow: tc.covered}[effect]
			if got != want {
				t.Errorf("%v %s for %s: holds %v, want %v", effect, tc.pattern, tc.word, got, want)
			}
		}
	}
}
