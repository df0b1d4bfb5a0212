package tenants

import "iter"

// Most returns the tenant that has most, of those that have at least least, and reports
// whether there is one. Of several with as much it is the one whose name comes first. This is
// the rule for everything that tenants share: where one more is too many, the tenant with most
// gives way, so that no tenant drives out another that has less.
//
// Where something new has to fit in or be refused, the tenant with most gives way only if it
// has at least two more than the tenant of the new one; with one more, the two would only
// change places.
func Largest[V any](has map[string]V, size func(V) int, least int) (name string, found bool) {
	most := least
	for n, v := range has {
		if own := size(v); own > most || own == most && (!found || n < name) {
			name, most, found = n, own, true
		}
	}
	return name, found
}

// Counts says how many things each tenant has.
type Counts map[string]int

// Count counts things by their tenants.
func Count[T any](all iter.Seq[T], tenant func(T) string) Counts {
	c := make(Counts)
	for one := range all {
		c[tenant(one)]++
	}
	return c
}

// Most is the function Most for counts.
func (c Counts) Largest(least int) (name string, found bool) {
	return Largest(c, func(n int) int { return n }, least)
}
