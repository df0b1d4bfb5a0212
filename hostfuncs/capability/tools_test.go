package capability

import (
	"slices"
	"testing"
)

// A tool may call what it asks for and the operator grants, without what the operator denies.
func TestCallsOfTools(t *testing.T) {
	for _, tt := range []struct {
		name              string
		asks, offer, deny []string
		granted, missing  []string
		may, mayNot       []string
	}{
		{"nothing", nil, []string{"*"}, nil, nil, nil, nil, []string{"grep", "*", ""}},
		{"the same", []string{"grep"}, []string{"grep"}, nil, []string{"grep"}, nil, []string{"grep"}, []string{"grep2", "gre", "GREP"}},
		{"not granted", []string{"grep"}, nil, nil, nil, []string{"tools:grep"}, nil, []string{"grep"}},
		{"granted more widely", []string{"mcp__a__x"}, []string{"mcp__*"}, nil, []string{"mcp__a__x"}, nil, []string{"mcp__a__x"}, []string{"mcp__a__y"}},
		{"granted in part", []string{"*"}, []string{"mcp__a__*", "grep"}, nil, []string{"mcp__a__*", "grep"}, nil, []string{"mcp__a__x", "grep"}, []string{"mcp__b__x", "write"}},
		{"denied", []string{"grep"}, []string{"*"}, []string{"gr*"}, nil, []string{"tools:grep"}, nil, []string{"grep"}},
		{"denied in part", []string{"*"}, []string{"*"}, []string{"bash", "mcp__*"}, []string{"*"}, nil, []string{"grep"}, []string{"bash", "mcp__a__x"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var offer Grantable
			for _, name := range tt.offer {
				if err := offer.Add(Bound{}, toolsPermission(name)); err != nil {
					t.Fatal(err)
				}
			}
			offer.Deny = toolsPermissions(tt.deny)
			grant, missing := Intersect(Permissions{Tools: tt.asks}, offer)
			if !slices.Equal(grant.Tools, tt.granted) || !slices.Equal(Strings(missing), tt.missing) {
				t.Errorf("granted %q, missing %q", grant.Tools, missing)
			}
			for _, name := range tt.may {
				if !grant.Calls(name) {
					t.Errorf("may not call %s", name)
				}
			}
			for _, name := range tt.mayNot {
				if grant.Calls(name) {
					t.Errorf("may call %s", name)
				}
			}
			if e := grant.Effects(); e.ReadOnly != (len(grant.Tools) == 0) {
				t.Errorf("the effects are %+v", e)
			}
		})
	}
	for _, text := range []string{"tools:", "tools:A", "tools:a*b", "tools:**", "tools:a.b", "tools:-a", "tools:a b"} {
		if p, err := ParsePermission(text); err == nil {
			t.Errorf("%s is read as %v", text, p)
		}
	}
}

func toolsPermissions(names []string) Deny {
	var all Deny
	for _, name := range names {
		all = append(all, toolsPermission(name))
	}
	return all
}
