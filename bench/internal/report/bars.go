package report

import (
	"fmt"
	"math"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/measure"
	"github.com/wasmtool/wasmtool/bench/internal/peer"
)

// Bar is a figure to reach, from section 8 of the design.
type Bar struct {
	What string `json:"what"`
	// Want and Got are as people read them; Got says why nothing was measured.
	Want string `json:"want"`
	Got  string `json:"got"`
	// Value is what was measured, in the unit of Limit.
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
	// Reached is yes, no or not measured.
	Reached string `json:"reached"`
}

// about is what an absolute figure may miss that the design gives as "about": such
// figures move from run to run more than ratios do.
const about = 1.2

// The ways in which a figure reaches a limit.
const (
	atMost  = "<="
	atLeast = ">="
)

// goal is a bar without what was measured.
type goal struct {
	what  string
	is    string // atMost or atLeast
	limit float64
	// loose gives the limit the slack of about.
	loose bool
	// write writes a figure with its unit.
	write func(float64) string
}

// judge holds a measured figure against the goal. missing says why there is none, and is
// empty when there is.
func (g goal) judge(value float64, missing string) Bar {
	b := Bar{What: g.what, Want: g.is + " " + g.write(g.limit), Value: value, Limit: g.limit}
	limit := g.limit
	if g.loose {
		b.Want = g.is + " about " + g.write(g.limit)
		if g.is == atMost {
			limit *= about
		} else {
			limit /= about
		}
	}
	if missing != "" {
		b.Value, b.Got, b.Reached = 0, "not measured: "+missing, "not measured"
		return b
	}
	b.Got, b.Reached = g.write(value), "no"
	if (g.is == atMost && value <= limit) || (g.is == atLeast && value >= limit) {
		b.Reached = "yes"
	}
	return b
}

// Units of bars.

func times(v float64) string { return digits(v) + "x" }

func perSecond(v float64) string { return fmt.Sprintf("%.0f/s", v) }

func kib(v float64) string { return fmt.Sprintf("%.0f KiB", v) }

// span writes nanoseconds.
func span(v float64) string { return duration(time.Duration(v)) }

// JudgeBars holds the results against the bars.
func JudgeBars(r Results) []Bar {
	var bars []Bar
	bars = append(bars, r.callBars()...)
	bars = append(bars, r.meteringBars()...)
	bars = append(bars, r.deadlineBars()...)
	bars = append(bars, r.loadBars()...)
	bars = append(bars, r.memoryBars()...)
	bars = append(bars, r.startBars()...)
	bars = append(bars, r.fileBars()...)
	return append(bars, r.registryBar())
}

// ratio is that of the medians of two peers in one comparison.
func (r Results) ratio(guest string, above, below peer.Name) (float64, string) {
	a, missing := r.call(guest, above)
	if missing != "" {
		return 0, missing
	}
	b, missing := r.call(guest, below)
	if missing != "" {
		return 0, missing
	}
	return measure.Ratio(a, b), ""
}

func (r Results) callBars() []Bar {
	var bars []Bar
	add := func(g goal, guest string, above, below peer.Name) {
		value, missing := r.ratio(guest, above, below)
		bars = append(bars, g.judge(value, missing))
	}
	bwrap := peer.Name{Guest: "c", Form: peer.Native, System: peer.Bubblewrap}
	for _, guest := range []string{"c", "rust", "as"} {
		reactor := func(system string) peer.Name { return peer.Name{Guest: guest, Form: peer.Reactor, System: system} }
		add(goal{language(guest) + " reactor, against reuse", atMost, 4, false, times},
			guest, reactor(peer.Wasmtool), reactor(peer.Reuse))
		add(goal{language(guest) + " reactor, faster than a C program in bubblewrap", atLeast, 500, false, times},
			guest, bwrap, reactor(peer.Wasmtool))
	}
	reactor := func(system string) peer.Name { return peer.Name{Guest: "go", Form: peer.Reactor, System: system} }
	command := func(system string) peer.Name { return peer.Name{Guest: "go", Form: peer.Command, System: system} }
	add(goal{"Go reactor, against reuse", atMost, 7, false, times}, "go", reactor(peer.Wasmtool), reactor(peer.Reuse))
	add(goal{"Go reactor, warmed snapshot, against reuse", atMost, 2.5, false, times},
		"go", reactor(peer.WasmtoolWarm), reactor(peer.Reuse))
	add(goal{"Go reactor, faster than a fresh instance", atLeast, 25, false, times},
		"go", reactor(peer.Fresh), reactor(peer.Wasmtool))
	add(goal{"Go command, faster than a fresh instance", atLeast, 12, false, times},
		"go", command(peer.Fresh), command(peer.Wasmtool))
	return bars
}

func (r Results) meteringBars() []Bar {
	var bars []Bar
	for _, b := range []struct {
		guest string
		limit float64
	}{{"c", 1.10}, {"go", 1.20}} {
		value, missing := measure.MeanPrice(r.Metering, b.guest, peer.Metered), ""
		if value == 0 {
			missing = leftOut
		}
		for _, p := range r.Metering {
			if p.Guest == b.guest && p.Missing != "" {
				missing = p.Missing
			}
		}
		g := goal{"metering against none, geometric mean, " + language(b.guest), atMost, b.limit, false, times}
		bars = append(bars, g.judge(value, missing))
	}
	return bars
}

func (r Results) deadlineBars() []Bar {
	alone := goal{"p99 of a deadline's overshoot, idle", atMost, float64(time.Millisecond), false, span}
	crowded := goal{"p99 of a deadline's overshoot, 50 spinning guests", atMost, float64(250 * time.Millisecond), false, span}
	if len(r.Deadlines) == 0 {
		return []Bar{alone.judge(0, leftOut), crowded.judge(0, leftOut)}
	}
	var bars []Bar
	for _, o := range r.Deadlines {
		g := alone
		if o.Guests > 1 {
			g = crowded
			g.what = fmt.Sprintf("p99 of a deadline's overshoot, %d spinning guests", o.Guests)
		}
		bars = append(bars, g.judge(float64(o.P99), o.Missing))
	}
	return bars
}

// barCallers is how many callers the bars of throughput speak of.
const barCallers = 64

func (r Results) loadBars() []Bar {
	var bars []Bar
	for _, b := range []struct {
		guest string
		limit float64
	}{{"go", 10_000}, {"c", 200_000}} {
		g := goal{fmt.Sprintf("%s reactor, calls per second for %d callers", language(b.guest), barCallers), atLeast, b.limit, true, perSecond}
		value, missing := 0.0, leftOut
		if len(r.Loads) > 0 {
			missing = fmt.Sprintf("no run with %d callers", barCallers)
		}
		for _, l := range r.Loads {
			if l.Peer.Guest == b.guest && l.Peer.System == peer.Wasmtool && l.Callers == barCallers {
				value, missing = l.PerSecond, l.Missing
			}
		}
		bars = append(bars, g.judge(value, missing))
	}
	return bars
}

func (r Results) memoryBars() []Bar {
	live := goal{"private memory of a live Go instance", atMost, 400, true, kib}
	idle := goal{"private memory of an idle Go instance (trimmed)", atMost, 200, true, kib}
	for _, m := range r.Memory {
		if m.Guest == "go" && m.System == peer.Wasmtool {
			notKept := m.Missing
			if notKept == "" && m.Kept < 2 {
				notKept = "no instance was kept"
			}
			return []Bar{live.judge(m.PerInstance(), m.Missing), idle.judge(m.PerKept(m.Resting), notKept)}
		}
	}
	return []Bar{live.judge(0, leftOut), idle.judge(0, leftOut)}
}

func (r Results) startBars() []Bar {
	var bars []Bar
	for _, b := range []struct {
		guest string
		limit time.Duration
	}{{"c", 10 * time.Millisecond}, {"go", 60 * time.Millisecond}} {
		g := goal{language(b.guest) + " reactor, process start to result, warm cache", atMost, float64(b.limit), true, span}
		value, missing := 0.0, leftOut
		for _, s := range r.Starts {
			if s.Guest == b.guest && s.Form == peer.Reactor {
				value, missing = float64(s.P50), s.Missing
			}
		}
		bars = append(bars, g.judge(value, missing))
	}
	return bars
}

// fileBars are about the tools for files: those that search against the programs that
// do it, those for one file against a time.
func (r Results) fileBars() []Bar {
	var bars []Bar
	for _, tool := range []string{"grep", "glob", "read", "edit"} {
		job := measure.FileJob{Missing: leftOut}
		for _, j := range r.Files {
			if j.Tool == tool {
				job = j
			}
		}
		if searchers[tool] == "" {
			g := goal{tool + ", one call through Registry.Execute, warm", atMost, float64(time.Millisecond), false, span}
			bars = append(bars, g.judge(float64(job.P50), job.Missing))
			continue
		}
		g := goal{tool + " over 20,000 files, against " + searchers[tool], atMost, 3, false, times}
		bars = append(bars, g.judge(measure.Ratio(job.P50, job.Of.P50), job.Missing))
	}
	return bars
}

// searchers are what the tools that search are compared with.
var searchers = map[string]string{"grep": "ripgrep", "glob": "fd"}

// registryBar is about the C reactor, the smallest tool there is.
func (r Results) registryBar() Bar {
	g := goal{"Registry.Execute above runtime, C reactor", atMost, float64(50 * time.Microsecond), true, span}
	name := func(system string) peer.Name { return peer.Name{Guest: "c", Form: peer.Reactor, System: system} }
	registry, missing := r.call("c", name(peer.Registry))
	if missing != "" {
		return g.judge(0, missing)
	}
	runtime, missing := r.call("c", name(peer.Wasmtool))
	return g.judge(math.Max(0, float64(registry-runtime)), missing)
}

// language is a guest's name for people.
func language(guest string) string {
	switch guest {
	case "go":
		return "Go"
	case "c":
		return "C"
	case "rust":
		return "Rust"
	case "as":
		return "AssemblyScript"
	}
	return guest
}
