package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// DefaultBudgetPer is the time of a Budget that names none.
const DefaultBudgetPer = time.Minute

// Budget bounds what the calls of one tenant use together. What was used is forgiven evenly
// in the course of time; a call whose tenant has used up a budget does not run, and fails
// with resource_exhausted. What a call uses counts when it has run, so that those that run
// at the same time may go beyond the budget together, and the next ones wait for longer.
// The zero value bounds nothing.
type Budget struct {
	// Per is the time in which the amounts below are forgiven; 0 and less mean
	// DefaultBudgetPer.
	Per time.Duration
	// Fuel is in the units of limits.fuel, Time that for which tools run, and Requests those
	// over HTTP that may have been sent, and Bytes what bodies they sent and received; 0 and
	// less are no bound.
	Fuel     uint64
	Time     time.Duration
	Requests int
	Bytes    int64
}

// amounts are of fuel, time, requests and bytes.
type amounts [4]float64

// amountNames are the names of the amounts for errors.
var amountNames = [len(amounts{})]string{"fuel", "time", "requests", "bytes of requests"}

// debts are when all is forgiven that a tenant used, by amount.
type debts [len(amounts{})]time.Time

// budgets are what tenants used of their Budget. It is safe for concurrent use.
type budgets struct {
	per   time.Duration
	bound amounts

	mu      sync.Mutex
	debts   map[string]*debts // by tenant
	sweepAt int               // so many of them
}

// minSweep is how many tenants are remembered without looking for those to forget.
const minSweep = 64

// maxDebt keeps what one attempt used within what a time.Duration can say.
const maxDebt = 100 * 365 * 24 * time.Hour

func newBudgets(b Budget) budgets {
	b.Per = cmp.Or(max(b.Per, 0), DefaultBudgetPer)
	return budgets{
		per: b.Per, bound: amounts{float64(b.Fuel), float64(b.Time), float64(b.Requests), float64(b.Bytes)},
		debts: make(map[string]*debts), sweepAt: minSweep,
	}
}

// none reports whether there is nothing to count.
func (b *budgets) none() bool {
	return !slices.ContainsFunc(b.bound[:], func(bound float64) bool { return bound > 0 })
}

// Check returns the error of a call, with resource_exhausted, whose tenant has used up its
// budget, or nil.
func (b *budgets) Check(tenant string) error {
	if b.none() {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	own := b.debts[tenant]
	if own == nil {
		return nil
	}
	for i, until := range own {
		debt := time.Until(until)
		if b.bound[i] <= 0 || debt < b.per {
			continue
		}
		wait := (min(debt-b.per, maxDebt) + time.Second - 1).Truncate(time.Second) + time.Second
		return &tool.Error{
			Code:    tool.CodeResourceExhausted,
			Message: fmt.Sprintf("the budget of %s is used up for now; try again in %v", amountNames[i], wait),
			Details: tool.Details{Limit: "budget of " + amountNames[i], RetryAfter: wait},
		}
	}
	return nil
}

// Spend counts what an attempt of a tenant's call used, and for how long it ran.
func (b *budgets) Spend(tenant string, call tool.CallInfo, ran time.Duration) {
	if b.none() {
		return
	}
	used := amounts{float64(call.Fuel), float64(ran)}
	for _, q := range call.Usage.Requests {
		if q.Sent {
			used[2]++
		}
		used[3] += float64(q.BytesSent) + float64(q.BytesReceived)
	}
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	own := b.debts[tenant]
	if own == nil {
		b.sweep(now)
		own = new(debts)
		b.debts[tenant] = own
	}
	for i, bound := range b.bound {
		if bound <= 0 {
			continue
		}
		if own[i].Before(now) {
			own[i] = now
		}
		own[i] = own[i].Add(time.Duration(min(used[i]/bound*float64(b.per), float64(maxDebt))))
	}
}

// sweep forgets tenants with nothing to forgive, once there are twice as many as after the
// last time.
func (b *budgets) sweep(now time.Time) {
	if len(b.debts) < b.sweepAt {
		return
	}
	// Not maps.DeleteFunc, with which go1.26.8 cannot compile the package for a fuzz target.
	for tenant, own := range b.debts {
		if !slices.ContainsFunc(own[:], now.Before) {
			delete(b.debts, tenant)
		}
	}
	b.sweepAt = max(minSweep, 2*len(b.debts))
}
