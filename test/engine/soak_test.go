package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/runtime"
)

// soakTime is the environment variable that sets the duration of TestSoak; see the package comment.
const soakTime = "WASMTOOL_SOAK"

const (
	// soakShort is the duration without the variable.
	soakShort = 5 * time.Second
	// soakStretch is the time between two measurements of the process.
	soakStretch = 10 * time.Second
	// soakWorkers is the number of concurrent callers.
	soakWorkers = 8
	// soakReplace is the time between two replacements of a module.
	soakReplace = 250 * time.Millisecond
)

// Mixed load, with modules that are closed and loaded again while calls run, does not leak. At the
// end, the process uses as many resources as after the warm-up. Once the runtime is closed, the
// process uses as many as before the test.
func TestSoak(t *testing.T) {
	testlevel.Long(t, "it loads the runtime for seconds, or as long as WASMTOOL_SOAK says")
	long := soakShort
	if text := os.Getenv(soakTime); text != "" {
		var err error
		if long, err = time.ParseDuration(text); err != nil {
			t.Fatalf("%s: %v", soakTime, err)
		}
	}
	startPoller(t)
	before := measure(t)
	s := newSoak(t)
	stretch := min(soakStretch, long/5)
	s.run(stretch, 0)
	warm := measure(t)
	t.Logf("warm-up: %v; %s", warm, s.tell())

	// Waiting instances take mappings, and replaced modules take memory until they are collected.
	// Their number depends on the moment of the measurement.
	bound := usage{goroutines: 4, descriptors: 100, mappings: 500, resident: 128 << 20}
	if raced {
		bound.resident = 1 << 30
	}
	var now usage
	for n, start := 1, time.Now(); time.Since(start) < long-stretch && !t.Failed(); n++ {
		s.run(min(stretch, long-stretch-time.Since(start)), n)
		now = settle(t, warm, bound)
		t.Logf("%v: %v; %s", time.Since(start).Round(time.Second), now, s.tell())
	}
	if !now.within(warm, bound) {
		t.Errorf("after the warm-up: %v; at the end: %v", warm, now)
	}
	s.close()
	bound.goroutines, bound.descriptors, bound.mappings = 0, 0, 200
	if after := settle(t, before, bound); !after.within(before, bound) {
		t.Errorf("before: %v; when the runtime is closed: %v; open are %q", before, after, openFiles())
	}
}

// startPoller makes the Go runtime open the descriptors that it keeps open once a program has used
// a pipe.
func startPoller(t *testing.T) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
}

// soak is a runtime under mixed load.
type soak struct {
	t        *testing.T
	runtime  *runtime.Runtime
	loads    []*soakLoad
	canaries int // the number of canaries, which come first in loads

	mu       sync.Mutex
	outcomes map[string]int
}

// soakLoad is a guest under load, with its current module.
type soakLoad struct {
	name string
	// wasm is the loaded module. The function next turns wasm into another module; it is nil if the
	// module takes too long to compile repeatedly.
	wasm []byte
	next func(wasm []byte, version uint32) []byte
	// canary is the guest, or nil if the guest is not a canary. Calls of other guests have no
	// input.
	canary  *guest
	tenants []tenant
	// outcomes lists the possible outcomes of a call, for a guest that is not a canary.
	outcomes []string

	mu     sync.RWMutex
	module *runtime.Module
	entry  runtime.Entry
}

func newSoak(t *testing.T) *soak {
	t.Helper()
	s := &soak{t: t, runtime: runtime.New(runtime.Options{CacheDir: cacheDir, CacheMaxBytes: 256 << 20, MaxIdleBytes: 64 << 20}), outcomes: make(map[string]int)}
	for _, g := range guests() {
		l := &soakLoad{name: g.name(), wasm: g.wasm(t), canary: &g, tenants: newTenants(t, g)}
		if g.language != "go" {
			l.next = otherVersion
		}
		s.loads = append(s.loads, l)
	}
	s.canaries = len(s.loads)
	for _, h := range hostiles() {
		s.loads = append(s.loads, &soakLoad{
			name: h.name, wasm: h.wasm, next: otherVersion,
			tenants: []tenant{{grant: h.grant}}, outcomes: []string{h.want, string(runtime.Timeout)},
		})
	}
	for _, l := range s.loads {
		if err := l.load(s.runtime); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// otherVersion returns the module with a custom section that makes it a different module.
func otherVersion(wasm []byte, version uint32) []byte {
	section := wasmtest.Module{Custom: map[string][]byte{"version": binary.LittleEndian.AppendUint32(nil, version)}}.Bytes()
	const header = 8
	return slices.Concat(wasm, section[header:])
}

// load replaces the current module, on which calls may run.
func (l *soakLoad) load(r *runtime.Runtime) error {
	m, err := r.Load(context.Background(), l.wasm)
	if err != nil {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	entry, err := m.Entry("", "")
	if err != nil {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	l.mu.Lock()
	old := l.module
	l.module, l.entry = m, entry
	l.mu.Unlock()
	if old != nil {
		return old.Close()
	}
	return nil
}

// run makes calls for the given time.
func (s *soak) run(stretch time.Duration, part int) {
	ctx, cancel := context.WithTimeout(context.Background(), stretch)
	defer cancel()
	var wg sync.WaitGroup
	for worker := range soakWorkers {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(part), uint64(worker)))
			for ctx.Err() == nil && !s.t.Failed() {
				s.call(s.pick(random), random)
			}
		})
	}
	wg.Go(func() { s.replace(ctx, part) })
	wg.Wait()
}

// pick returns a canary in most cases, because otherwise hostile guests would soon occupy all
// workers.
func (s *soak) pick(random *rand.Rand) *soakLoad {
	if random.IntN(10) > 0 {
		return s.loads[random.IntN(s.canaries)]
	}
	return s.loads[random.IntN(len(s.loads))]
}

// replace replaces the modules one at a time until ctx is done.
func (s *soak) replace(ctx context.Context, part int) {
	next := time.NewTicker(soakReplace)
	defer next.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		l := s.loads[n%len(s.loads)]
		original := l.wasm
		if l.next != nil {
			l.wasm = l.next(original, uint32(part)<<16|uint32(n))
		}
		if err := l.load(s.runtime); err != nil {
			s.t.Error(err)
		}
		l.wasm = original
		s.count("replaced")
	}
}

func (s *soak) call(l *soakLoad, random *rand.Rand) {
	tn := l.tenants[random.IntN(len(l.tenants))]
	input, timeout, outcomes := "", 10*time.Millisecond, l.outcomes
	limits := runtime.Limits{Memory: 2 * hostilePages * wasmPage}
	if l.canary != nil {
		input, timeout, outcomes = soakInput(*l.canary, random)
		limits = tn.limits(*l.canary)
	}
	b := bind(s.t, tn.grant)
	defer b.Close()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	l.mu.RLock()
	m, entry := l.module, l.entry
	l.mu.RUnlock()
	_, err := m.Call(ctx, runtime.Call{
		Entry: entry, Name: tn.callName, Args: tn.args, Input: []byte(input), Bindings: b, Limits: limits, Tenant: tn.name, Warm: tn.warm,
	})
	got := outcome(err)
	s.count(got)
	replaced := got == string(runtime.Cancelled) // the module was replaced before it was called
	if !replaced && !tn.tight && !slices.Contains(outcomes, got) {
		s.t.Errorf("%s: %q as %q: got %q (%v), want one of %q", l.name, input, tn.name, got, err, outcomes)
	}
}

// soakInput returns the input of a call of a canary, its time limit, and its possible outcomes.
func soakInput(g guest, random *rand.Rand) (input string, timeout time.Duration, outcomes []string) {
	if random.IntN(3) == 0 {
		return lookInput(g), time.Minute, []string{""}
	}
	steps, end := g.pick(random)
	return plantInput(token(random.Uint64()), steps, end.name), end.timeout(random), end.outcomes
}

func (s *soak) count(what string) {
	if what == "" {
		what = "good"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outcomes[what]++
}

// tell lists the outcomes of the calls so far.
func (s *soak) tell() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var parts []string
	for what, n := range s.outcomes {
		parts = append(parts, fmt.Sprintf("%d %s", n, what))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

func (s *soak) close() {
	s.t.Helper()
	for _, l := range s.loads {
		if err := l.module.Close(); err != nil {
			s.t.Error(err)
		}
	}
	if err := s.runtime.Close(); err != nil {
		s.t.Error(err)
	}
}
