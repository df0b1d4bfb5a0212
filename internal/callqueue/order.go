package callqueue

import (
	"cmp"
	"slices"

	"github.com/wasmtool/wasmtool/internal/tenants"
)

// place returns the index of a new turn in the waiting list. The new turn comes after the earlier
// turns of its own tenant. It comes before every turn that has more calls of its tenant ahead,
// running or waiting. On a tie, the turn with fewer waiting calls of its tenant ahead goes first.
func (q *Queue) place(t *Turn) int {
	t.order = t.own.first + t.own.waiting
	at := len(q.waiting)
	for ; at > 0; at-- {
		other := q.waiting[at-1]
		if other.own == t.own ||
			cmp.Or(cmp.Compare(other.own.running+other.before(), t.own.running+t.before()), cmp.Compare(other.before(), t.before())) <= 0 {
			break
		}
	}
	return at
}

// makeRoom displaces one turn if too many turns wait. It displaces the last turn of the tenant with
// the most waiting turns. If this is the tenant of the new turn t, it displaces the last turn of
// the tenant's class with the most waiting turns. If this is the class of t, it displaces t itself.
func (q *Queue) makeRoom(t *Turn) {
	if q.b.MaxWaiting == 0 || len(q.waiting) <= max(q.b.MaxWaiting, 0) {
		return
	}
	out := t
	class := func(other *Turn) string { return other.need.Class.Name }
	// The count of t's tenant already includes t. The tenant with one more waiting turn loses a
	// turn, because it had two more before t arrived.
	if owner, found := tenants.Largest(q.tenants, func(one *tenant) int { return one.waiting }, t.own.waiting+1); found {
		out = lastOf(q.waiting, func(other *Turn) string { return other.need.Tenant }, owner)
	} else if t.need.Class != nil {
		own := slices.DeleteFunc(slices.Clone(q.waiting), func(other *Turn) bool { return other.own != t.own })
		classes := tenants.Count(slices.Values(own), class)
		if owner, found := classes.Largest(classes[class(t)] + 1); found {
			out = lastOf(own, class, owner)
		}
	}
	q.end(out, displaced)
	close(out.ready)
}

// lastOf returns the last turn of an owner, which must have one.
func lastOf(turns []*Turn, owner func(*Turn) string, name string) *Turn {
	for _, t := range slices.Backward(turns) {
		if owner(t) == name {
			return t
		}
	}
	return nil
}
