package capability

import (
	"reflect"
	"testing"
)

var everything = Permissions{
	FS: []FS{
		{Mount: "workspace", Mode: ModeRead, Deny: []string{".git/**"}},
		{Mount: "data", At: "/in", Mode: ModeRead},
	},
	Env: []string{"LANG", "HOME"}, Clock: true, Random: true,
}

func TestIntersect(t *testing.T) {
	offer := Grantable{
		Mounts: map[string]Mount{"workspace": {Dir: "/w", Mode: ModeRead}, "data": {Dir: "/d", Mode: ModeRead}, "other": {Dir: "/o", Mode: ModeRead}},
		Env:    map[string]string{"LANG": "C", "HOME": "", "SECRET": "x"},
		Clock:  true, Random: true,
	}
	tests := []struct {
		name    string
		ask     Permissions
		offer   Grantable
		want    Grant
		missing []string
	}{
		{"nothing asked, all offered", Permissions{}, offer, Grant{}, nil},
		{
			"all asked, nothing offered", everything,
			Grantable{},
			Grant{},
			[]string{
				"read:workspace",
				"read:data",
				"env:LANG",
				"env:HOME",
				"clock",
				"random",
			},
		},
		{
			"all asked, all offered", everything, offer,
			Grant{
				FS:    []GrantedFS{{FS: everything.FS[0], Dir: "/w"}, {FS: everything.FS[1], Dir: "/d"}},
				Env:   map[string]string{"LANG": "C", "HOME": ""},
				Clock: true, Random: true,
			},
			nil,
		},
		{
			"a mount offered for nothing",
			Permissions{FS: everything.FS[:1]},
			Grantable{Mounts: map[string]Mount{"workspace": {Dir: "/w"}}},
			Grant{},
			[]string{"read:workspace"},
		},
		{
			"writing asked, reading offered",
			Permissions{FS: []FS{{Mount: "workspace", Mode: ModeWrite}}},
			offer,
			Grant{},
			[]string{"write:workspace"},
		},
		{
			"writing asked and offered",
			Permissions{FS: []FS{{Mount: "w", Mode: ModeWrite}}},
			Grantable{Mounts: map[string]Mount{"w": {Dir: "/w", Mode: ModeWrite}}},
			Grant{FS: []GrantedFS{{FS: FS{Mount: "w", Mode: ModeWrite}, Dir: "/w"}}},
			nil,
		},
		{
			"reading asked, writing offered",
			Permissions{FS: []FS{{Mount: "w", Mode: ModeRead}}},
			Grantable{Mounts: map[string]Mount{"w": {Dir: "/w", Mode: ModeWrite}}},
			Grant{FS: []GrantedFS{{FS: FS{Mount: "w", Mode: ModeRead}, Dir: "/w"}}},
			nil,
		},
		{
			"scratch needs no offer, and takes none",
			Permissions{FS: []FS{{Mount: ScratchMount, Mode: ModeWrite}}},
			Grantable{Mounts: map[string]Mount{ScratchMount: {Dir: "/etc", Mode: ModeRead}}},
			Grant{FS: []GrantedFS{{FS: FS{Mount: ScratchMount, Mode: ModeWrite}}}},
			nil,
		},
		{"names are case-sensitive", Permissions{Env: []string{"lang"}}, offer, Grant{}, []string{"env:lang"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, missing := Intersect(tt.ask, tt.offer)
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if !reflect.DeepEqual(Strings(missing), tt.missing) {
				t.Errorf("missing %+v, want %+v", missing, tt.missing)
			}
		})
	}
}

func TestIntersectAndClonesShareNoMemory(t *testing.T) {
	ask := everything.Clone()
	offer := Grantable{Mounts: map[string]Mount{"workspace": {Dir: "/w", Mode: ModeRead}, "data": {Mode: ModeRead}}, Env: map[string]string{"LANG": "", "HOME": ""}, Clock: true, Random: true}
	grant, _ := Intersect(ask, offer.Clone())
	ask.FS[0].Deny[0] = "changed"
	ask.Env[0] = "changed"
	clone := offer.Clone()
	clone.Mounts["workspace"], clone.Env["LANG"] = Mount{Dir: "changed"}, "changed"
	if grant.FS[0].Deny[0] != ".git/**" || everything.FS[0].Deny[0] != ".git/**" || everything.Env[0] != "LANG" {
		t.Error("a change to the request also changed another value")
	}
	if offer.Mounts["workspace"].Dir != "/w" || offer.Env["LANG"] != "" {
		t.Error("a change to a clone of the offer also changed the offer")
	}
}

func TestPermissionsList(t *testing.T) {
	if got, want := everything.String(), "read:workspace, read:data, env:LANG, env:HOME, clock, random"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	write := Permissions{FS: []FS{{Mount: "workspace", Mode: ModeWrite}}}
	if got := write.String(); got != "write:workspace" {
		t.Errorf("got %q", got)
	}
	if got := (Permissions{}).String(); got != "nothing" {
		t.Errorf("got %q", got)
	}
}

func TestGuestPath(t *testing.T) {
	for want, f := range map[string]FS{"/workspace": {Mount: "workspace"}, "/in": {Mount: "data", At: "/in"}, "/": {Mount: "all", At: "/"}} {
		if got := f.GuestPath(); got != want {
			t.Errorf("%+v: got %q, want %q", f, got, want)
		}
	}
}
