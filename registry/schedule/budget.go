package schedule

import (
	"fmt"
	"math"
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

// budgets are what tenants used of their Budget. It is safe for concurrent use.
type budgets struct {
	per   time.Duration
	bound amounts

	mu      sync.Mutex
	used    map[string]*used // by tenant
	sweepAt int              // so many of them
}

// used is what a tenant has used that was not forgiven at a time.
type used struct {
	amounts
	at time.Time
}

// minSweep is how many tenants are remembered without looking for those to forget.
const minSweep = 64

func newBudgets(b Budget) budgets {
	if b.Per <= 0 {
		b.Per = DefaultBudgetPer
	}
	return budgets{
		per: b.Per, bound: amounts{float64(b.Fuel), float64(b.Time), float64(b.Requests), float64(b.Bytes)},
		used: make(map[string]*used), sweepAt: minSweep,
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
	own := b.used[tenant]
	if own == nil {
		return nil
	}
	b.forgive(own)
	for i, bound := range b.bound {
		if bound <= 0 || own.amounts[i] < bound {
			continue
		}
		wait := time.Duration(math.Ceil((own.amounts[i]/bound-1)*b.per.Seconds()))*time.Second + time.Second
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
	amounts := amounts{float64(call.Fuel), float64(ran)}
	for _, q := range call.Usage.Requests {
		if q.Sent {
			amounts[2]++
		}
		amounts[3] += float64(q.BytesSent) + float64(q.BytesReceived)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	own := b.used[tenant]
	if own == nil {
		b.sweep()
		own = &used{at: time.Now()}
		b.used[tenant] = own
	}
	b.forgive(own)
	for i, amount := range amounts {
		own.amounts[i] += amount
	}
}

// forgive takes off what the time since the last look forgives.
func (b *budgets) forgive(own *used) {
	now := time.Now()
	part := float64(now.Sub(own.at)) / float64(b.per)
	own.at = now
	for i, bound := range b.bound {
		own.amounts[i] = max(0, own.amounts[i]-bound*part)
		if bound <= 0 {
			own.amounts[i] = 0 // nobody asks
		}
	}
}

// sweep forgets tenants with nothing to forgive, once there are twice as many as after the
// last time.
func (b *budgets) sweep() {
	if len(b.used) < b.sweepAt {
		return
	}
	for tenant, own := range b.used {
		if b.forgive(own); own.amounts == (amounts{}) {
			delete(b.used, tenant)
		}
	}
	b.sweepAt = max(minSweep, 2*len(b.used))
}
