package schedule

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// Tenants with a full budget are deleted, and other tenants are kept.
func TestTenantsWithFullBudgetAreDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Options{Budget: Budget{Fuel: 100}})
		for i := range 100 * minSweep {
			b.Spend(fmt.Sprint(i), tool.CallInfo{Fuel: 10}, 0)
			if i%minSweep == 0 {
				b.Spend("greedy", tool.CallInfo{Fuel: 1000}, 0)
			}
			time.Sleep(time.Second)
		}
		if n := len(b.debts); n > 4*minSweep {
			t.Errorf("%d tenants are kept", n)
		}
		if b.Check("greedy") == nil {
			t.Error("the greedy tenant was deleted")
		}
	})
}

// A tenant whose use is far above its budget is blocked for a long time: the debt does not
// overflow.
func TestLargeDebtDoesNotOverflow(t *testing.T) {
	s := New(Options{Budget: Budget{Fuel: 1, Per: time.Millisecond}})
	for range 5 {
		s.Spend("t", tool.CallInfo{Fuel: math.MaxUint64}, 0)
	}
	var e *tool.Error
	if err := s.Check("t"); !errors.As(err, &e) || e.Details.RetryAfter < maxDebt {
		t.Errorf("got %v", err)
	}
}
