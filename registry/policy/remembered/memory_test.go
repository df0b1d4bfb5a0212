package remembered_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/registry/policy/remembered"
)

// approved returns an approval of a tenant for a session and arguments.
func approved(tenant, session, arguments string) remembered.Approval {
	return remembered.Approval{
		Tenant: tenant, Session: session, Tool: "t", Scope: remembered.ScopeSession,
		Key: remembered.NewKey("sha256:x", []byte(arguments), nil),
	}
}

func found(t *testing.T, m *remembered.Memory, a remembered.Approval) bool {
	t.Helper()
	_, ok, err := m.Find(t.Context(), remembered.Query{Tenant: a.Tenant, Session: a.Session, Key: a.Key})
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// A Memory keeps the same approvals as Files, until they are revoked or expire, or their session is
// forgotten.
func TestMemory(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	m := remembered.NewMemory(remembered.Options{Now: func() time.Time { return now }})
	first, second := approved("a", "s", "1"), approved("a", "t", "1")
	for _, a := range []remembered.Approval{first, second, approved("b", "s", "1")} {
		if _, err := m.Remember(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	if !found(t, m, first) || !found(t, m, second) || found(t, m, approved("a", "s", "2")) || found(t, m, approved("c", "s", "1")) {
		t.Error("what was remembered is not what is found")
	}
	kept, err := m.List(t.Context(), "a")
	if err != nil || len(kept) != 2 {
		t.Fatalf("listed %v, %v", kept, err)
	}
	m.ForgetSession("a", "s")
	if found(t, m, first) || !found(t, m, second) || !found(t, m, approved("b", "s", "1")) {
		t.Error("another session was forgotten")
	}
	if ok, err := m.Revoke(t.Context(), "a", kept[1].ID); err != nil || !ok {
		t.Errorf("revoked: %t, %v", ok, err)
	}
	now = now.Add(remembered.DefaultSessionLifetime)
	if found(t, m, second) || found(t, m, approved("b", "s", "1")) {
		t.Error("a session has no end")
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Remember(gone, first); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is over: %v", err)
	}
}
