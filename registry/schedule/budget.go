package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// DefaultBudgetPer is the default of Budget.Per.
const DefaultBudgetPer = time.Minute

// Budget limits what the calls of one tenant use over time. In the time Per, an empty budget
// refills evenly to the full amounts. If a tenant has used up an amount, its calls do not run and
// fail with resource_exhausted. Use is counted after a call has run. Concurrent calls can therefore
// exceed the budget together; the next calls then have to wait longer. The zero value limits
// nothing.
type Budget struct {
	// Per is the time in which the amounts below refill; 0 or less means DefaultBudgetPer.
	Per time.Duration
	// Fuel limits fuel, in the units of limits.fuel. Time limits the running time of tools.
	// Requests limits the HTTP requests that were sent or may have been sent. Bytes limits the
	// bodies that these requests sent and received. 0 or less means no limit.
	Fuel     uint64
	Time     time.Duration
	Requests int
	Bytes    int64
}

// amounts holds fuel, time, requests and bytes, in this order.
type amounts [4]float64

// amountNames are the names of the amounts in errors.
var amountNames = [len(amounts{})]string{"fuel", "time", "requests", "bytes of requests"}

// debts holds, for each amount, the time at which the tenant's budget will be full again.
type debts [len(amounts{})]time.Time

// budgets holds what tenants have used of their Budget. It is safe for concurrent use.
type budgets struct {
	per   time.Duration
	bound amounts

	mu      sync.Mutex
	debts   map[string]*debts // by tenant
	sweepAt int               // the number of tenants at which sweep runs
}

// minSweep is the smallest number of tenants at which sweep runs.
const minSweep = 64

// maxDebt limits the debt that one attempt adds, so that it fits a time.Duration.
const maxDebt = 100 * 365 * 24 * time.Hour

func newBudgets(b Budget) budgets {
	b.Per = cmp.Or(max(b.Per, 0), DefaultBudgetPer)
	return budgets{
		per: b.Per, bound: amounts{float64(b.Fuel), float64(b.Time), float64(b.Requests), float64(b.Bytes)},
		debts: make(map[string]*debts), sweepAt: minSweep,
	}
}

// none reports whether the budget has no limits.
func (b *budgets) none() bool {
	return !slices.ContainsFunc(b.bound[:], func(bound float64) bool { return bound > 0 })
}

// Check returns an error with the code resource_exhausted if the tenant has used up its budget,
// and otherwise nil.
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

// Spend counts the resources that an attempt of a tenant's call has used. The parameter ran is the
// duration of the attempt.
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

// sweep deletes tenants whose budget is full. It runs when the number of tenants has doubled since
// the last sweep. The caller holds the lock.
func (b *budgets) sweep(now time.Time) {
	if len(b.debts) < b.sweepAt {
		return
	}
	// With maps.DeleteFunc, go1.26.8 cannot compile the package for a fuzz target.
	for tenant, own := range b.debts {
		if !slices.ContainsFunc(own[:], now.Before) {
			delete(b.debts, tenant)
		}
	}
	b.sweepAt = max(minSweep, 2*len(b.debts))
}
