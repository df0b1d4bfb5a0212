package capability

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestPermissionsBecomeGrantable(t *testing.T) {
	bound := Bound{
		Dirs: map[string]string{"ws": "/host/ws", "data": "/host/data"},
		Env: func(name string) (string, bool) {
			return "value of " + name, name == "LANG"
		},
	}
	var got Grantable
	err := got.Add(bound, permissions(t,
		"read:ws", "write:ws", "read:ws", "read:data", "write:tmp", "env:LANG", "secret:T", "kv:write", "kv:read", "clock", "random",
		"net:https://a.example", "net:https://a.example:443/", "net:GET:https://a.example", "net-private:https://a.example", "net:any",
	)...)
	want := Grantable{
		Mounts: map[string]Mount{"ws": {Dir: "/host/ws", Mode: ModeWrite}, "data": {Dir: "/host/data", Mode: ModeRead}},
		Env:    map[string]string{"LANG": "value of LANG"},
		Net: []GrantableNet{
			{URL: pattern(t, "https://a.example")},
			{URL: pattern(t, "https://a.example"), Methods: []string{"GET"}},
			{URL: pattern(t, "https://a.example"), Private: true},
			{URL: AnyURL()},
		},
		Secrets: map[string]GrantableSecret{"T": {}},
		KV:      ModeWrite, Clock: true, Random: true,
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
}

func TestAddKeepsWhatIsGrantable(t *testing.T) {
	limited := GrantableSecret{URLs: []URLPattern{pattern(t, "https://a.example")}}
	o := Grantable{
		Mounts:  map[string]Mount{"ws": {Dir: "/mine", Mode: ModeRead}},
		Env:     map[string]string{"LANG": "mine"},
		Secrets: map[string]GrantableSecret{"T": limited},
	}
	bound := Bound{Dirs: map[string]string{"ws": "/other"}, Env: func(string) (string, bool) { return "other", true }}
	if err := o.Add(bound, permissions(t, "write:ws", "env:LANG", "secret:T")...); err != nil {
		t.Fatal(err)
	}
	if o.Mounts["ws"] != (Mount{Dir: "/mine", Mode: ModeWrite}) || o.Env["LANG"] != "mine" || !reflect.DeepEqual(o.Secrets["T"], limited) {
		t.Errorf("an existing mount, variable or secret was bound again: %+v", o)
	}
	for text, says := range map[string]string{"read:data": `write data = "PATH" into [mounts]`, "env:NONE": "is not set"} {
		before := o.Clone()
		err := o.Add(Bound{}, permissions(t, "clock", text)...)
		var unbound *UnboundError
		if !errors.As(err, &unbound) || unbound.Permission.String() != text || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: got %v", text, err)
		}
		if !reflect.DeepEqual(o, before) {
			t.Errorf("%s: a failed Add changed the offer to %+v", text, o)
		}
	}
}

func TestOfferClonesShareNoMemory(t *testing.T) {
	example := func() Grantable {
		return Grantable{
			Mounts:  map[string]Mount{"ws": {Mode: ModeRead}},
			Env:     map[string]string{"A": ""},
			Net:     []GrantableNet{{URL: AnyURL(), Methods: []string{"GET"}}},
			Secrets: map[string]GrantableSecret{"T": {URLs: []URLPattern{AnyURL()}}},
			Deny:    permissions(t, "clock"),
			Lines:   map[Permission]string{permission(t, "clock"): "a:1"},
		}
	}
	o := example()
	c := o.Clone()
	c.Mounts["ws"], c.Env["A"], c.Net[0].Methods[0], c.Secrets["T"].URLs[0] = Mount{}, "x", "PUT", URLPattern{}
	c.Deny[0], c.Lines[permission(t, "clock")] = permission(t, "random"), "b:2"
	if !reflect.DeepEqual(o, example()) {
		t.Errorf("a change to a clone also changed the original: %+v", o)
	}
	p := Permissions{Net: []Net{{URL: AnyURL(), Methods: []string{"GET"}}}}
	g, _ := Intersect(p, o)
	g.Net[0].Methods[0], g.Net[0].URL = "PUT", URLPattern{}
	if !reflect.DeepEqual(o, example()) || p.Net[0].Methods[0] != "GET" {
		t.Error("a change to a grant also changed the request or the offer")
	}
}

func TestDenialsReachFurther(t *testing.T) {
	for _, tt := range []struct {
		denial, permission string
		taken              bool
	}{
		{"read:ws", "read:ws", true},
		{"read:ws", "write:ws", true},
		{"write:ws", "write:ws", true},
		{"write:ws", "read:ws", false},
		{"read:ws", "read:w", false},
		{"kv:read", "kv:write", true},
		{"kv:write", "kv:read", false},
		{"kv:read", "read:read", false},
		{"env:A", "env:A", true},
		{"env:A", "env:B", false},
		{"env:A", "secret:A", false},
		{"clock", "clock", true},
		{"clock", "random", false},
		{"net:any", "net:any", true},
		{"net:any", "net:http://localhost:1/", true},
		{"net:any", "net-private:https://10.0.0.1/", true},
		{"net:https://a.example", "net:any", false},
		{"net:https://a.example", "net:https://a.example/x", true},
		{"net:https://a.example", "net:http://a.example/x", true},
		{"net:https://a.example:8443", "net:http://a.example:8443/", true},
		{"net:http://a.example", "net:https://a.example/x", false},
		{"net:https://a.example", "net:https://a.example:8443", false},
		{"net:https://a.example/x", "net:https://a.example/", false},
		{"net:https://a.example/x/", "net:https://a.example/x", true},
		{"net:https://a.example/x", "net:https://a.example/X", true},
		{"net:https://a.example/x", "net:https://a.example/x;v=1/y", true},
		{"net:https://a.example/a!b", "net:https://a.example/a%21b", true},
		{"net:https://a.example/x", "net:https://a.example/xy", false},
		{"net:https://*.a.example", "net:https://b.a.example/", true},
		{"net:https://*.a.example", "net:https://c.b.a.example/", true},
		{"net:https://*.a.example", "net:https://*.a.example/", true},
		{"net:https://*.a.example", "net:https://*.b.a.example/", true},
		{"net:https://*.a.example", "net:https://a.example/", false},
		{"net:https://*.a.example", "net:https://evila.example/", false},
		{"net:POST:https://a.example", "net:POST:https://a.example", true},
		{"net:POST:https://a.example", "net:GET,POST:https://a.example", false},
		{"net:GET,POST:https://a.example", "net:POST:https://a.example", true},
		{"net:POST:https://a.example", "net:https://a.example", false},
		{"net-private:https://a.example", "net:https://a.example", false},
		{"net-private:https://a.example", "net-private:https://a.example", true},
	} {
		if _, taken := (Deny{permission(t, tt.denial)}).Takes(permission(t, tt.permission)); taken != tt.taken {
			t.Errorf("%s denies %s: got %v", tt.denial, tt.permission, taken)
		}
	}
	if _, taken := (Deny{{}}).Takes(permission(t, "clock")); taken {
		t.Error("the zero permission denies another permission")
	}
}
