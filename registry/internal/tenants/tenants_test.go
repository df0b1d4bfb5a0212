package tenants

import (
	"fmt"
	"testing"
)

func get(t *Table[int], tenant, key string) (value int) {
	t.Look(tenant, key, func(v *int) { value = *v })
	return value
}

func TestTable(t *testing.T) {
	table := New[int](3)
	add := func(tenant, key string, by int) {
		table.Use(tenant, key, func(v *int) { *v += by })
	}
	add("a", "s", 1)
	add("a", "s", 1)
	add("b", "s", 5)
	if a, b := get(table, "a", "s"), get(table, "b", "s"); a != 2 || b != 5 {
		t.Errorf("the same key of two tenants has %d and %d", a, b)
	}
	if got := get(table, "c", "s"); got != 0 || table.Len() != 2 {
		t.Errorf("looking made a value: %d of %d", got, table.Len())
	}
	// However much a tenant has, what belongs to another stays.
	for i := range 50 {
		add("a", fmt.Sprint(i), i)
	}
	if got := get(table, "b", "s"); got != 5 || table.Len() != 3 {
		t.Errorf("the other tenant has %d, and there are %d values", got, table.Len())
	}
	// Of one tenant, those last used stay.
	var left []int
	table.Each("a", func(v *int) { left = append(left, *v) })
	if fmt.Sprint(left) != "[49 48]" {
		t.Errorf("what is left is %v", left)
	}
	table.Forget("b", "s")
	table.Forget("b", "s")
	table.Forget("nobody", "s")
	if got := get(table, "b", "s"); got != 0 || table.Len() != 2 {
		t.Errorf("a value that was forgotten is %d, and there are %d", got, table.Len())
	}
	add("b", "s", 7)
	table.ForgetAll("a")
	table.ForgetAll("nobody")
	if got := get(table, "b", "s"); got != 7 || table.Len() != 1 {
		t.Errorf("after forgetting another tenant: %d of %d", got, table.Len())
	}
}
