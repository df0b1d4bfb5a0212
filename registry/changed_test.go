package registry

import (
	"testing"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// Whoever listens hears of each change, can read the catalogue then, and stops hearing.
func TestOnChange(t *testing.T) {
	r := New(Options{})
	defer r.Close()
	heard := 0
	names := ""
	stop := r.OnChange(func() {
		heard++
		names = ""
		for _, info := range r.List(Filter{}) {
			names += info.Name + " " + info.Title + ";"
		}
	})
	other := 0
	defer r.OnChange(func() { other++ })()
	title := "New"
	for _, step := range []struct {
		name   string
		change func() error
		want   string
	}{
		{"register", func() error { return r.Register(tool.Spec{Name: "a", Description: "A."}, &fake{}) }, "a a;"},
		{"update", func() error { _, err := r.Update("a", Patch{Title: &title}); return err }, "a New;"},
		{"replace", func() error {
			_, err := r.Replace(tool.Spec{Name: "a", Description: "A."}, &fake{})
			return err
		}, "a a;"},
		{"disable", func() error { return r.Disable("a") }, ""},
		{"enable", func() error { return r.Enable("a") }, "a a;"},
		{"rules", func() error { r.SetRules(Rules{}); return nil }, "a a;"},
		{"unregister", func() error { _, err := r.Unregister("a"); return err }, ""},
	} {
		before := heard
		if err := step.change(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if heard == before || names != step.want {
			t.Errorf("%s: heard %d times, the catalogue is %q, want %q", step.name, heard-before, names, step.want)
		}
	}
	stop()
	last := heard
	if err := r.Register(tool.Spec{Name: "b", Description: "B."}, &fake{}); err != nil {
		t.Fatal(err)
	}
	if heard != last || other != last+1 {
		t.Errorf("after stop it heard %d more, the other heard %d of %d", heard-last, other, last+1)
	}
}
