package callqueue

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// running counts the resources that the running calls hold.
type running struct {
	mu    sync.Mutex
	has   map[string]int // by resource, such as the memory of a tenant
	files []string
}

// begin adds a call, and reports whether no limit is exceeded.
func (r *running) begin(need Need, b Bounds) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	free := !slices.ContainsFunc(need.Paths, func(path string) bool {
		return slices.ContainsFunc(r.files, func(other string) bool { return Overlap(path, other) })
	})
	r.files = append(r.files, need.Paths...)
	r.count(need, 1)
	return free && r.has["calls"] <= b.Calls && r.has[need.Tenant] <= b.TenantCalls &&
		r.has[need.Class.Name] <= b.ClassCalls && r.has["memory of "+need.Tenant] <= int(b.TenantMemory)
}

func (r *running) end(need Need) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files = slices.DeleteFunc(r.files, func(path string) bool { return slices.Contains(need.Paths, path) })
	r.count(need, -1)
}

func (r *running) count(need Need, by int) {
	r.has["calls"] += by
	r.has[need.Tenant] += by
	r.has[need.Class.Name] += by
	r.has["memory of "+need.Tenant] += by * int(need.Memory)
}

// All limits apply at once, and some calls give up or are displaced. No limit is exceeded, no file
// is changed by two calls at once, and the queue is empty at the end.
func TestAllBoundsUnderLoad(t *testing.T) {
	b := Bounds{Calls: 6, TenantCalls: 4, ClassCalls: 3, TenantMemory: 10, MaxWaiting: 12, Timeout: time.Second}
	q := New(b)
	classes := []*Class{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	all := &running{has: make(map[string]int)}
	call := func(r *rand.Rand) (ran bool) {
		need := Need{Tenant: fmt.Sprint("tenant ", r.IntN(4)), Class: classes[r.IntN(len(classes))], Memory: r.Uint64N(6)}
		if files := []string{"/ws", "/ws/a", "/ws/b", "/ws/a/x"}; r.IntN(2) == 0 {
			need.Paths = []string{at(files[r.IntN(len(files))])}
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if r.IntN(8) == 0 {
			go cancel()
		}
		turn, _, err := q.Enter(ctx, need)
		if err != nil {
			var gaveUp *GaveUp
			if !errors.Is(err, ErrFull) && !errors.As(err, &gaveUp) {
				t.Errorf("got %v", err)
			}
			return false
		}
		defer turn.Leave()
		if !all.begin(need, b) {
			t.Errorf("a limit is exceeded with %+v", need)
		}
		for range r.IntN(5) {
			goruntime.Gosched()
		}
		all.end(need)
		return true
	}
	var wg sync.WaitGroup
	for n := range 24 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(5, uint64(n)))
			for ran := 0; ran < 50; goruntime.Gosched() {
				if call(r) {
					ran++
				}
			}
		})
	}
	wg.Wait()
	if q.left() != 0 {
		t.Errorf("%d calls run, %d wait, %d have files, of %d tenants", q.Running(), len(q.waiting), len(q.holding), len(q.tenants))
	}
	for _, c := range classes {
		if c.running != 0 {
			t.Errorf("class %s has %d", c.Name, c.running)
		}
	}
}
