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

// meeting is a clock whose first reading waits until all calls have read it, so that each call has
// its own instance.
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

// meets is a guest for concurrent calls.
func meets() []byte {
	return parts{start: wasmtest.Code(reads(), now(atMoment), writes(1, atInput, loads(atCount)))}.bytes()
}

// together makes n equal calls that all run concurrently, and returns their outputs.
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

// keep makes calls until n waiting instances share an image. Instances that are saved at the same
// time would each have an image of their own.
func keep(t testing.TB, m *Module, n int) {
	t.Helper()
	for _, n := range []int{1, 1, n} {
		together(t, m, n, Call{})
	}
}

// reused returns the number of calls that reused an instance.
func reused(outs []Output) (n int) {
	for _, out := range outs {
		if out.Reused {
			n++
		}
	}
	return n
}

// untended returns a Runtime that never trims or closes waiting instances by itself, regardless of
// how long a test takes.
func untended(t testing.TB, o Options) *Runtime {
	t.Helper()
	r := newRuntime(t, o)
	r.pools.Pause()
	return r
}

// waiting returns the waiting instances of a module.
func waiting(m *Module) (all []pool.WaitingInstance) {
	for _, k := range m.c.pool.Kinds() {
		all = append(all, k.Waiting...)
	}
	return all
}

// requireBalanced fails the test unless waiting instances and images were counted correctly. It
// returns the number of bytes that they take.
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
			t.Errorf("a module counts %d waiting bytes, its instances and images take %d", got, own)
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

// eachBytes is the number of bytes counted for a waiting instance of meets, including its page,
// which was copied. imageBytes is the number of bytes counted for the image of each kind.
const (
	eachBytes  = idleBytes + 64<<10
	imageBytes = 64 << 10
)

func TestWaitingInstancesAreReused(t *testing.T) {
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

func TestEqualInstancesShareImage(t *testing.T) {
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

func TestWaitingInstancesAreLimited(t *testing.T) {
	requireReuse(t)
	tests := []struct {
		name  string
		limit int64 // Options.MaxIdleBytes
		want  int   // how many of 6 calls of a module leave a waiting instance
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
			r := untended(t, Options{MaxIdleBytes: tt.limit})
			m := load(t, r, meets())
			for range 3 {
				keep(t, m, 6)
				// An instance that does not fit waits for a moment before it is closed.
				waitFor(t, "no more than fit wait", func() bool { return len(waiting(m)) <= tt.want })
			}
			if got := len(waiting(m)); got != tt.want {
				t.Errorf("%d instances wait in the end, want %d", got, tt.want)
			}
			if tt.limit > 0 {
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

// When another module needs room, the longest waiting instance of the module with the most waiting
// memory is closed.
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
	for _, name := range []string{"a", "b", "c"} { // three kinds with one instance each
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
			t.Error("the longest waiting instance was not closed")
		}
	}
}

// Calls of one tenant that all differ in kind do not displace the kinds of other tenants.
func TestTenantDisplacesItsOwnKindsFirst(t *testing.T) {
	requireReuse(t)
	r := untended(t, Options{})
	m := load(t, r, echo().bytes())
	good := wants{call: Call{Tenant: "good", Name: "good"}}
	for range 2 {
		askOK(t, m, good)
	}
	for n := range 3 * maxKinds {
		askOK(t, m, wants{call: Call{Tenant: "other", Name: fmt.Sprint("kind ", n)}})
	}
	if !askOK(t, m, good).Reused {
		t.Error("the kind of a tenant was dropped for another tenant")
	}
	if got := len(m.c.pool.Kinds()); got != maxKinds {
		t.Errorf("%d kinds are kept", got)
	}
	requireBalanced(t, r, m)
}

// A kind beyond the limit replaces the kind that was called least recently.
func TestKindsAreLimited(t *testing.T) {
	requireReuse(t)
	r := untended(t, Options{})
	m := load(t, r, echo().bytes())
	call := func(n int) bool {
		t.Helper()
		return askOK(t, m, wants{call: Call{Name: fmt.Sprint("kind ", n)}}).Reused
	}
	for n := range maxKinds {
		call(n)
		call(n)
	}
	if !call(0) { // now the second kind is the oldest
		t.Error("the first kind has no instance")
	}
	if got := len(waiting(m)); got != maxKinds {
		t.Fatalf("%d instances wait", got)
	}
	images := memfdtest.Open(t)
	call(maxKinds)
	if got := len(m.c.pool.Kinds()); got != maxKinds {
		t.Errorf("%d kinds are kept", got)
	}
	if got := len(waiting(m)); got != maxKinds-1 {
		t.Errorf("%d instances wait after a kind was dropped", got)
	}
	if got := memfdtest.Open(t); got != images-1 {
		t.Errorf("%d images before a kind was dropped, %d after", images, got)
	}
	requireBalanced(t, r, m)
	if !call(0) || !call(2) || call(1) {
		t.Error("the dropped kind is not the least recently called one")
	}
	// Many more kinds than the limit leave nothing behind.
	for n := range 5 * maxKinds {
		call(1000 + n)
		call(1000 + n)
	}
	if got := len(waiting(m)); got > maxKinds {
		t.Errorf("%d instances wait", got)
	}
	requireBalanced(t, r, m)
}

// Concurrent callers get the same results as they would alone, although their calls can affect each
// other's instances.
func TestConcurrentCallersDoNotAffectEachOther(t *testing.T) {
	requireReuse(t)
	const idleLimit = 6 * (eachBytes + imageBytes)
	r := untended(t, Options{MaxIdleBytes: idleLimit})
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
		t.Error("no instance waits")
	}
}

// An image for which there is no room is not made repeatedly.
func TestImageWithoutRoomIsMadeOnce(t *testing.T) {
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
