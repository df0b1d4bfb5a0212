package enginetest

import (
	"context"
	"fmt"
	"os"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/runtime"
)

// hostileSlack is the variable of the environment that says how late calls may end; see
// the package comment.
const hostileSlack = "WASMTOOL_HOSTILE_SLACK"

// Fifty hostile calls at once, for hostileRounds times, with a deadline.
const (
	hostileCalls    = 50
	hostileRounds   = 3
	hostileDeadline = 500 * time.Millisecond
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

// Hostile guests end by their deadline and for the right reason, all at once, while a
// tool that behaves and the collector go on; and then the process holds what it held.
func TestHostile(t *testing.T) {
	late := 2 * time.Second // for a machine that is shared, and the race detector
	if text := os.Getenv(hostileSlack); text != "" {
		var err error
		if late, err = time.ParseDuration(text); err != nil {
			t.Fatalf("%s: %v", hostileSlack, err)
		}
	}
	before := measure(t)
	r := runtime.New(runtime.Options{CacheDir: cacheDir, MaxAbandoned: 1})
	s := &siege{t: t, late: late, runtime: r, guests: hostiles()}
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
	for range hostileRounds {
		s.round()
	}
	if after := settle(t, first, bound); !after.within(first, bound) {
		t.Errorf("after the first round: %v; after more: %v", first, after)
	}
	t.Logf("the latest of %d calls ended %v after its deadline; calls of the good guest: %v", (1+hostileRounds)*hostileCalls, s.latest.Round(time.Millisecond), s.beside)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	bound.goroutines, bound.descriptors = 0, 0
	if after := settle(t, before, bound); !after.within(before, bound) {
		t.Errorf("before: %v; when the runtime is closed: %v", before, after)
	}
}

// siege runs hostile calls.
type siege struct {
	t       *testing.T
	late    time.Duration
	runtime *runtime.Runtime
	guests  []hostile
	modules []*runtime.Module
	good    *runtime.Module

	beside []int // calls of the good guest in each round

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
	if waited := time.Since(ended); *calls == 0 || waited > s.late {
		s.t.Errorf("beside hostile guests %d calls of a good one came to their end, and the last of them and of the collections %v after the guests", *calls, waited)
	}
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
	if overshoot > s.late {
		s.t.Errorf("%s: ended %v after its deadline", h.name, overshoot)
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
