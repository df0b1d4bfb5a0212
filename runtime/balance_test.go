package runtime

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"sync"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/runtime/internal/memfdtest"
)

// swelling returns a guest that is called in the given form. The guest grows its memory by the
// number of pages in the first byte of its input, and then runs for a while.
func swelling(pages uint32, form ABI) []byte {
	work := wasmtest.Code(
		wasmtest.Const(atInput), []byte{load8, 0, 0, wasmtest.MemoryGrow, 0, wasmtest.Drop},
		wasmtest.Const(3_000), wasmtest.CallFunc(recursion), now(atMoment))
	p := parts{memory: []uint32{pages}}
	if form == Reactor {
		p.initialize, p.call = now(atNoise), wasmtest.Code(calls(inputRead, atInput, maxInput), work, wasmtest.Const(0))
	} else {
		p.start = wasmtest.Code(reads(), work)
	}
	return p.bytes()
}

// bustle makes calls of all kinds from several goroutines, while another goroutine causes memory
// pressure. Some calls are stopped, or have limits that are too low. When the first calls have
// ended, bustle calls the function started once.
func bustle(t *testing.T, r *Runtime, modules []*Module, started func()) {
	t.Helper()
	var callers, pressing sync.WaitGroup
	once := sync.OnceFunc(started)
	for caller := range 8 {
		callers.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(caller)))
			for range 60 {
				oneOfAllKinds(t, modules, caller, random)
				once()
			}
		})
	}
	done := make(chan struct{})
	pressing.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			default:
			}
			for _, m := range modules {
				m.c.pool.Tend(time.Now().Add(time.Duration(n%3) * closeAfter / 2))
			}
			r.pools.DropIdle()
			if r.pools.Account(100 * page) {
				goruntime.Gosched()
				r.pools.Account(-100 * page)
			}
		}
	})
	callers.Wait()
	close(done)
	pressing.Wait()
}

// oneOfAllKinds makes a random call. The number caller determines the clock and the tenant of the
// call.
func oneOfAllKinds(t *testing.T, modules []*Module, caller int, random *rand.Rand) {
	b, err := hostfuncs.Bind(capability.Grant{Clock: caller%2 == 0}, files.Options{}, hostfuncs.Services{})
	if err != nil {
		t.Error(err)
		return
	}
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if random.IntN(4) == 0 {
		go cancel()
	}
	m := modules[random.IntN(len(modules))]
	call := Call{
		Bindings: b, Name: fmt.Sprint(random.IntN(40)), Tenant: fmt.Sprint(caller),
		Input: []byte{byte(random.IntN(60))}, Limits: Limits{Fuel: uint64(random.IntN(3)) * 20_000},
	}
	if call.Entry, err = m.Entry("", ""); err != nil {
		t.Error(err)
	}
	if call.Entry.ABI == Reactor && random.IntN(2) == 0 {
		call.Warm = []byte{1}
	}
	_, err = m.Call(ctx, call)
	var e *Error
	if err != nil && !(errors.As(err, &e) && (e.Reason == Cancelled || e.Reason == ResourceExhausted)) {
		t.Errorf("got %v", err)
	}
}

// Under concurrent load, all memory of instances is counted, and is freed after the last call. This
// applies both when modules are closed after the calls, and when the Runtime is closed while calls
// run.
func TestConcurrentCallsLeaveNothing(t *testing.T) {
	requireReuse(t)
	for _, closing := range []bool{false, true} {
		t.Run(fmt.Sprintf("closing meanwhile: %v", closing), func(t *testing.T) {
			fsys, mapped := memfdtest.Open(t), memfdtest.Mapped(t)
			r := New(Options{MaxTotalMemory: 500 * page, MaxIdleBytes: 4 << 20, MaxCalls: 12})
			r.pools.Pause() // see untended
			var modules []*Module
			for pages, form := range map[uint32]ABI{2: Command, 3: Reactor, 40: Reactor} {
				modules = append(modules, load(t, r, swelling(pages, form)))
			}
			var closed sync.WaitGroup
			bustle(t, r, modules, func() {
				if closing {
					// on a busy machine, calls may need longer than Close waits
					closed.Go(func() { _ = r.Close() })
				}
			})
			closed.Wait()
			if !closing {
				requireBalanced(t, r, modules...)
			}
			for _, m := range modules {
				if err := m.Close(); err != nil {
					t.Error(err)
				}
				<-m.c.freed
			}
			if bytes, waits, used := r.pools.Usage().Waiting, r.pools.Usage().WaitingMemory, r.pools.Usage().Memory; bytes != 0 || waits != 0 || used != 0 {
				t.Errorf("%d bytes wait, %d of %d of guest memory", bytes, waits, used)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			if open, maps := memfdtest.Open(t), memfdtest.Mapped(t); open != fsys || maps != mapped {
				t.Errorf("%d images and %d mappings are left", open-fsys, maps-mapped)
			}
		})
	}
}
