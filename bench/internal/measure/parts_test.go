package measure

import (
	"errors"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/parts"
)

func TestDivide(t *testing.T) {
	c := costed{
		CallCost: &CallCost{Calls: 10},
		times:    parts.Times{parts.Guest: 30, parts.Policy: 10},
		used:     usage{usedWall: 500, usedCPU: 800, usedAllocs: 20, usedPageFaults: 5},
	}
	c.divide()
	if c.Wall != 50 || c.CPU != 80 || c.Parts[parts.Guest] != 60 || c.Parts[parts.Policy] != 20 || c.Allocs != 2 || c.PageFaults != 0.5 {
		t.Errorf("got %+v", *c.CallCost)
	}
}

// The parts of work that is known add up to its processor time.
func TestTurn(t *testing.T) {
	c := costed{CallCost: new(CallCost), times: make(parts.Times), call: func() error {
		for start := time.Now(); time.Since(start) < time.Millisecond; {
		}
		return nil
	}}
	if err := c.turn(200 * time.Millisecond); err != nil {
		t.Fatal(err)
	}
	c.divide()
	if c.Calls == 0 || c.Wall < time.Millisecond || c.CPU == 0 || c.Parts[parts.Other] < c.CPU/2 {
		t.Errorf("got %+v", *c.CallCost)
	}
	failure := errors.New("no")
	c.call = func() error { return failure }
	if err := c.turn(time.Millisecond); !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
}
