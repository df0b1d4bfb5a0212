package engine

import (
	"context"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/runtime"
)

// Parameters of a round of concurrent hostile calls.
const (
	hostileCalls    = 50
	hostileDeadline = 500 * time.Millisecond
	// hostileSlack is the time after its deadline within which a call must end (security.md,
	// promise 2).
	hostileSlack = 250 * time.Millisecond
)

// A single hostile guest ends for the right reason: a guest that exceeds a limit is stopped before
// its deadline.
func TestHostile_alone(t *testing.T) {
	r := newRuntime(t, runtime.Options{})
	for _, h := range hostiles() {
		t.Run(h.name, func(t *testing.T) {
			m := load(t, r, h.wasm)
			timeout := time.Minute
			if h.want == string(runtime.Timeout) {
				timeout = 100 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(context.Background(), timeout)
			defer cancel()
			if err := h.call(ctx, t, m); outcome(err) != h.want {
				t.Errorf("got %q (%v), want %q", outcome(err), err, h.want)
			}
		})
	}
}

// Many concurrent hostile guests end at their deadline and for the right reason. Meanwhile a
// well-behaved tool and the garbage collector make progress. Afterwards the process uses as many
// resources as before.
func TestHostile(t *testing.T) {
	s := besiege(t, testlevel.Size(1, 3))
	t.Logf("the latest of the calls ended %v after its deadline; calls of the good guest: %v", s.latest.Round(time.Millisecond), s.goodCalls)
}

// Measured in real time, every call ends within hostileSlack of its deadline. After the calls have
// ended, other work of the process is delayed by at most hostileSlack.
func TestTimingOfHostile(t *testing.T) {
	testlevel.Timing(t, "it measures how long after their deadline fifty hostile calls end")
	s := besiege(t, 3)
	if s.latest > hostileSlack || s.waited > hostileSlack {
		t.Errorf("a call ended %v after its deadline, and concurrent work continued %v later; want at most %v", s.latest, s.waited, hostileSlack)
	}
	if slices.Contains(s.goodCalls, 0) {
		t.Errorf("calls of the well-behaved guest in each round: %v", s.goodCalls)
	}
}

// besiege makes a first round of hostile calls and then more rounds, and compares the resources of
// the process after each round.
func besiege(t *testing.T, rounds int) *siege {
	t.Helper()
	before := measure(t)
	r := runtime.New(runtime.Options{CacheDir: cacheDir, MaxAbandoned: 1})
	s := &siege{t: t, runtime: r, guests: hostiles()}
	for _, h := range s.guests {
		s.modules = append(s.modules, load(t, r, h.wasm))
	}
	s.good = load(t, r, readFile(t, "../../guest-examples/wordcount/reactor/wordcount_reactor.wasm"))
	s.round() // creates everything that is only created once
	bound := usage{goroutines: 2, descriptors: 16, mappings: 200, resident: 64 << 20}
	if raced {
		bound.resident = 512 << 20
	}
	first := measure(t)
	for range rounds {
		s.round()
	}
	if after := settle(t, first, bound); !after.within(first, bound) {
		t.Errorf("after the first round: %v; after more: %v", first, after)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	bound.goroutines, bound.descriptors = 0, 0
	if after := settle(t, before, bound); !after.within(before, bound) {
		t.Errorf("before: %v; when the runtime is closed: %v", before, after)
	}
	return s
}

// siege makes rounds of hostile calls.
type siege struct {
	t       *testing.T
	runtime *runtime.Runtime
	guests  []hostile
	modules []*runtime.Module
	good    *runtime.Module

	goodCalls []int // the number of calls of the well-behaved guest in each round
	// waited is the longest time after the hostile calls of a round until concurrent work
	// continued.
	waited time.Duration

	mu     sync.Mutex
	latest time.Duration
}

// round makes the hostile calls concurrently, together with other work.
func (s *siege) round() {
	s.t.Helper()
	over := make(chan struct{})
	var hostile, beside sync.WaitGroup
	for n := range hostileCalls {
		hostile.Go(func() { s.call(n % len(s.guests)) })
	}
	calls := until(over, &beside, s.callGood)
	until(over, &beside, goruntime.GC)
	hostile.Wait()
	close(over)
	ended := time.Now()
	beside.Wait()
	// A garbage collection waits for all running code. A guest that does not stop would block it,
	// and then the whole process.
	s.waited = max(s.waited, time.Since(ended))
	s.goodCalls = append(s.goodCalls, *calls)
}

// call calls the guest with a memory limit of twice its initial memory.
func (h hostile) call(ctx context.Context, t *testing.T, m *runtime.Module) error {
	b := bind(t, h.grant)
	defer b.Close()
	_, err := m.Call(ctx, runtime.Call{Bindings: b, Limits: runtime.Limits{Memory: 2 * hostilePages * wasmPage}, Tenant: "hostile"})
	return err
}

// until calls f repeatedly, stops when over is closed, and counts the calls that ended before that.
// The count is final when the group is done.
func until(over <-chan struct{}, group *sync.WaitGroup, f func()) *int {
	n := new(int)
	group.Go(func() {
		for {
			f()
			select {
			case <-over:
				return
			default:
				*n++
			}
		}
	})
	return n
}

func (s *siege) call(n int) {
	h := s.guests[n]
	ctx, cancel := context.WithTimeout(context.Background(), hostileDeadline)
	defer cancel()
	err := h.call(ctx, s.t, s.modules[n])
	deadline, _ := ctx.Deadline()
	overshoot := time.Since(deadline)
	s.mu.Lock()
	s.latest = max(s.latest, overshoot)
	s.mu.Unlock()
	// With fifty concurrent calls, the deadline can come before the limit.
	if got := outcome(err); got != h.want && got != string(runtime.Timeout) {
		s.t.Errorf("%s: got %q (%v), want %q", h.name, got, err, h.want)
	}
}

// callGood calls a well-behaved tool with enough time.
func (s *siege) callGood() {
	b := bind(s.t, capability.Grant{})
	defer b.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := s.good.Call(ctx, runtime.Call{Entry: runtime.Entry{ABI: runtime.Reactor}, Input: []byte(`{"text":"two words"}`), Bindings: b, Tenant: "good"})
	if want := `{"lines":1,"words":2,"bytes":9}`; err != nil || string(out.Output) != want {
		s.t.Errorf("the well-behaved guest: %v, %q", err, out.Output)
	}
}

// A module with a thousand unknown imports is refused with a short error.
func TestThousandUnknownImports(t *testing.T) {
	m := wasmtest.Module{Types: []wasmtest.FuncType{{}}}
	for i := range 1000 {
		m.Imports = append(m.Imports, wasmtest.Import{Module: "env", Name: fmt.Sprintf("f%d", i)})
	}
	_, err := newRuntime(t, runtime.Options{}).Load(context.Background(), m.Bytes())
	if got := outcome(err); got != string(runtime.InvalidModule) {
		t.Fatalf("got %q (%v)", got, err)
	}
	if text := err.Error(); !strings.Contains(text, "env.f0") || len(text) > 2000 {
		t.Errorf("got %d bytes: %.300q", len(text), text)
	}
}
