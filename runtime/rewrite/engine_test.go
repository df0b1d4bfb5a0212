package rewrite

import (
	"context"
	"io/fs"
	"path/filepath"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// made is the result of the engine's compiler: bytes of machine code, and bytes of memory that it
// allocated.
type made struct{ code, allocated uint64 }

// compileShape compiles a rewritten module with the engine on one core.
func compileShape(t testing.TB, wasm []byte) made {
	t.Helper()
	ctx, dir := context.Background(), t.TempDir()
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer cache.Close(ctx)
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().
		WithCoreFeatures(api.CoreFeaturesV2).WithDebugInfoEnabled(false).WithCompilationCache(cache))
	defer r.Close(ctx)
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	if _, err := r.CompileModule(ctx, wasm); err != nil {
		t.Fatal(err)
	}
	goruntime.ReadMemStats(&after)
	m := made{allocated: after.TotalAlloc - before.TotalAlloc}
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			m.code += uint64(info.Size())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func skipWithoutCompiler(t testing.TB) {
	t.Helper()
	if goruntime.GOARCH != "amd64" && goruntime.GOARCH != "arm64" {
		t.Skip("the engine has no compiler here")
	}
}

// For the worst code, the estimate gives upper bounds of the memory for compiling and of the size
// of the machine code.
func TestEffortBoundsMemoryAndCode(t *testing.T) {
	skipWithoutCompiler(t)
	const (
		slack           = 8 << 20 // the memory for compiling an empty module
		maxCodePerNs    = 0.08    // twice the measured value of wide calls, the densest code
		maxAllocPerByte = 2       // above 1, because memory that is freed soon is also counted
	)
	for _, s := range shapes() {
		for _, n := range []int{20, 60}[:testlevel.Size(1, 2)] {
			out, rep, err := Rewrite(s.make(n).Bytes(), withAnyEffort())
			if err != nil {
				t.Errorf("%s: %v", s.name, err)
				continue
			}
			got := compileShape(t, out)
			if limit := uint64(maxCodePerNs * float64(rep.Effort.Time)); got.code > limit {
				t.Errorf("%s, %d: %d bytes of code, %d expected at most from %v", s.name, n, got.code, limit, rep.Effort.Time)
			}
			if limit := slack + maxAllocPerByte*rep.Effort.Bytes; got.allocated > limit {
				t.Errorf("%s, %d: %d bytes of memory, %d expected at most", s.name, n, got.allocated, limit)
			}
		}
	}
}

// The estimate recognises small modules for which the engine needs much time or memory.
func TestEstimateRecognisesSmallSlowModules(t *testing.T) {
	const small = 64 << 10
	for _, name := range []string{
		"wide calls", "wide indirect calls", "calls and globals", "br_table and arity", "br_table of an outer block",
		"br_if and arity", "nested if and parameters", "ifs and parameters", "nested blocks and parameters",
		"nested loops and parameters", "ifs over a deep stack", "br_ifs over a deep stack", "loops over a deep stack",
		"br_ifs and locals", "ifs and locals", "loops and locals", "br_table and locals", "types and functions",
	} {
		n := 0
		for _, s := range shapes() {
			if s.name != name {
				continue
			}
			n++
			wasm := s.make(700).Bytes()
			_, rep, err := Rewrite(wasm, withAnyEffort())
			if err != nil {
				t.Fatal(err)
			}
			// The engine needs at least 100 ms for each of these.
			if len(wasm) >= small || rep.Effort.Time < 100*time.Millisecond {
				t.Errorf("%s: %d bytes are estimated at %v and %d bytes of memory", name, len(wasm), rep.Effort.Time, rep.Effort.Bytes)
			}
		}
		if n != 1 {
			t.Errorf("%d shapes are named %q", n, name)
		}
	}
}

func withAnyEffort() Options {
	o := everything
	o.AnyEffort = true
	return o
}

// BenchmarkCompile reports the engine's compile time of each shape together with its estimate.
func BenchmarkCompile(b *testing.B) {
	skipWithoutCompiler(b)
	for _, s := range shapes() {
		b.Run(s.name, func(b *testing.B) {
			out, rep, err := Rewrite(s.make(100).Bytes(), withAnyEffort())
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				compileShape(b, out)
			}
			b.ReportMetric(float64(rep.Effort.Time), "estimated-ns")
			b.ReportMetric(float64(rep.Effort.Bytes), "estimated-B")
		})
	}
}
