package runtime

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/runtime/internal/memfdtest"
)

// imagesTake returns the bytes of the host's memory that shared images take.
func imagesTake(t *testing.T) (total int64) {
	t.Helper()
	files, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if target, err := os.Readlink(file); err != nil || !strings.Contains(target, "memfd:wasmtool") {
			continue
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Sys().(*syscall.Stat_t).Blocks * 512
	}
	return total
}

// An image is counted at its maximum size. Its zero pages also take memory once a guest reads them
// or the host compares them.
func TestImageThatFillsUpIsCounted(t *testing.T) {
	const pages, i32LtU = 40, 0x49
	sweep := wasmtest.Code( // reads one byte of each 4 KiB
		stores(atState, wasmtest.Const(0)),
		[]byte{wasmtest.Loop, wasmtest.Empty},
		stores(atScratch, loads(atState), []byte{load8, 0, 0}),
		stores(atState, adds(loads(atState), wasmtest.Const(4096))),
		loads(atState), wasmtest.Const(pages<<16), []byte{i32LtU, wasmtest.BrIf, 0, wasmtest.End})
	for name, fill := range map[string]func(m *Module){
		"by the guest": func(m *Module) {
			for kind := range 5 {
				for _, input := range []string{"x", "x", "r"} {
					askOK(t, m, wants{call: Call{Name: fmt.Sprint(kind), Input: []byte(input)}})
				}
			}
		},
		"by the host": func(m *Module) { keep(t, m, 2) },
	} {
		t.Run(name, func(t *testing.T) {
			r := untended(t, Options{})
			m := load(t, r, parts{
				memory: []uint32{pages},
				start:  wasmtest.Code(reads(), now(atMoment), onInput('r', sweep)),
			}.bytes())
			before := imagesTake(t)
			fill(m)
			counted := requireBalanced(t, r, m)
			took := imagesTake(t) - before
			if took < pages*page {
				t.Errorf("images take %d bytes, so they did not fill up", took)
			}
			for _, i := range waiting(m) {
				counted -= i.Bytes
			}
			if took > counted {
				t.Errorf("images take %d bytes, and %d are counted", took, counted)
			}
		})
	}
}

// ticking is a clock that shows each instance a different time.
type ticking struct {
	hostfuncs.Clock
	at time.Time
}

func (c ticking) Now() time.Time { return c.at }

// An image of only one instance keeps no file descriptor, because many instances must not use up
// the process's descriptors.
func TestImageOfOneInstanceHoldsNoDescriptor(t *testing.T) {
	r := untended(t, Options{})
	m := load(t, r, parts{
		initialize: now(atMoment),
		call:       wasmtest.Code(marks(), calls(outputWrite, atState, stateSize), wasmtest.Const(0)),
	}.bytes())
	files, mapped := memfdtest.Open(t), memfdtest.Mapped(t)
	const n = 8
	for round, calls := range []int{1, n} {
		var all, ended sync.WaitGroup
		all.Add(calls)
		for k := range calls {
			b := bind(t, capability.Grant{})
			b.Clock = meeting{ticking{b.Clock, time.Unix(int64(round), int64(k))}, new(sync.Once), &all}
			ended.Go(func() {
				if _, err := m.Call(context.Background(), Call{Entry: Entry{ABI: Reactor}, Bindings: b}); err != nil {
					t.Error(err)
				}
			})
		}
		ended.Wait()
	}
	if got := len(waiting(m)); got != n {
		t.Fatalf("%d instances wait", got)
	}
	if got := memfdtest.Mapped(t) - mapped; got < 2*n {
		t.Errorf("%d mappings of images for %d instances that differ", got, n)
	}
	if got := memfdtest.Open(t) - files; got != 1 {
		t.Errorf("%d files are open for the images of %d instances, 1 of which is shared", got, n)
	}
	var own int64
	for _, i := range waiting(m) {
		own += i.OwnImage
	}
	if own != (n-1)*imageBytes {
		t.Errorf("instances count %d bytes of images of their own, want %d", own, (n-1)*imageBytes)
	}
	requireBalanced(t, r, m)
	// The instances are still reset to their images.
	w := wants{call: Call{Entry: Entry{ABI: Reactor}}, adjust: func(b *hostfuncs.Bindings) { b.Clock = ownClock{b.Clock} }}
	first := askOK(t, m, w)
	for k := range 2 * n {
		out := askOK(t, m, w)
		requireEqual(t, out, first, fmt.Sprintf("call %d", k+2))
		if !out.Reused {
			t.Error("a call had a new instance")
		}
	}
}
