package report

import (
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/measure"
	"github.com/wasmtool/wasmtool/bench/internal/parts"
	"github.com/wasmtool/wasmtool/bench/internal/peer"
)

func row(guest, form, system string, p50 time.Duration) measure.Row {
	return measure.Row{
		For: guest, Peer: peer.Name{Guest: guest, Form: form, System: system},
		Summary: measure.Summary{N: 10, P50: p50, P99: 2 * p50, Min: p50 / 2},
	}
}

// sample is a run in which some targets are reached, some are missed, and some were not measured.
func sample() Results {
	bwrap := row("c", peer.Native, peer.Bubblewrap, 5*time.Millisecond)
	missing := row("go", peer.Reactor, peer.WasmtoolWarm, 0)
	missing.Missing = "no such | thing"
	r := Results{
		Machine: Machine{CPU: "a processor", Procs: 2},
		Calls: []measure.Row{
			row("c", peer.Reactor, peer.Wasmtool, 4*time.Microsecond),
			row("c", peer.Reactor, peer.Registry, 40*time.Microsecond),
			row("c", peer.Reactor, peer.Reuse, time.Microsecond),
			bwrap,
			row("go", peer.Reactor, peer.Wasmtool, 300*time.Microsecond),
			row("go", peer.Reactor, peer.Reuse, 30*time.Microsecond),
			missing,
		},
		Metering: []measure.Price{
			{Guest: "c", Loop: "a", Ratio: map[peer.Variant]float64{peer.Metered: 1, peer.Interruptible: 4}},
			{Guest: "c", Loop: "b", Ratio: map[peer.Variant]float64{peer.Metered: 1.1, peer.Interruptible: 9}},
		},
		Programs: programs(),
		Deadlines: []measure.Overshoot{
			{Guests: 1, Summary: measure.Summary{P99: 400 * time.Microsecond}},
			{Guests: 50, Summary: measure.Summary{P99: 300 * time.Millisecond}},
		},
		Loads: []measure.Load{
			{Peer: peer.Name{Guest: "c", Form: peer.Reactor, System: peer.Wasmtool}, Callers: 64, PerSecond: 180_000, Summary: measure.Summary{N: 9, P50: 10, P99: 20}},
		},
		Memory: []measure.Memory{{
			Guest: "go", System: peer.Wasmtool,
			Live: []measure.Held{{Instances: 1, KiB: 1000}, {Instances: 101, KiB: 41_000}}, Resting: measure.Held{Instances: 101, KiB: 41_000}, Kept: 101,
		}},
		Starts: []measure.Start{{Guest: "go", Form: peer.Reactor, Missing: "no cache"}},
		Parts: []measure.CallCost{
			{Guest: "C", Calls: 7, CPU: 20_000, Wall: 18_000, Parts: map[parts.Part]time.Duration{parts.Guest: 5000, parts.Policy: 15_000}, PageFaults: 0.25},
			{Guest: "Python", Missing: "no archive"},
		},
	}
	r.Bars = CompareBars(r)
	return r
}

// programs are all C programs and one Go program.
func programs() []measure.Price {
	prices := []measure.Price{{Guest: "go", Loop: "gojq", Missing: "no network"}}
	for _, program := range measure.Corpus()[0].Programs {
		prices = append(prices, measure.Price{Guest: "c", Loop: program, Ratio: map[peer.Variant]float64{peer.Metered: 1.05}})
	}
	return prices
}

func TestCompareBars(t *testing.T) {
	got := make(map[string]Bar)
	for _, b := range sample().Bars {
		if _, twice := got[b.What]; twice {
			t.Errorf("two targets have the name %q", b.What)
		}
		got[b.What] = b
	}
	for _, test := range []struct{ what, figure, reached string }{
		{"C reactor, relative to a reused instance", "4.00x", "yes"}, // at the limit
		{"C reactor, faster than a C program in bubblewrap", "1250x", "yes"},
		{"Rust reactor, relative to a reused instance", "not measured: excluded by --only", "not measured"},
		{"Go reactor, relative to a reused instance", "10.0x", "no"},
		{"Go reactor, warmed snapshot, relative to a reused instance", "not measured: no such | thing", "not measured"},
		{"metered code relative to unmetered code, geometric mean of 10 programs of others, C", "1.05x", "yes"},
		{"metered code relative to unmetered code, geometric mean of 10 programs of others, Go", "not measured: gojq: no network", "not measured"},
		{"p99 of a deadline's overshoot, idle", "400 µs", "yes"},
		{"p99 of a deadline's overshoot, 50 spinning guests", "300 ms", "no"},
		// below the target, but within the tolerance of the constant about
		{"C reactor, calls per second with 64 callers", "180000/s", "yes"},
		{"Go reactor, calls per second with 64 callers", "not measured: no run with 64 callers", "not measured"},
		{"private memory of a live Go instance", "400 KiB", "yes"},
		{"private memory of an idle Go instance (trimmed)", "400 KiB", "no"},
		{"Go reactor, process start to result, warm cache", "not measured: no cache", "not measured"},
		{"time that Registry.Execute adds to the runtime, C reactor", "36.0 µs", "yes"},
	} {
		if b := got[test.what]; b.Got != test.figure || b.Reached != test.reached {
			t.Errorf("%s: got %q, %q; want %q, %q", test.what, b.Got, b.Reached, test.figure, test.reached)
		}
	}
}

func TestWriteMarkdown(t *testing.T) {
	var b strings.Builder
	if err := sample().WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for _, want := range []string{
		"a processor",
		"## Targets",
		"| C program in bubblewrap | native | yes | 5.00 ms | 10.0 ms | 2.50 ms | 10 | 1250x |",
		`| wasmtool, runtime, warmed snapshot | reactor | yes | not measured: no such \| thing |`,
		"| C | geometric mean of 2 |  |  |  | 1.05x | 6.00x |",
		"| C | geometric mean of 10 |  |  |  | 1.05x |  |",
		"| Go | gojq | not measured: no network |",
		"| 50 | 0 ns | 300 ms |",
		"## One call, Go",
		"| guest | 5.00 µs, 25 % | not measured |",
		"| **processor time** | **20.0 µs** | not measured |",
		"| page faults | 0.2 | not measured |",
		"Python: not measured: no archive.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "## One call, Rust") {
		t.Error("there is an empty table")
	}
	// All rows of a table have the same number of cells.
	cells := 0
	for line := range strings.Lines(strings.ReplaceAll(got, `\|`, "")) {
		n := strings.Count(line, "|")
		if n > 0 && cells > 0 && n != cells {
			t.Errorf("%d cells after rows of %d: %s", n, cells, line)
		}
		cells = n
	}
}

func TestFigures(t *testing.T) {
	figures := sample().Figures()
	for name, want := range map[string]string{"latency.svg": "wasmtool, p99", "memory.svg": "Go, wasmtool"} {
		if !strings.Contains(figures[name], want) {
			t.Errorf("%s has no %q", name, want)
		}
	}
	if got := (Results{}).Figures(); len(got) != 0 {
		t.Errorf("%d empty plots", len(got))
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ns", 999: "999 ns", 1000: "1.00 µs", 12_345: "12.3 µs", 999_600: "1000 µs",
		123_456_789: "123 ms", 90 * time.Second: "90.0 s",
	} {
		if got := duration(d); got != want {
			t.Errorf("%d ns is %q, want %q", d, got, want)
		}
	}
}
