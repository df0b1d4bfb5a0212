package capability

import "testing"

func TestEffectsComeFromWhatIsReached(t *testing.T) {
	url, err := ParseURLPattern("https://example.com/")
	if err != nil {
		t.Fatal(err)
	}
	mount := func(name string, mode Mode) Permissions {
		return Permissions{FS: []FS{{Mount: name, Mode: mode}}}
	}
	net := func(methods ...string) Permissions { return Permissions{Net: []Net{{URL: url, Methods: methods}}} }
	everything := Grantable{
		Mounts: map[string]Mount{"workspace": {Dir: "/x", Mode: ModeWrite}}, Net: []GrantableNet{{URL: url}}, KV: ModeWrite,
	}
	for name, tt := range map[string]struct {
		p    Permissions
		want Effects
	}{
		"nothing":           {Permissions{}, Effects{ReadOnly: true}},
		"reading":           {mount("workspace", ModeRead), Effects{ReadOnly: true}},
		"writing":           {mount("workspace", ModeWrite), Effects{Destructive: true}},
		"its own directory": {mount(ScratchMount, ModeWrite), Effects{ReadOnly: true}},
		"no method":         {net(), Effects{ReadOnly: true, OpenWorld: true}},
		"GET and HEAD":      {net("GET", "HEAD"), Effects{ReadOnly: true, OpenWorld: true}},
		"GET and POST":      {net("GET", "POST"), Effects{Destructive: true, OpenWorld: true}},
		"reading its store": {Permissions{KV: ModeRead}, Effects{ReadOnly: true}},
		"writing its store": {Permissions{KV: ModeWrite}, Effects{}},
	} {
		if got := tt.p.Effects(); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
		grant, missing := Intersect(tt.p, everything)
		if got := grant.Effects(); got != tt.want || len(missing) > 0 {
			t.Errorf("%s, granted: %+v, want %+v; missing %q", name, got, tt.want, missing)
		}
	}
	// A narrower grant has fewer effects.
	everything.Net[0].Methods = []string{"GET"}
	if grant, _ := Intersect(net("GET", "POST"), everything); !grant.Effects().ReadOnly {
		t.Error("GET alone is not read-only")
	}
}
