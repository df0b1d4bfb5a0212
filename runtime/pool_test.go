package runtime

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/runtime/internal/memfdtest"
	"github.com/wasmtool/wasmtool/runtime/internal/pool"
)

// meeting is a clock whose first reading waits until all calls are there. So they have
// an instance each.
type meeting struct {
	hostfuncs.Clock
	once *sync.Once
	all  *sync.WaitGroup
}

func (c meeting) Now() time.Time {
	c.once.Do(func() {
		c.all.Done()
		c.all.Wait()
	})
	return c.Clock.Now()
}

// meets is a guest for calls that run at the same time.
func meets() []byte {
	return parts{start: wasmtest.Code(reads(), now(atMoment), writes(1, atInput, loads(atCount)))}.bytes()
}

// together makes n equal calls that all run at the same time, and returns what they
// gave.
func together(t testing.TB, m *Module, n int, call Call) []Output {
	t.Helper()
	var all, ended sync.WaitGroup
	all.Add(n)
	outs := make([]Output, n)
	for k := range n {
		call := call
		call.Bindings = bind(t, capability.Grant{})
		call.Bindings.Clock = meeting{call.Bindings.Clock, new(sync.Once), &all}
		ended.Go(func() {
			var err error
			if outs[k], err = m.Call(context.Background(), call); err != nil {
				t.Error(err)
			}
		})
	}
	ended.Wait()
	return outs
}

// keep makes calls until n instances wait that share an image. Those that are saved at
// the same time would have one each.
func keep(t testing.TB, m *Module, n int) {
	t.Helper()
	for _, n := range []int{1, 1, n} {
		together(t, m, n, Call{})
	}
}

// reused counts the calls that had an instance of an earlier one.
func reused(outs []Output) (n int) {
	for _, out := range outs {
		if out.Reused {
			n++
		}
	}
	return n
}

// untended returns a Runtime that leaves instances that wait as they are, however long a
// test takes.
func untended(t testing.TB, o Options) *Runtime {
	t.Helper()
	r := newRuntime(t, o)
	r.pools.Pause()
	return r
}

// waiting returns the instances of a module that wait.
func waiting(m *Module) (all []pool.WaitingInstance) {
	for _, k := range m.c.pool.Kinds() {
		all = append(all, k.Waiting...)
	}
	return all
}

// requireBalanced fails the test unless what waits was counted right, and returns how
// many bytes wait in all.
func requireBalanced(t testing.TB, r *Runtime, modules ...*Module) int64 {
	t.Helper()
	var total, memory int64
	for _, m := range modules {
		var own int64
		for _, k := range m.c.pool.Kinds() {
			own += k.Image
			for _, i := range k.Waiting {
				own += i.Bytes
				memory += int64(i.Size)
			}
		}
		if got := m.c.pool.Usage().Waiting; got != own {
			t.Errorf("a module counts %d bytes that wait, its instances and images %d", got, own)
		}
		if own > r.opts.MaxIdleBytes/2 {
			t.Errorf("%d bytes of one module wait, half of the bound is %d", own, r.opts.MaxIdleBytes/2)
		}
		total += own
	}
	if got := r.pools.Usage().Waiting; got != total || got > r.opts.MaxIdleBytes {
		t.Errorf("%d bytes are counted, of %d that wait; the bound is %d", got, total, r.opts.MaxIdleBytes)
	}
	if got := r.pools.Usage().Memory; got != memory {
		t.Errorf("%d bytes of memory are counted, of %d", got, memory)
	}
	return total
}

// eachBytes is what an instance of meets counts while it waits: its page was copied
// whole, so it has it for its own. imageBytes is what the image of each kind counts.
const (
	eachBytes  = idleBytes + 64<<10
	imageBytes = 64 << 10
)

func TestInstancesThatWait(t *testing.T) {
	requireReuse(t)
	r := untended(t, Options{})
	m := load(t, r, meets())
	const n = 5
	keep(t, m, 1)
	for round, want := range []int{1, n, n} {
		outs := together(t, m, n, Call{Input: []byte("x")})
		if got := reused(outs); got != want {
			t.Errorf("round %d: %d of %d calls had an instance of an earlier one, want %d", round, got, n, want)
		}
		if got := len(waiting(m)); got != n {
			t.Errorf("round %d: %d instances wait", round, got)
		}
	}
	if got := requireBalanced(t, r, m); got != n*eachBytes+imageBytes {
		t.Errorf("%d bytes wait, want %d", got, n*eachBytes+imageBytes)
	}
}

// Instances of equal calls share one image.
func TestInstancesShareTheirImage(t *testing.T) {
	requireReuse(t)
	m := load(t, untended(t, Options{}), meets())
	before := memfdtest.Open(t)
	keep(t, m, 6)
	if got := len(waiting(m)); got != 6 {
		t.Fatalf("%d instances wait", got)
	}
	if got := memfdtest.Open(t) - before; got != 1 {
		t.Errorf("%d images for instances that are equal", got)
	}
}

func TestBoundOnWhatWaits(t *testing.T) {
	requireReuse(t)
	tests := []struct {
		name string
		most int64 // Options.MaxIdleBytes
		want int   // of 6 calls of a module, how many wait
	}{
		{"none", -1, 0},
		{"no image", 1, 0},
		{"less than one", eachBytes, 0},
		{"less than one in each half", 2*(eachBytes+imageBytes) - 1, 0},
		{"one in each half", 2 * (eachBytes + imageBytes), 1},
		{"three in each half", 2*(3*eachBytes+imageBytes) + eachBytes, 3},
		{"all", 20 * eachBytes, 6},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := untended(t, Options{MaxIdleBytes: tt.most})
			m := load(t, r, meets())
			for range 3 {
				keep(t, m, 6)
				// One that does not fit is there for a moment before it goes.
				waitFor(t, "no more than fit wait", func() bool { return len(waiting(m)) <= tt.want })
			}
			if got := len(waiting(m)); got != tt.want {
				t.Errorf("%d instances wait in the end, want %d", got, tt.want)
			}
			if tt.most > 0 {
				requireBalanced(t, r, m)
			} else if r.pools.Usage().Memory != 0 {
				t.Errorf("%d bytes of memory are in use", r.pools.Usage().Memory)
			}
			if got := reused(together(t, m, 6, Call{})); got != tt.want {
				t.Errorf("%d calls had an instance of an earlier one, want %d", got, tt.want)
			}
		})
	}
}

// The instance that goes for another module's is the one that has waited for longest,
// in the module that has most.
func TestModulesMakeRoomForEachOther(t *testing.T) {
	requireReuse(t)
	r := untended(t, Options{MaxIdleBytes: 9*eachBytes + 6*imageBytes})
	large, small, late := load(t, r, meets()), load(t, r, echo().bytes()), load(t, r, obeying().bytes())
	keep(t, large, 5)
	oldest := waiting(large)[0]
	for _, i := range waiting(large) {
		if i.Since.Before(oldest.Since) {
			oldest = i
		}
	}
	for _, name := range []string{"a", "b", "c"} { // three kinds, one instance each
		for range 2 {
			askOK(t, small, wants{call: Call{Name: name}})
		}
	}
	if total := requireBalanced(t, r, large, small, late); total != 8*eachBytes+4*imageBytes {
		t.Fatalf("%d bytes wait", total)
	}
	for _, name := range []string{"a", "b"} {
		for range 2 {
			askOK(t, late, wants{call: Call{Name: name}})
		}
		requireBalanced(t, r, large, small, late)
	}
	if got := [3]int{len(waiting(large)), len(waiting(small)), len(waiting(late))}; got != [3]int{4, 3, 2} {
		t.Errorf("%d instances of the modules wait, want 4, 3 and 2", got)
	}
	for _, i := range waiting(large) {
		if i.Memory == oldest.Memory {
			t.Error("the instance that has waited for longest still does")
		}
	}
}

// Calls of one tenant, each of another kind, leave the kinds of others alone.
func TestTenantsKindsGoBeforeThoseOfOthers(t *testing.T) {
	requireReuse(t)
	r := untended(t, Options{})
	m := load(t, r, echo().bytes())
	good := wants{call: Call{Tenant: "good", Name: "good"}}
	for range 2 {
		askOK(t, m, good)
	}
	for n := range 3 * maxSets {
		askOK(t, m, wants{call: Call{Tenant: "other", Name: fmt.Sprint("kind ", n)}})
	}
	if !askOK(t, m, good).Reused {
		t.Error("the kind of a tenant went for those of another")
	}
	if got := len(m.c.pool.Kinds()); got != maxSets {
		t.Errorf("%d kinds are kept", got)
	}
	requireBalanced(t, r, m)
}

// One kind of calls more than are kept takes the place of that which was not called for
// longest.
func TestKindsAreBounded(t *testing.T) {
	requireReuse(t)
	r := untended(t, Options{})
	m := load(t, r, echo().bytes())
	call := func(n int) bool {
		t.Helper()
		return askOK(t, m, wants{call: Call{Name: fmt.Sprint("kind ", n)}}).Reused
	}
	for n := range maxSets {
		call(n)
		call(n)
	}
	if !call(0) { // now the second one is the oldest
		t.Error("the first kind has no instance")
	}
	if got := len(waiting(m)); got != maxSets {
		t.Fatalf("%d instances wait", got)
	}
	images := memfdtest.Open(t)
	call(maxSets)
	if got := len(m.c.pool.Kinds()); got != maxSets {
		t.Errorf("%d kinds are kept", got)
	}
	if got := len(waiting(m)); got != maxSets-1 {
		t.Errorf("%d instances wait after a kind went", got)
	}
	if got := memfdtest.Open(t); got != images-1 {
		t.Errorf("%d images before a kind went, %d after", images, got)
	}
	requireBalanced(t, r, m)
	if !call(0) || !call(2) || call(1) {
		t.Error("another kind went than the one that was not called for longest")
	}
	// Far more kinds than are kept leave nothing behind.
	for n := range 5 * maxSets {
		call(1000 + n)
		call(1000 + n)
	}
	if got := len(waiting(m)); got > maxSets {
		t.Errorf("%d instances wait", got)
	}
	requireBalanced(t, r, m)
}

// Callers at once, with what calls can do to each other, see what they would see alone.
func TestPoolUnderLoad(t *testing.T) {
	requireReuse(t)
	const most = 6 * (eachBytes + imageBytes)
	r := untended(t, Options{MaxIdleBytes: most})
	modules := []*Module{load(t, r, obeying().bytes()), load(t, r, echo().bytes())}
	w := func(which, n int) wants {
		inputs := []string{"?", "w", "g", "x", "u", "?", "G", "d"}
		return wants{call: Call{Name: fmt.Sprint(n % 3), Input: []byte(inputs[(n+which)%len(inputs)])}}
	}
	expected := make(map[string]Output)
	key := func(which int, w wants) string { return fmt.Sprint(which, w.call.Name, string(w.call.Input)) }
	fresh := newRuntime(t, Options{MaxIdleBytes: -1})
	for which, wasm := range [][]byte{obeying().bytes(), echo().bytes()} {
		m := load(t, fresh, wasm)
		for n := range 24 {
			out, _ := ask(t, m, w(which, n))
			expected[key(which, w(which, n))] = out
		}
	}
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Go(func() {
			for n := range 150 {
				which := (n + k) % 2
				call := w(which, n*7+k)
				out, _ := ask(t, modules[which], call)
				requireEqual(t, out, expected[key(which, call)], key(which, call))
			}
		})
	}
	wg.Wait()
	if requireBalanced(t, r, modules...) == 0 {
		t.Error("nothing waits")
	}
}

// An image that has no room is not made again and again.
func TestImageThatHasNoRoomIsRefused(t *testing.T) {
	requireReuse(t)
	m := load(t, newRuntime(t, Options{CacheDir: sharedCache(t), MaxIdleBytes: 1 << 20}), probeModule(t))
	for range 3 {
		out, err := m.Call(context.Background(), Call{Args: []string{"cat"}, Input: []byte("x"), Bindings: bind(t, capability.Grant{})})
		if err != nil || out.Reused {
			t.Fatalf("reused %t, %v", out.Reused, err)
		}
	}
	for _, k := range m.c.pool.Kinds() {
		if !k.Refused {
			t.Error("instances of this kind are still to be saved")
		}
	}
}
