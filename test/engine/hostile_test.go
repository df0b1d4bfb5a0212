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

// Fifty hostile calls at once, with a deadline.
const (
	hostileCalls    = 50
	hostileDeadline = 500 * time.Millisecond
	// hostileSlack is how long after its deadline a call may end (security.md, promise 2).
	hostileSlack = 250 * time.Millisecond
)

// A hostile guest alone ends for the right reason: one that breaks a limit does not wait
// for its deadline.
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

// Hostile guests end at their deadline and for the right reason, all at once, while a tool
// that behaves and the collector go on; and then the process holds what it held.
func TestHostile(t *testing.T) {
	s := besiege(t, testlevel.Size(1, 3))
	t.Logf("the latest of the calls ended %v after its deadline; calls of the good guest: %v", s.latest.Round(time.Millisecond), s.beside)
}

// The same by the clock: no call ends later than promised, and nothing waits for longer than
// that once they have ended.
func TestTimingOfHostile(t *testing.T) {
	testlevel.Timing(t, "it measures how long after their deadline fifty hostile calls end")
	s := besiege(t, 3)
	if s.latest > hostileSlack || s.waited > hostileSlack {
		t.Errorf("a call ended %v after its deadline, and what ran beside it %v later; want at most %v", s.latest, s.waited, hostileSlack)
	}
	if slices.Contains(s.beside, 0) {
		t.Errorf("calls of the good guest in each round: %v", s.beside)
	}
}

// besiege makes a first round of hostile calls and then more, and looks at what the process
// holds afterwards.
func besiege(t *testing.T, rounds int) *siege {
	t.Helper()
	before := measure(t)
	r := runtime.New(runtime.Options{CacheDir: cacheDir, MaxAbandoned: 1})
	s := &siege{t: t, runtime: r, guests: hostiles()}
	for _, h := range s.guests {
		s.modules = append(s.modules, load(t, r, h.wasm))
	}
	s.good = load(t, r, readFile(t, "../../guest-examples/wordcount/reactor/wordcount_reactor.wasm"))
	s.round() // what is made once for all is made now
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

// siege runs hostile calls.
type siege struct {
	t       *testing.T
	runtime *runtime.Runtime
	guests  []hostile
	modules []*runtime.Module
	good    *runtime.Module

	beside []int // calls of the good guest in each round
	// waited is how long after the hostile calls of a round what ran beside them went on.
	waited time.Duration

	mu     sync.Mutex
	latest time.Duration
}

// round makes the hostile calls at once, and others beside them.
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
	// A collection waits for all code that runs, so that one guest that does not stop keeps it,
	// and then the whole process.
	s.waited = max(s.waited, time.Since(ended))
	s.beside = append(s.beside, *calls)
}

// call calls the guest, which has as much memory again as it starts with.
func (h hostile) call(ctx context.Context, t *testing.T, m *runtime.Module) error {
	b := bind(t, h.grant)
	defer b.Close()
	_, err := m.Call(ctx, runtime.Call{Bindings: b, Limits: runtime.Limits{Memory: 2 * hostilePages * wasmPage}, Tenant: "hostile"})
	return err
}

// until runs f again and again until over is closed, and counts how often it came to its
// end before. The count is there when the group has ended.
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
	// With fifty at once the deadline can come before the limit.
	if got := outcome(err); got != h.want && got != string(runtime.Timeout) {
		s.t.Errorf("%s: got %q (%v), want %q", h.name, got, err, h.want)
	}
}

// callGood calls a tool that does what it is for, and has time for it.
func (s *siege) callGood() {
	b := bind(s.t, capability.Grant{})
	defer b.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := s.good.Call(ctx, runtime.Call{Entry: runtime.Entry{ABI: runtime.Reactor}, Input: []byte(`{"text":"two words"}`), Bindings: b, Tenant: "good"})
	if want := `{"lines":1,"words":2,"bytes":9}`; err != nil || string(out.Output) != want {
		s.t.Errorf("the good guest: %v, %q", err, out.Output)
	}
}

// A thousand imports that nobody provides are refused in words that are not a thousand
// lines.
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
