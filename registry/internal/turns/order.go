package turns

// place is where a new turn is to stand: behind those of its tenant, and before those that wait
// of tenants with more calls before them. The lock is held.
func (q *Queue) place(t *turn) int {
	before := make([]int, len(q.turns)) // how many each has of its tenant before it
	count := make(map[string]int)
	for i, other := range q.turns {
		before[i] = count[other.need.Tenant]
		count[other.need.Tenant]++
	}
	at := len(q.turns)
	for ; at > 0; at-- {
		other := q.turns[at-1]
		if other.need.Tenant == t.need.Tenant || !other.holds && before[at-1] <= count[t.need.Tenant] {
			break
		}
	}
	return at
}

// makeRoom displaces a turn when too many wait: the last of the tenant with most of them, if
// that has more than the tenant of the new one, and else the new one. The lock is held.
func (q *Queue) makeRoom(t *turn) {
	waiting, last := make(map[string]int), make(map[string]*turn)
	count := 0
	for _, other := range q.turns {
		if !other.holds {
			count++
			waiting[other.need.Tenant]++
			last[other.need.Tenant] = other
		}
	}
	if q.b.MaxWaiting == 0 || count <= max(q.b.MaxWaiting, 0) {
		return
	}
	out := t
	for tenant, n := range waiting {
		most := waiting[out.need.Tenant]
		if n > waiting[t.need.Tenant] && (out == t || n > most || n == most && tenant < out.need.Tenant) {
			out = last[tenant]
		}
	}
	out.displaced = true
	close(out.ready)
	q.remove(out)
}
