package registry

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// BenchmarkExecute measures what the registry adds to the cost of a call.
func BenchmarkExecute(b *testing.B) {
	for _, session := range []string{"", "s"} {
		r := benchmarked(b, Options{})
		b.Run("session="+session, func(b *testing.B) {
			for n := 0; b.Loop(); n++ {
				executeOnce(b.Context(), b, r, session, n)
			}
		})
	}
	receipts := func() Options { return Options{Calls: ledger.Options{OnReceipt: func(tool.Receipt) {}}} }
	b.Run("receipt", func(b *testing.B) {
		r := benchmarked(b, receipts())
		for n := 0; b.Loop(); n++ {
			executeOnce(b.Context(), b, r, "s", n)
		}
	})
	// The time is the time of the run, divided by the calls of all callers.
	b.Run("parallel64", func(b *testing.B) {
		r := benchmarked(b, receipts())
		b.SetParallelism(64 / runtime.GOMAXPROCS(0))
		var callers atomic.Int64
		b.RunParallel(func(pb *testing.PB) {
			session := fmt.Sprint("s", callers.Add(1))
			for n := 0; pb.Next(); n++ {
				executeOnce(b.Context(), b, r, session, n)
			}
		})
	})
}

// benchmarked returns a registry with one tool that does nothing.
func benchmarked(b *testing.B, o Options) *Registry {
	r := New(o)
	b.Cleanup(func() { r.Close() })
	if err := r.Tools().Register(echo(), &fake{}); err != nil {
		b.Fatal(err)
	}
	return r
}

// executeOnce makes a call whose arguments differ from the arguments of the calls before it.
func executeOnce(ctx context.Context, b *testing.B, r *Registry, session string, n int) {
	call := say(fmt.Sprint("text ", n))
	call.Session = session
	if _, err := r.Execute(ctx, call); err != nil {
		b.Error(err)
	}
}
