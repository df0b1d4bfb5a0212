package registry

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A tool learns of those that its caller can call, and of no others (R38).
func TestToolView(t *testing.T) {
	var view tool.View
	r := withTool(t, Options{}, echo(), does(func(_ context.Context, in tool.Invocation) { view = in.Tools() }))
	for _, name := range []string{"a_first", "off", "denied", "theirs"} {
		spec := echo()
		spec.Name = name
		if err := r.Tools().Register(spec, &fake{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Tools().Disable("off"); err != nil {
		t.Fatal(err)
	}
	deny := func(names ...string) *policy.Policy {
		var known policy.Known
		for _, name := range names {
			known.Tools = append(known.Tools, policy.ToolFacts{Name: name})
		}
		p, err := policy.Compile(policy.Config{Deny: names}, known)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	r.SetRules(Rules{Policy: deny("denied")})
	for want, execute := range map[string]func(context.Context, tool.Call) (tool.Result, error){
		"[a_first echo theirs]": r.Execute,
		"[a_first echo]":        r.Tenant("a", Overlay{Policy: deny("theirs")}).Execute,
	} {
		if _, err := execute(t.Context(), say("x")); err != nil || fmt.Sprint(view.Names) != want || view.More != 0 {
			t.Errorf("it sees %v and %d more, want %s; %v", view.Names, view.More, want, err)
		}
	}
	r.SetRules(Rules{})
	for n := range tool.MaxView {
		spec := echo()
		spec.Name = fmt.Sprintf("more_%04d", n)
		if err := r.Tools().Register(spec, &fake{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Execute(t.Context(), say("y")); err != nil || len(view.Names) != tool.MaxView || view.More != 4 || !slices.IsSorted(view.Names) {
		t.Errorf("of many it sees %d and %d more; %v", len(view.Names), view.More, err)
	}
}
