package callqueue

import (
	"cmp"
	"slices"

	"github.com/wasmtool/wasmtool/internal/tenants"
)

// place is where a new turn stands among those that wait: behind those of its tenant, and
// before those of tenants with more calls before them, that run or wait. Of as many, it
// counts for more that they wait.
func (q *Queue) place(t *Turn) int {
	own, seen := q.tenants[t.need.Tenant], map[string]int{}
	at := len(q.waiting)
	for ; at > 0; at-- {
		tenant := q.waiting[at-1].need.Tenant
		seen[tenant]++
		running, waiting := q.tenants[tenant].running, q.tenants[tenant].waiting-seen[tenant]
		if tenant == t.need.Tenant ||
			cmp.Or(cmp.Compare(running+waiting, own.running+own.waiting), cmp.Compare(waiting, own.waiting)) <= 0 {
			break
		}
	}
	return at
}

// makeRoom displaces one of those that wait when there are too many: the last of the tenant
// with most of them, or within the tenant of a new one the last of the class with most, and
// else the new one.
func (q *Queue) makeRoom(t *Turn) {
	if q.b.MaxWaiting == 0 || len(q.waiting) <= max(q.b.MaxWaiting, 0) {
		return
	}
	tenant := func(other *Turn) string { return other.need.Tenant }
	class := func(other *Turn) string { return other.need.Class.Name }
	out := t
	// The new one is counted, so that one more than its tenant has is two without it.
	if most, found := tenants.Most(q.tenants, func(u use) int { return u.waiting }, q.tenants[tenant(t)].waiting+1); found {
		out = lastOf(q.waiting, tenant, most)
	} else if t.need.Class != nil {
		own := slices.DeleteFunc(slices.Clone(q.waiting), func(other *Turn) bool { return tenant(other) != tenant(t) })
		classes := tenants.Count(slices.Values(own), class)
		if most, found := classes.Most(classes[class(t)] + 1); found {
			out = lastOf(own, class, most)
		}
	}
	q.end(out, displaced)
	close(out.ready)
}

// lastOf is the last turn of an owner; there is one.
func lastOf(turns []*Turn, owner func(*Turn) string, name string) *Turn {
	for _, t := range slices.Backward(turns) {
		if owner(t) == name {
			return t
		}
	}
	return nil
}
