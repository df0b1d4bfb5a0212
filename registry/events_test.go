package registry

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A subscription receives only the calls that it selects, and every change of the tools.
func TestSubscriptionReceivesSelectedCalls(t *testing.T) {
	r := withTool(t, Options{}, echo(), &fake{})
	subscriptions := map[string]*ledger.Subscription{
		"all":     r.Calls().Subscribe(ledger.EventFilter{}),
		"tenant":  r.Calls().Subscribe(ledger.EventFilter{Tenant: "a"}),
		"nobody":  r.Calls().Subscribe(ledger.EventFilter{OfTenant: true}),
		"session": r.Calls().Subscribe(ledger.EventFilter{Tenant: "a", Session: "s"}),
		"slow":    r.Calls().Subscribe(ledger.EventFilter{Buffer: 1}),
	}
	for _, c := range []struct{ tenant, session string }{{"a", "s"}, {"a", "other"}, {"b", "s"}, {"", ""}} {
		call := say("x")
		call.Tenant, call.Session = c.tenant, c.session
		if _, err := r.Execute(t.Context(), call); err != nil {
			t.Fatal(err)
		}
	}
	if got := subscriptions["slow"].Dropped(); got != 7 {
		t.Errorf("a slow subscription lost %d events", got)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"all": "a/s a/s a/other a/other b/s b/s / /", "tenant": "a/s a/s a/other a/other", "nobody": "/ /",
		"session": "a/s a/s", "slow": "a/s",
	} {
		got := ""
		for e := range subscriptions[name].Events() {
			got += fmt.Sprintf(" %s/%s", e.Tenant, e.Session)
		}
		if got != " "+want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestChangesOfToolsArePublished(t *testing.T) {
	r := New(Options{})
	s := r.Calls().Subscribe(ledger.EventFilter{Tenant: "a"})
	title := "Another"
	steps := []struct {
		name string
		do   func() error
	}{
		{"register", func() error { return r.Tools().Register(echo(), &fake{}) }},
		{"update", func() error { _, err := r.Tools().Update("echo", catalogue.Patch{Title: &title}); return err }},
		{"replace", func() error { _, err := r.Tools().Replace("echo", echo(), &fake{}); return err }},
		{"disable", func() error { return r.Tools().Disable("echo") }},
		{"enable", func() error { return r.Tools().Enable("echo") }},
		{"rules", func() error { r.SetRules(Rules{Policy: policy.Default()}); return nil }},
		{"unregister", func() error { _, err := r.Tools().Unregister("echo"); return err }},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		select {
		case e := <-s.Events():
			if e.Kind != ledger.EventTools || e.Time.IsZero() {
				t.Errorf("%s: got %+v", step.name, e)
			}
		default:
			t.Errorf("%s: no event", step.name)
		}
	}
	if err := r.Tools().Register(echo(), nil); err == nil {
		t.Fatal("it registered")
	}
	if _, err := r.Tools().Unregister("nothing"); err != nil {
		t.Fatal(err)
	}
	select {
	case e := <-s.Events():
		t.Errorf("nothing changed: got %+v", e)
	default:
	}
}

// A subscription that is not read does not block calls.
func TestUnreadSubscriptionBlocksNoCall(t *testing.T) {
	r := withTool(t, Options{}, echo(), does(func(_ context.Context, in tool.Invocation) {
		for range 1000 {
			in.Update(tool.Update{Title: "x"})
		}
	}))
	s := r.Calls().Subscribe(ledger.EventFilter{Buffer: 3})
	if _, err := r.Execute(t.Context(), say("x")); err != nil {
		t.Fatal(err)
	}
	if got := s.Dropped(); got != 999 {
		t.Errorf("dropped %d", got)
	}
}

// A subscription receives only the kinds that it selects. With a buffer of one, later changes of
// the tools are dropped while one change is unread.
func TestSubscriptionReceivesSelectedKinds(t *testing.T) {
	r := New(Options{})
	s := r.Calls().Subscribe(ledger.EventFilter{Kinds: []ledger.EventKind{ledger.EventTools}, Buffer: 1})
	if err := r.Tools().Register(echo(), &fake{}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Execute(t.Context(), say("x")); err != nil {
		t.Fatal(err)
	}
	s.Close()
	var got []ledger.EventKind
	for e := range s.Events() {
		got = append(got, e.Kind)
	}
	if !slices.Equal(got, []ledger.EventKind{ledger.EventTools}) || s.Dropped() != 0 {
		t.Errorf("got %v, and %d are lost", got, s.Dropped())
	}
}
