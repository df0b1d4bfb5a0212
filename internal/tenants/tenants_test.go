package tenants

import (
	"fmt"
	"slices"
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
	// A tenant keeps its values, regardless of how many values another tenant has.
	for i := range 50 {
		add("a", fmt.Sprint(i), i)
	}
	if got := get(table, "b", "s"); got != 5 || table.Len() != 3 {
		t.Errorf("the other tenant has %d, and there are %d values", got, table.Len())
	}
	// A tenant that has too many values keeps the most recently used ones.
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

func TestLargest(t *testing.T) {
	all := []string{"b", "c", "a", "c", "b", "d"}
	has := Count(slices.Values(all), func(tenant string) string { return tenant })
	for least, want := range map[int]string{0: "b", 2: "b", 3: ""} {
		if got, found := has.Largest(least); got != want || found != (want != "") {
			t.Errorf("at least %d: got %q, %v, want %q", least, got, found, want)
		}
	}
	if got, found := has.Largest(-1); got != "b" || !found {
		t.Errorf("got %q, %v", got, found)
	}
	if got, found := (Counts{}).Largest(0); found {
		t.Errorf("got %q of no tenants", got)
	}
	if got, found := (Counts{"none": 0}).Largest(0); got != "none" || !found {
		t.Errorf("got %q, %v", got, found)
	}
}
