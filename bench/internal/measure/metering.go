package measure

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/job"
	"github.com/wasmtool/wasmtool/bench/internal/peer"
)

// Price is the time of a loop, or of a program, in each variant of its module.
type Price struct {
	Guest string `json:"guest"`
	Loop  string `json:"loop"`
	// Variants has the durations of one execution. Ratio is the median of a variant divided by the
	// median of the unmetered variant.
	Variants map[peer.Variant]Summary `json:"variants"`
	Ratio    map[peer.Variant]float64 `json:"ratio"`
	Missing  string                   `json:"missing,omitempty"`
}

// loop is one of the loops with which metering is measured.
type loop struct {
	guest, file, name, export string
	input                     []byte
	// repeat is how often the loop runs between two readings of the clock.
	repeat int
}

func loops() []loop {
	return []loop{
		{"c", "c_micro.wasm", "registers", "registers", nil, 1},
		{"c", "c_micro.wasm", "memory", "memory_loop", nil, 1},
		{"c", "c_micro.wasm", "recursion", "recursion", nil, 1},
		{"c", "c_micro.wasm", "JSON 110 KB", "call", job.Large(), 10},
		{"go", "go_reactor.wasm", "call", "call", job.Input(), 100},
		{"go", "go_reactor.wasm", "JSON 110 KB", "call", job.Large(), 1},
	}
}

// Variants returns the variants in the order in which tables show them. The first is the variant
// with which the others are compared.
func Variants() []peer.Variant {
	return []peer.Variant{peer.Unmetered, peer.Metered, peer.Interruptible}
}

// Metering measures the overhead of metering in plain wazero. Each variant has one instance, and
// the variants take turns.
func Metering(ctx context.Context, s peer.Setup, p Plan, progress func(string)) []Price {
	var prices []Price
	instances := make(map[string]*peer.Instance)
	defer func() {
		for _, i := range instances {
			i.Close()
		}
	}()
	for _, l := range loops() {
		progress(fmt.Sprintf("metering: %s, %s", l.guest, l.name))
		price := Price{Guest: l.guest, Loop: l.name}
		if err := price.measure(ctx, l, s, p.Metering, instances); err != nil {
			price.Missing = reason(err)
		}
		prices = append(prices, price)
	}
	return prices
}

func (r *Price) measure(ctx context.Context, l loop, s peer.Setup, rounds int, instances map[string]*peer.Instance) error {
	type runner = func(context.Context, []byte) ([]byte, error)
	runners := make(map[peer.Variant]runner)
	for _, v := range Variants() {
		key := l.file + string(v)
		if instances[key] == nil {
			i, err := peer.OpenInstance(ctx, filepath.Join(s.Guests, l.file), v, s.Cache)
			if err != nil {
				return err
			}
			instances[key] = i
		}
		run, err := instances[key].Func(l.export)
		if err != nil {
			return err
		}
		if _, err := run(ctx, l.input); err != nil {
			return err
		}
		runners[v] = run
	}
	return r.compare(rounds, l.repeat, func(v peer.Variant) error {
		_, err := runners[v](ctx, l.input)
		return err
	}, Variants())
}

// compare lets variants take turns: in each round, each runs the given number of times. The
// durations are of processor time, in which other processes count less.
func (r *Price) compare(rounds, repeat int, run func(peer.Variant) error, variants []peer.Variant) error {
	durations := make(map[peer.Variant][]time.Duration)
	for round := range rounds {
		for turn := range variants {
			// Each variant comes first, second and so on equally often.
			v := variants[(turn+round)%len(variants)]
			start, err := processorTime()
			if err != nil {
				return err
			}
			for range repeat {
				if err := run(v); err != nil {
					return err
				}
			}
			end, err := processorTime()
			if err != nil {
				return err
			}
			durations[v] = append(durations[v], (end-start)/time.Duration(repeat))
		}
	}
	r.Variants = make(map[peer.Variant]Summary)
	r.Ratio = make(map[peer.Variant]float64)
	for v, d := range durations {
		r.Variants[v] = Summarise(d)
	}
	for v := range durations {
		r.Ratio[v] = Ratio(r.Variants[v].P50, r.Variants[peer.Unmetered].P50)
	}
	return nil
}

// MeanPrice returns the geometric mean of the ratios of a variant over the programs or loops of a
// guest that were measured, and their number.
func MeanPrice(prices []Price, guest string, v peer.Variant) (mean float64, measured int) {
	var ratios []float64
	for _, r := range prices {
		if r.Guest == guest && r.Ratio[v] > 0 {
			ratios = append(ratios, r.Ratio[v])
		}
	}
	return GeometricMean(ratios), len(ratios)
}
