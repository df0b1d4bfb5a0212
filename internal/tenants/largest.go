package tenants

import "iter"

// Largest returns the tenant with the largest size, if any has at least the size least. Of several
// tenants with the same size it returns the one whose name sorts first.
//
// All resources that tenants share follow this rule: when a common limit is exceeded, the tenant
// with the largest size loses something. A tenant can therefore not displace another with a smaller
// size. When something new must be admitted or refused, the largest tenant loses something only if
// its size exceeds the size of the new thing's tenant by at least two. If it exceeded that size by
// only one, the two tenants would just exchange their sizes.
func Largest[V any](sizes map[string]V, size func(V) int, least int) (name string, found bool) {
	largest := least
	for n, v := range sizes {
		if own := size(v); own > largest || own == largest && (!found || n < name) {
			name, largest, found = n, own, true
		}
	}
	return name, found
}

// Counts maps tenants to the number of things they have.
type Counts map[string]int

// Count counts things by tenant.
func Count[T any](all iter.Seq[T], tenant func(T) string) Counts {
	c := make(Counts)
	for one := range all {
		c[tenant(one)]++
	}
	return c
}

// Largest returns the tenant with the highest count, as the function [Largest] does.
func (c Counts) Largest(least int) (name string, found bool) {
	return Largest(c, func(n int) int { return n }, least)
}
