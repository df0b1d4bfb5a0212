package rewrite

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// guestSource is a Go command that uses many features: JSON, sorting, regular expressions, floats,
// maps, goroutines, and a recovered panic.
const guestSource = `package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"sort"
	"strings"
	"sync"
)

type item struct {
	Name  string             ` + "`json:\"name\"`" + `
	Price float64            ` + "`json:\"price\"`" + `
	Tags  map[string]float32 ` + "`json:\"tags\"`" + `
}

func main() {
	in, _ := io.ReadAll(os.Stdin)
	var items []item
	if err := json.Unmarshal(in, &items); err != nil {
		fmt.Println("error:", err)
		os.Exit(3)
	}
	sort.Slice(items, func(i, j int) bool { return items[i].Price < items[j].Price })
	var wg sync.WaitGroup
	sums := make([]float64, len(items))
	for i, it := range items {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() { recover() }()
			sums[i] = math.Sqrt(math.Max(it.Price, 2)) + math.Pow(1.5, it.Price)
			for _, v := range it.Tags {
				sums[i] += float64(v) * math.Sin(float64(v))
			}
			_ = items[len(items)]
		}()
	}
	wg.Wait()
	re := regexp.MustCompile("(a+)b?[x-z]*")
	for i, it := range items {
		fmt.Printf("%s %.6f %q\n", strings.ToUpper(it.Name), sums[i], re.FindAllString(it.Name, -1))
	}
	primes := 0
	for n := 2; n < 3000; n++ {
		p := true
		for d := 2; d*d <= n; d++ {
			if n%d == 0 {
				p = false
				break
			}
		}
		if p {
			primes++
		}
	}
	out, _ := json.Marshal(items)
	fmt.Println(primes, string(out))
}
`

// goGuest builds the guest.
func goGuest(t testing.TB) []byte {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(guestSource), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "guest.wasm")
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", out, filepath.Join(dir, "main.go"))
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// guest is a compiled command.
type guest struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	fuel     *refiller
}

func newGuest(t testing.TB, wasm []byte) *guest {
	t.Helper()
	ctx := context.Background()
	g := &guest{runtime: wazero.NewRuntime(ctx), fuel: &refiller{slice: 1 << 20, budget: 1 << 60}}
	t.Cleanup(func() { _ = g.runtime.Close(ctx) })
	wasi_snapshot_preview1.MustInstantiate(ctx, g.runtime)
	g.fuel.install(t, g.runtime)
	var err error
	if g.compiled, err = g.runtime.CompileModule(ctx, wasm); err != nil {
		t.Fatal(err)
	}
	return g
}

// run runs a new instance and returns its output and how it ended.
func (g *guest) run(t testing.TB, stdin string) (stdout, ending string) {
	t.Helper()
	ctx := context.Background()
	var out bytes.Buffer
	m, err := g.runtime.InstantiateModule(ctx, g.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions().
		WithStdin(strings.NewReader(stdin)).WithStdout(&out))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.Close(ctx) }()
	main := m.ExportedFunction(ExportMain)
	if main == nil {
		main = m.ExportedFunction("_start")
	}
	if _, err = main.Call(ctx); err != nil {
		ending = firstLine(err)
	}
	return out.String(), ending
}

const guestInput = `[{"name":"aab","price":3.25,"tags":{"x":1.5,"y":-2}},{"name":"abxyz","price":1e3}]`

func TestRewrittenGoGuestBehavesTheSame(t *testing.T) {
	testlevel.Long(t, "it compiles a Go program twice; TestCorpusBehavesTheSame has small modules")
	wasm := goGuest(t)
	out, rep, err := Rewrite(wasm, everything)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes before, %d after, %+v", len(wasm), len(out), *rep.Meter)
	before, after := newGuest(t, wasm), newGuest(t, out)
	for _, stdin := range []string{guestInput, `[]`, `{"broken"`} {
		wantOut, wantEnd := before.run(t, stdin)
		gotOut, gotEnd := after.run(t, stdin)
		if gotOut != wantOut || gotEnd != wantEnd || gotOut == "" {
			t.Errorf("for %s: %q %q before, %q %q after", stdin, wantOut, wantEnd, gotOut, gotEnd)
		}
	}
	if after.fuel.used == 0 || before.fuel.used != 0 {
		t.Errorf("fuel: %d before, %d after", before.fuel.used, after.fuel.used)
	}
	if len(rep.SnapshotBlockers) > 0 {
		t.Errorf("a Go guest can't be saved and restored: %v", rep.SnapshotBlockers)
	}
}

func BenchmarkRewriteGoGuest(b *testing.B) {
	wasm := goGuest(b)
	for name, o := range map[string]Options{"plain": {}, "metered": {Meter: true, ExportState: true, ExportStart: true}, "everything": everything} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(wasm)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Rewrite(wasm, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMetering compares running with and without metering.
func BenchmarkMetering(b *testing.B) {
	loop := []byte{wasmtest.LocalGet, 0, wasmtest.I32Const, 1, i32Sub, localTee, 0, wasmtest.BrIf, 0, wasmtest.End}
	memory := wasmtest.Code([]byte{
		wasmtest.Loop, wasmtest.Empty, wasmtest.LocalGet, 0,
	}, wasmtest.Const(0xffff), []byte{0x71, localTee, 1, wasmtest.LocalGet, 1, wasmtest.I32Load, 0, 0, wasmtest.LocalGet, 0, wasmtest.I32Add, wasmtest.I32Store, 0, 0}, loop)
	fib := function([]byte{
		wasmtest.LocalGet, 0, wasmtest.I32Const, 2, 0x48, ifOp, wasmtest.Empty, returnOp, wasmtest.End,
		wasmtest.LocalGet, 0, wasmtest.I32Const, 1, i32Sub, wasmtest.Call, 0, wasmtest.LocalGet, 0, wasmtest.I32Const, 2, i32Sub, wasmtest.Call, 0,
	})
	for _, c := range []struct {
		name string
		wasm []byte
		arg  uint64
	}{
		{"loop", countdown().Bytes(), 1_000_000},
		{"memory", function(memory).Bytes(), 1_000_000},
		{"fib", fib.Bytes(), 27},
	} {
		for mode, o := range map[string]Options{"plain": {}, "metered": {Meter: true}} {
			b.Run(c.name+"/"+mode, func(b *testing.B) {
				out, _, err := Rewrite(c.wasm, o)
				if err != nil {
					b.Fatal(err)
				}
				g := newGuest(b, out)
				m, err := g.runtime.InstantiateModule(context.Background(), g.compiled, wazero.NewModuleConfig())
				if err != nil {
					b.Fatal(err)
				}
				run := m.ExportedFunction("run")
				for b.Loop() {
					if _, err := run.Call(context.Background(), c.arg); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
	wasm := goGuest(b)
	for mode, o := range map[string]Options{"plain": {}, "split": {SplitSelects: true}, "metered": {Meter: true}} {
		b.Run("Go/"+mode, func(b *testing.B) {
			out, _, err := Rewrite(wasm, o)
			if err != nil {
				b.Fatal(err)
			}
			g := newGuest(b, out)
			for b.Loop() {
				g.run(b, guestInput)
			}
		})
	}
}
