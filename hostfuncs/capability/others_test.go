package capability_test

import (
	"slices"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// The other workspaces become ordinary grants, with the smaller of both modes, the denials of the
// request, and nothing that the operator has not made a workspace.
func TestOtherWorkspaces(t *testing.T) {
	read, write := capability.ModeRead, capability.ModeWrite
	mounts := map[string]capability.Mount{
		"workspace": {Dir: "/w", Mode: write},
		"notes":     {Dir: "/n", Mode: read, Workspace: true},
		"drafts":    {Dir: "/d", Mode: write, Workspace: true},
		"data":      {Dir: "/secret", Mode: write}, // of another tool
	}
	deny := func(text string) capability.Deny {
		p, err := capability.ParsePermission(text)
		if err != nil {
			t.Fatal(err)
		}
		return capability.Deny{p}
	}
	for name, test := range map[string]struct {
		asks   []capability.FS
		deny   capability.Deny
		grants []string
	}{
		"reads":            {asks: []capability.FS{{Mount: "workspace", Mode: read, Others: true}}, grants: []string{"read:workspace at /workspace", "read:drafts at /drafts", "read:notes at /notes"}},
		"writes":           {asks: []capability.FS{{Mount: "workspace", Mode: write, Others: true}}, grants: []string{"write:workspace at /workspace", "write:drafts at /drafts", "read:notes at /notes"}},
		"does not ask":     {asks: []capability.FS{{Mount: "workspace", Mode: write}}, grants: []string{"write:workspace at /workspace"}},
		"deny patterns":    {asks: []capability.FS{{Mount: "workspace", Mode: read, Deny: []string{".git/**"}, Others: true}}, grants: []string{"read:workspace at /workspace, but not .git/**", "read:drafts at /drafts, but not .git/**", "read:notes at /notes, but not .git/**"}},
		"writing denied":   {asks: []capability.FS{{Mount: "workspace", Mode: write, Others: true}}, deny: deny("write:drafts"), grants: []string{"write:workspace at /workspace", "read:drafts at /drafts", "read:notes at /notes"}},
		"reading denied":   {asks: []capability.FS{{Mount: "workspace", Mode: write, Others: true}}, deny: deny("read:notes"), grants: []string{"write:workspace at /workspace", "write:drafts at /drafts"}},
		"asked by name":    {asks: []capability.FS{{Mount: "workspace", Mode: read, Others: true}, {Mount: "notes", Mode: read, At: "/x"}}, grants: []string{"read:workspace at /workspace", "read:notes at /x", "read:drafts at /drafts"}},
		"path is taken":    {asks: []capability.FS{{Mount: "workspace", Mode: read, Others: true}, {Mount: "data", Mode: read, At: "/notes/data"}}, grants: []string{"read:workspace at /workspace", "read:data at /notes/data", "read:drafts at /drafts"}},
		"workspace at top": {asks: []capability.FS{{Mount: "workspace", Mode: read, At: "/", Others: true}}, grants: []string{"read:workspace at /"}},
	} {
		t.Run(name, func(t *testing.T) {
			asks := capability.Permissions{FS: test.asks}
			grant, missing := capability.Intersect(asks, capability.Grantable{Mounts: mounts, Deny: test.deny})
			var got []string
			for _, g := range grant.FS {
				got = append(got, g.Describe())
				if g.Dir != mounts[g.Mount].Dir {
					t.Errorf("%s is %s", g.Mount, g.Dir)
				}
			}
			if !slices.Equal(got, test.grants) || len(missing) > 0 {
				t.Errorf("got %q, missing %v\nwant %q", got, missing, test.grants)
			}
			if again, _ := capability.Intersect(asks.Reading(), capability.Grantable{Mounts: mounts, Deny: test.deny}); slices.ContainsFunc(again.FS, func(g capability.GrantedFS) bool { return g.Mode != read }) {
				t.Errorf("a call that only reads may write: %v", again.FS)
			}
		})
	}
}
