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
)

// guestSource is a Go command that does a bit of everything: JSON, sorting,
// regular expressions, floats, maps, goroutines, a panic that is recovered.
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

// runGuest runs a command and returns what it wrote and how it ended.
func runGuest(t testing.TB, wasm []byte, stdin string) (stdout, ending string, fuel int64) {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer func() { _ = r.Close(ctx) }()
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	f := &refiller{slice: 1 << 20, budget: 1 << 50}
	f.install(t, r)
	compiled, err := r.CompileModule(ctx, wasm)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	m, err := r.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions().
		WithStdin(strings.NewReader(stdin)).WithStdout(&out))
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.ExportedFunction("_start").Call(ctx)
	if err != nil {
		ending = firstLine(err)
	}
	return out.String(), ending, f.used
}

func TestGoGuestBehavesTheSame(t *testing.T) {
	before := goGuest(t)
	after, rep, err := Rewrite(before, everything)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes before, %d after, %+v, %v", len(before), len(after), *rep.Meter, rep.SnapshotBlockers)
	for _, stdin := range []string{
		`[{"name":"aab","price":3.25,"tags":{"x":1.5,"y":-2}},{"name":"abxyz","price":1e3}]`, `[]`, `{"broken"`,
	} {
		wantOut, wantEnd, _ := runGuest(t, before, stdin)
		gotOut, gotEnd, fuel := runGuest(t, after, stdin)
		if gotOut != wantOut || gotEnd != wantEnd || gotOut == "" {
			t.Errorf("for %s: %q %q before, %q %q after", stdin, wantOut, wantEnd, gotOut, gotEnd)
		}
		t.Logf("%d units of fuel", fuel)
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
