package shellcommand

import (
	"maps"
	"slices"
	"testing"

	"github.com/wasmtool/wasmtool/registry/policy"
)

// If the operator lists commands that need approval, every script that asks may hide one of them,
// unless all of its commands that ask run no other command.
func TestRestricted(t *testing.T) {
	lists := map[string]Settings{"ask": {Ask: []string{"say *"}}, "deny": {Deny: []string{"say *"}}}
	for name := range maps.Keys(dangers) {
		alone := Classify(name+" x", Settings{})
		if alone.Restricted() {
			t.Errorf("%s is restricted without a list", name)
		}
		if alone.Effect != policy.Ask {
			continue
		}
		want := !slices.Contains(runNothing, name)
		for list, s := range lists {
			for _, script := range []string{name + " x", "rm a && " + name + " $y > out", "/usr/bin/" + name + " x"} {
				if got := Classify(script, s); got.Restricted() != want {
					t.Errorf("%s with shell.%s: restricted %v, want %v", script, list, got.Restricted(), want)
				}
			}
		}
	}
	for _, name := range runNothing {
		_, wraps := wrappers[name]
		if _, known := dangers[name]; !known || wraps || slices.Contains(anything, name) || slices.Contains(runners, name) {
			t.Errorf("%s may run other commands", name)
		}
	}
	for script, want := range map[string]bool{
		"ls":                             false, // it does not ask
		"say":                            true,
		"x=say; $x":                      true,
		"rm $(say)":                      true,
		"./rm x":                         true,
		"LD_PRELOAD=x rm a":              true,
		"rm x <(unknown)":                true,
		"rm() { x; }; rm a":              true,
		"rm x; cat a >b":                 false,
		"rm x &":                         false,
		"for f in *; do rm \"$f\"; done": false,
		"rm '":                           true,
	} {
		if got := Classify(script, lists["ask"]); got.Restricted() != want {
			t.Errorf("%s: restricted %v, want %v: %s", script, got.Restricted(), want, got.Reason)
		}
	}
}
