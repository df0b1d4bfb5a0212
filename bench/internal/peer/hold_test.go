package peer_test

import (
	"testing"

	"github.com/wasmtool/wasmtool/bench/internal/job"
	"github.com/wasmtool/wasmtool/bench/internal/peer"
)

// Held instances are alive, and sleeping calls return when they are released.
func TestHeldCallsReturnWhenReleased(t *testing.T) {
	s := setup(t)
	for _, guest := range []string{"go", "c"} {
		for _, system := range []string{peer.Wasmtool, peer.Fresh} {
			t.Run(guest+"/"+system, func(t *testing.T) {
				h, err := peer.NewHolder(t.Context(), guest, system, 4, s)
				if err != nil {
					t.Fatal(err)
				}
				defer h.Close()
				for _, n := range []int{1, 4} {
					if err := h.Hold(t.Context(), n); err != nil {
						t.Fatalf("%d instances: %v", n, err)
					}
				}
				if err := h.Release(); err != nil {
					t.Error(err)
				}
				kept, err := h.Kept(t.Context())
				if want := map[string]int{peer.Wasmtool: 4}[system]; err != nil || kept != want {
					t.Errorf("%d instances were kept, %v; want %d", kept, err, want)
				}
			})
		}
	}
}

func TestNewHolderRefusesUnknownSystem(t *testing.T) {
	if _, err := peer.NewHolder(t.Context(), "c", peer.Bubblewrap, 1, peer.Setup{}); err == nil {
		t.Error("no error for bubblewrap, which has no instances to hold")
	}
}

// A variant of a module still does the job.
func TestInstanceVariantsDoJob(t *testing.T) {
	s := setup(t)
	for _, guest := range []string{"go", "c"} {
		for _, v := range []peer.Variant{peer.Unmetered, peer.Metered, peer.Interruptible} {
			t.Run(guest+"/"+string(v), func(t *testing.T) {
				i, err := peer.OpenInstance(t.Context(), s.Guests+"/"+guest+"_reactor.wasm", v, s.Cache)
				if err != nil {
					t.Fatal(err)
				}
				defer i.Close()
				call, err := i.Func("call")
				if err != nil {
					t.Fatal(err)
				}
				for _, input := range [][]byte{job.Input(), job.Large(), job.Input()} {
					output, err := call(t.Context(), input)
					if err == nil {
						err = job.Check(input, output)
					}
					if err != nil {
						t.Error(err)
					}
				}
				if _, err := i.Func("missing"); err == nil {
					t.Error("no error for a missing function")
				}
			})
		}
	}
}
