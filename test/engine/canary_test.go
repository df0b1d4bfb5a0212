package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/runtime"
)

// Environment variables that configure TestCanary; see the package comment.
const (
	canarySeed  = "WASMTOOL_CANARY_SEED"
	canaryTimes = "WASMTOOL_CANARY_TIMES"
)

// canaryWorkers is the number of concurrent calls of a module.
const canaryWorkers = 8

// No call sees what another call left behind. A look is a call that asks a guest for a report.
// Every look has the same result as the first call of a fresh module, down to the last byte of
// memory and the fuel used. This does not depend on what guests planted, or on how they ended.
func TestCanary(t *testing.T) {
	seed := fromEnvironment(t, canarySeed, uint64(time.Now().UnixNano()))
	times := fromEnvironment(t, canaryTimes, 1)
	for _, g := range guests() {
		t.Run(g.name(), func(t *testing.T) {
			if g.slow && g.abi == runtime.Command {
				testlevel.Long(t, slowToCompile) // the Go reactor runs by default
			}
			calls := g.calls * int(times) / testlevel.Size(20, 1)
			f := newField(t, g, seed)
			f.neighbours()
			f.run(calls)
			t.Logf("%d calls, of which %d on an instance that had served before", calls, f.reused.Load())
			if goruntime.GOOS == "linux" && f.reused.Load() == 0 {
				t.Error("no instance served a second call, so the test is not meaningful")
			}
		})
	}
}

// fromEnvironment returns the number in an environment variable, or a default.
func fromEnvironment(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// field is a guest that many tenants call concurrently, with the expected results.
type field struct {
	t       *testing.T
	g       guest
	seed    uint64
	module  *runtime.Module
	entry   runtime.Entry
	tenants []tenant
	own     []*runtime.Module // a fresh module for the first call of each tenant
	fresh   []runtime.Output  // the outputs of these first calls
	planted atomic.Uint64     // number of planted tokens
	reused  atomic.Int64      // the number of calls on reused instances

	mu    sync.Mutex
	drawn map[string]string // maps lines of random output to the calls that returned them
}

func newField(t *testing.T, g guest, seed uint64) *field {
	t.Helper()
	f := &field{t: t, g: g, seed: seed, tenants: newTenants(t, g), drawn: make(map[string]string)}
	f.module = load(t, newRuntime(t, runtime.Options{}), g.wasm(t))
	entry, err := f.module.Entry("", "")
	if err != nil || entry.ABI != g.abi {
		t.Fatalf("got the entry %+v, %v", entry, err)
	}
	f.entry = entry
	for _, tn := range f.tenants {
		m := load(t, newRuntime(t, runtime.Options{}), g.wasm(t))
		out := f.first(m, tn)
		f.own, f.fresh = append(f.own, m), append(f.fresh, out)
		for _, line := range lines(string(out.Output))["draw"] {
			f.drawn[line] = tn.name
		}
	}
	return f
}

// first makes a tenant's first call with lookInput, on a fresh module in a fresh runtime.
func (f *field) first(m *runtime.Module, tn tenant) runtime.Output {
	f.t.Helper()
	out, err := f.call(m, tn, lookInput(f.g), time.Minute)
	if err != nil {
		f.t.Fatalf("%s: the first look: %v\n%s", tn.name, err, out.Stderr)
	}
	if !strings.Contains(string(out.Output), "\n"+lastKind) {
		f.t.Fatalf("%s: the report is incomplete:\n%s", tn.name, out.Output)
	}
	if got := foreign(string(out.Output), tn.own); len(got) > 0 {
		f.t.Fatalf("%s: the first look shows the tokens %q", tn.name, got)
	}
	return out
}

// call makes one call for a tenant.
func (f *field) call(m *runtime.Module, tn tenant, input string, timeout time.Duration) (runtime.Output, error) {
	b := bind(f.t, tn.grant)
	defer b.Close()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return m.Call(ctx, runtime.Call{
		Entry: f.entry, Name: tn.callName, Args: tn.args, Input: []byte(input),
		Bindings: b, Limits: tn.limits(f.g), Tenant: tn.name, Warm: tn.warm,
	})
}

// neighbours makes calls as one tenant and then a look as another, for each pair of tenants. At the
// time of the look, an instance of the first tenant waits to be reused. Except in long tests, only
// pairs that begin with the first three tenants are tested. For a slow guest, only pairs that begin
// with the first tenant are tested.
func (f *field) neighbours() {
	f.t.Helper()
	few := 3
	if f.g.slow {
		few = 1
	}
	for i, first := range f.tenants[:testlevel.Size(few, len(f.tenants))] {
		plants := 3 // an instance is kept only for frequent calls
		for second := range f.tenants {
			for range plants {
				input := plantInput(first.own, []string{"static"}, "return")
				out, err := f.call(f.own[i], first, input, time.Minute)
				if err != nil {
					f.t.Fatalf("%s as %q: %v\n%s", input, first.name, err, out.Stderr)
				}
			}
			f.look(f.own[i], "after "+first.name, second)
			plants = 1
		}
	}
}

// run makes the calls from several goroutines.
func (f *field) run(calls int) {
	var wg sync.WaitGroup
	for worker := range canaryWorkers {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(f.seed, uint64(worker)))
			for n := worker; n < calls && !f.t.Failed(); n += canaryWorkers {
				at := fmt.Sprintf("call %d of worker %d with %s=%d", n, worker, canarySeed, f.seed)
				if random.IntN(5) < 2 {
					f.look(f.module, at, random.IntN(len(f.tenants)))
				} else {
					f.plant(at, f.tenants[random.IntN(len(f.tenants))], random)
				}
			}
		})
	}
	wg.Wait()
}

// look makes a tenant's call with lookInput, and compares its output with the tenant's first one.
func (f *field) look(m *runtime.Module, at string, tenant int) {
	tn, want := f.tenants[tenant], f.fresh[tenant]
	out, err := f.call(m, tn, lookInput(f.g), time.Minute)
	f.note(out)
	if err != nil {
		f.t.Errorf("%s: look as %q: %v\n%s", at, tn.name, err, out.Stderr)
		return
	}
	if got := foreign(string(out.Output), tn.own); len(got) > 0 {
		f.t.Errorf("%s: look as %q: the tokens of others show: %q", at, tn.name, got)
	}
	kinds := differing(string(want.Output), string(out.Output))
	if tn.grant.Random {
		f.checkDraws(at, string(out.Output))
	}
	if !tn.exact() {
		kinds = slices.DeleteFunc(kinds, func(kind string) bool { return slices.Contains(inexact, kind) })
	}
	if len(kinds) > 0 {
		f.t.Errorf("%s: look as %q differs from a fresh one:\n%s", at, tn.name, difference(string(want.Output), string(out.Output), kinds))
	}
	if tn.exact() && (out.Fuel != want.Fuel || out.Memory != want.Memory || string(out.Stderr) != string(want.Stderr)) {
		f.t.Errorf("%s: look as %q used %d fuel and %d bytes, a fresh one %d and %d; stderr %q and %q",
			at, tn.name, out.Fuel, out.Memory, want.Fuel, want.Memory, out.Stderr, want.Stderr)
	}
}

// inexact lists the kinds of report lines that may differ between equal calls of a tenant. They
// differ with the real clock, with real randomness, or with warmed instances.
var inexact = []string{"hash", "draw", "clock", "found", "heap", "pages", "stack", "grow"}

// checkDraws fails the test if a call returned random output that an earlier call returned.
func (f *field) checkDraws(at, report string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, line := range lines(report)["draw"] {
		if before, ok := f.drawn[line]; ok {
			f.t.Errorf("%s: the random output %q is the same as in %s", at, line, before)
		}
		f.drawn[line] = at
	}
}

// plant leaves a new token in several places and ends the call in some way.
func (f *field) plant(at string, tn tenant, random *rand.Rand) {
	left := token(f.seed<<24 | 1<<23 | f.planted.Add(1))
	if random.IntN(10) == 0 { // a kind of call for which no instance waits
		tn.args = []string{left.String()}
		tn.grant.Env = map[string]string{"CANARY": left.String(), left.String(): "1"}
	}
	steps, end := f.g.pick(random)
	input := plantInput(left, steps, end.name)
	out, err := f.call(f.module, tn, input, end.timeout(random))
	f.note(out)
	for _, text := range [][]byte{out.Output, out.Stderr, out.Failure} {
		if got := foreign(string(text), left, tn.own); len(got) > 0 {
			f.t.Errorf("%s: %s: the tokens of others show: %q", at, input, got)
		}
	}
	outcomes := end.outcomes
	if tn.tight { // the memory limit may end the call early
		outcomes = append(slices.Clone(outcomes), "resource_exhausted (memory)", string(runtime.Trap), string(runtime.Failed))
	}
	if got := outcome(err); !slices.Contains(outcomes, got) {
		f.t.Errorf("%s: %s as %q: got %q (%v), want one of %q\n%s", at, input, tn.name, got, err, outcomes, out.Stderr)
	}
}

// note counts calls on reused instances.
func (f *field) note(out runtime.Output) {
	if out.Reused {
		f.reused.Add(1)
	}
}
