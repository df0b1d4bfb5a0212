package capability_test

import (
	"slices"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

func TestReadingLeavesNothingToChange(t *testing.T) {
	url, err := capability.ParseURLPattern("https://api.example.com/")
	if err != nil {
		t.Fatal(err)
	}
	all := capability.Permissions{
		FS: []capability.FS{
			{Mount: "workspace", Mode: capability.ModeWrite, Deny: []string{".git/**"}},
			{Mount: "data", Mode: capability.ModeRead},
			{Mount: capability.ScratchMount, Mode: capability.ModeWrite},
		},
		Net: []capability.Net{{URL: url, Secrets: []capability.SecretUse{{Name: "TOKEN", Header: "X-Token"}}}},
		Env: []string{"LANG"}, KV: capability.ModeWrite, Clock: true, Random: true,
	}
	reading := all.Reading()
	want := []string{"read:workspace", "read:data", "write:tmp", "env:LANG", "kv:read", "clock", "random"}
	if got := capability.Strings(reading.List()); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := reading.FS[0].Deny; !slices.Equal(got, []string{".git/**"}) {
		t.Errorf("denials are lost: %v", got)
	}
	reading.FS[0].Deny[0] = "x"
	if all.FS[0].Mode != capability.ModeWrite || all.FS[0].Deny[0] != ".git/**" || all.KV != capability.ModeWrite {
		t.Error("the permissions themselves were changed")
	}
	if none := (capability.Permissions{}).Reading(); len(none.List()) != 0 {
		t.Errorf("nothing becomes %v", none.List())
	}
}
