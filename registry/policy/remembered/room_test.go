package remembered

import (
	"strconv"
	"testing"
	"time"
)

// A tenant at its limit of approvals loses its oldest approval, and other tenants lose none.
func TestNoTenantFillsTheFile(t *testing.T) {
	begun := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	list := []Approval{{Tenant: "other", ID: "first", Created: begun.Add(-time.Hour)}}
	for i := range maxOfTenant {
		list = append(list, Approval{Tenant: "busy", ID: strconv.Itoa(i), Created: begun.Add(time.Duration(i+3) % 7 * time.Second)})
	}
	list[6].Created = begun.Add(-time.Second)
	if got := roomFor("other", append([]Approval(nil), list...)); len(got) != len(list) {
		t.Errorf("another tenant has %d left of %d", len(got), len(list))
	}
	got := roomFor("busy", list)
	if len(got) != maxOfTenant || got[0].ID != "first" {
		t.Errorf("%d are left, the first is %s", len(got), got[0].ID)
	}
	for _, a := range got {
		if a.ID == "5" {
			t.Error("the oldest is still there")
		}
	}
}

// A Memory is bounded over all tenants, and the tenant with the most approvals loses its oldest
// approval.
func TestMemoryIsBounded(t *testing.T) {
	begun := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	all := []Approval{{Tenant: "quiet", ID: "first", Created: begun.Add(-time.Hour)}}
	for i := range maxInMemory + 4 {
		all = append(all, Approval{Tenant: strconv.Itoa(i % 11), ID: strconv.Itoa(i), Created: begun.Add(time.Duration(i) * time.Second)})
	}
	memory := new(list)
	if err := memory.Change(t.Context(), func([]Approval) []Approval { return all }); err != nil {
		t.Fatal(err)
	}
	kept, err := memory.Read(t.Context())
	if err != nil || len(kept) != maxInMemory || kept[0].ID != "first" || kept[1].ID != "5" {
		t.Errorf("%d are kept, the first %s and %s, %v", len(kept), kept[0].ID, kept[1].ID, err)
	}
}
