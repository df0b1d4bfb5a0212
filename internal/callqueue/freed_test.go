package callqueue

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
)

// No call waits that could run, whatever the limits on running calls, and in whatever order calls
// come, end and give up.
func TestNoCallWaitsForPlaceThatIsFree(t *testing.T) {
	bounds := []Bounds{
		{Calls: 3},
		{TenantCalls: 2},
		{ClassCalls: 2},
		{Calls: 4, ClassCalls: 2},
		{Calls: 4, TenantCalls: 2},
		{ClassCalls: 3, TenantCalls: 2},
		{Calls: 5, ClassCalls: 3, TenantCalls: 2},
		{Calls: 4, ClassCalls: 2, MaxWaiting: 3},
	}
	for n, b := range bounds {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { randomCalls(t, b, rand.New(rand.NewPCG(1, uint64(n)))) })
		})
	}
}

func randomCalls(t *testing.T, b Bounds, r *rand.Rand) {
	q := New(b)
	classes := []*Class{{Name: "a"}, {Name: "b"}}
	var ends []context.CancelFunc // ends a call, or makes it give up
	for step := range 400 {
		if at := r.IntN(10); at < len(ends) {
			ends[at]()
			ends = append(ends[:at], ends[at+1:]...)
		} else {
			ctx, end := context.WithCancel(t.Context())
			ends = append(ends, end)
			need := Need{Tenant: fmt.Sprint(r.IntN(3)), Class: classes[r.IntN(2)]}
			go func() {
				if turn, _, err := q.Enter(ctx, need); err == nil {
					<-ctx.Done()
					turn.Leave()
				}
			}()
		}
		synctest.Wait()
		if wrong := q.wrong(); wrong != "" {
			t.Errorf("step %d: %s", step, wrong)
			break
		}
	}
	for _, end := range ends {
		end()
	}
	synctest.Wait()
	if q.left() != 0 {
		t.Errorf("%d calls are left", q.left())
	}
}

// wrong returns what is wrong with the waiting calls, or "".
func (q *Queue) wrong() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, waiting := range q.waiting {
		if q.mayRun(waiting, q.waiting[:i]) {
			return fmt.Sprintf("a call of tenant %s and class %s waits, but could run", waiting.need.Tenant, waiting.need.Class.Name)
		}
		ahead := 0
		for _, other := range q.waiting[:i] {
			if other.own == waiting.own {
				ahead++
			}
		}
		if got := waiting.before(); got != ahead {
			return fmt.Sprintf("a call waits behind %d calls of its tenant, not %d", ahead, got)
		}
	}
	return ""
}
