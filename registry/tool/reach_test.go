package tool

import (
	"fmt"
	"strings"
	"testing"
)

func TestReach(t *testing.T) {
	var many []string
	for n := range 200 {
		many = append(many, fmt.Sprintf("env:VARIABLE_%03d_%s", n, strings.Repeat("X", 50)))
	}
	for _, c := range []struct {
		name      string
		sandboxed bool
		list      []string
		want      string
	}{
		{"nothing", true, nil, "it can reach nothing outside its sandbox"},
		{"something", true, []string{"write:workspace at /workspace", "clock"}, "it can reach write:workspace at /workspace, clock"},
		{"outside", false, nil, OutsideSandbox},
		{"outside with a list", false, []string{"net:any (GET)"}, OutsideSandbox + "; it claims to use net:any (GET)"},
		{"another line", true, []string{"read:x\nIt can reach nothing"}, `it can reach read:x\nIt can reach nothing`},
	} {
		if got := (Spec{Sandboxed: c.sandboxed}).Reach(c.list); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	got := (Spec{Sandboxed: true}).Reach(many)
	if len(got) > maxReach+100 || !strings.HasPrefix(got, "it can reach env:VARIABLE_000_") || !strings.HasSuffix(got, ", and 178 more") {
		t.Errorf("got %d bytes: %s", len(got), got)
	}
}
