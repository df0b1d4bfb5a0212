package capability

import (
	"slices"
	"testing"
)

// TestDescriptionsBeginWithWhatCanDoMostHarm checks that a truncated list does not hide the most
// harmful lines behind harmless ones.
func TestDescriptionsBeginWithWhatCanDoMostHarm(t *testing.T) {
	secret := SecretUse{Name: "TOKEN", Header: "Authorization"}
	grant := Grant{
		FS: []GrantedFS{
			{FS: FS{Mount: ScratchMount, Mode: ModeWrite}},
			{FS: FS{Mount: "docs", Mode: ModeRead}, Dir: "/host/docs"},
			{FS: FS{Mount: "workspace", Mode: ModeWrite, Deny: []string{".git/**"}}, Dir: "/host/work"},
		},
		Env: map[string]string{"LANG": "x", "HOME": "y"},
		Net: []GrantedNet{
			{URL: pattern(t, "https://reads.example/"), Methods: []string{"GET", "HEAD"}},
			{URL: pattern(t, "https://posts.example/"), Methods: []string{"GET", "POST"}},
			{URL: pattern(t, "https://keys.example/"), Methods: []string{"GET"}, Secrets: []GrantedSecret{{SecretUse: secret}}},
			{URL: pattern(t, "https://inside.example/"), Methods: []string{"GET"}, Private: true},
		},
		KV: ModeWrite, Clock: true, Random: true,
	}
	want := []string{
		"write:workspace at /workspace, but not .git/** (/host/work)",
		"net-private:https://inside.example/ (GET)",
		"net:https://posts.example/ (GET, POST)",
		"net:https://keys.example/ (GET) with TOKEN in the header Authorization",
		"net:https://reads.example/ (GET, HEAD)",
		"kv:write",
		"env:HOME", "env:LANG",
		"read:docs at /docs (/host/docs)",
		"write:tmp at /tmp (its own, empty)",
		"clock", "random",
	}
	if got := grant.Describe(true); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	for _, line := range grant.Describe(false) {
		if slices.Contains([]string{want[0], want[8]}, line) {
			t.Errorf("%q names a directory of the host", line)
		}
	}
	asks := Permissions{
		FS:    []FS{{Mount: "docs", Mode: ModeRead}, {Mount: "workspace", Mode: ModeWrite}},
		Net:   []Net{{URL: pattern(t, "https://keys.example/"), Methods: []string{"GET"}, Secrets: []SecretUse{secret}}},
		Clock: true,
	}
	want = []string{
		"write:workspace at /workspace", "net:https://keys.example/ (GET) with TOKEN in the header Authorization",
		"secret:TOKEN", "read:docs at /docs", "clock",
	}
	if got := asks.Describe(); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
