package capability

import (
	"reflect"
	"testing"
)

func TestOnlyGrantsTheGivenPermissions(t *testing.T) {
	api, other := pattern(t, "https://a.example/"), pattern(t, "https://b.example/")
	o := Grantable{
		Mounts: map[string]Mount{"ws": {Dir: "/w", Mode: ModeWrite}, "ro": {Dir: "/r", Mode: ModeRead}},
		Env:    map[string]string{"A": "1", "B": "2"},
		Net:    []GrantableNet{{URL: AnyURL()}}, KV: ModeRead, Clock: true,
		Secrets: map[string]GrantableSecret{"T": {URLs: []URLPattern{api}}, "U": {}},
		Deny:    permissions(t, "env:B"),
	}
	for _, tt := range []struct {
		permissions []string
		want        Grantable
	}{
		{nil, Grantable{}},
		{[]string{"read:ws"}, Grantable{Mounts: map[string]Mount{"ws": {Dir: "/w", Mode: ModeRead}}}},
		{[]string{"write:ws", "read:ws"}, Grantable{Mounts: map[string]Mount{"ws": {Dir: "/w", Mode: ModeWrite}}}},
		{[]string{"write:ro", "write:none"}, Grantable{Mounts: map[string]Mount{"ro": {Dir: "/r", Mode: ModeRead}}}},
		{[]string{"env:A", "env:NONE"}, Grantable{Env: map[string]string{"A": "1"}}},
		{[]string{"secret:T", "secret:NONE"}, Grantable{Secrets: map[string]GrantableSecret{"T": {URLs: []URLPattern{api}}}}},
		{[]string{"net:POST:https://b.example"}, Grantable{Net: []GrantableNet{{URL: other, Methods: []string{"POST"}}}}},
		{[]string{"net-private:https://b.example"}, Grantable{Net: []GrantableNet{{URL: other, Private: true}}}},
		{[]string{"kv:write"}, Grantable{KV: ModeRead}},
		{[]string{"clock", "random"}, Grantable{Clock: true}},
	} {
		tt.want.Deny = o.Deny
		if got := o.Only(permissions(t, tt.permissions...)...); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%v: got %+v, want %+v", tt.permissions, got, tt.want)
		}
	}
}
