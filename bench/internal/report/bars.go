package report

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/measure"
	"github.com/wasmtool/wasmtool/bench/internal/peer"
)

// Bar is a target for a figure, from section 8 of the design.
type Bar struct {
	What string `json:"what"`
	// Want and Got are formatted with their units. Got is the reason if nothing was measured.
	Want string `json:"want"`
	Got  string `json:"got"`
	// Value is the measured value, in the unit of Limit.
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
	// Reached is "yes", "no" or "not measured".
	Reached string `json:"reached"`
}

// about is the factor by which a figure may miss a target that the design gives as "about". Such
// absolute figures vary more between runs than ratios do.
const about = 1.2

// The two kinds of limits.
const (
	atMost  = "<="
	atLeast = ">="
)

// goal is a target for which nothing was measured.
type goal struct {
	what  string
	is    string // atMost or atLeast
	limit float64
	// loose allows the value to miss the limit by the factor in the constant about.
	loose bool
	// write formats a figure with its unit.
	write func(float64) string
}

// compare compares a measured value with the goal. missing is the reason if there is no value, and
// otherwise empty.
func (g goal) compare(value float64, missing string) Bar {
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

// Formatters of figures with their units.

func times(v float64) string { return digits(v) + "x" }

func perSecond(v float64) string { return fmt.Sprintf("%.0f/s", v) }

func kib(v float64) string { return fmt.Sprintf("%.0f KiB", v) }

// span formats nanoseconds.
func span(v float64) string { return duration(time.Duration(v)) }

// CompareBars compares the results with the targets.
func CompareBars(r Results) []Bar {
	var bars []Bar
	bars = append(bars, r.callBars()...)
	bars = append(bars, r.meteringBars()...)
	bars = append(bars, r.deadlineBars()...)
	bars = append(bars, r.loadBars()...)
	bars = append(bars, r.memoryBars()...)
	bars = append(bars, r.startBars()...)
	bars = append(bars, r.firstCallBars()...)
	bars = append(bars, r.fileBars()...)
	bars = append(bars, r.commandBars()...)
	bars = append(bars, r.scriptBars()...)
	bars = append(bars, r.codeBars()...)
	return append(bars, r.registryBar())
}

// ratio returns the ratio of the medians of two peers in one comparison.
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
		bars = append(bars, g.compare(value, missing))
	}
	bwrap := peer.Name{Guest: "c", Form: peer.Native, System: peer.Bubblewrap}
	for _, guest := range []string{"c", "rust", "as"} {
		reactor := func(system string) peer.Name { return peer.Name{Guest: guest, Form: peer.Reactor, System: system} }
		add(goal{language(guest) + " reactor, relative to a reused instance", atMost, 4, false, times},
			guest, reactor(peer.Wasmtool), reactor(peer.Reuse))
		add(goal{language(guest) + " reactor, faster than a C program in bubblewrap", atLeast, 500, false, times},
			guest, bwrap, reactor(peer.Wasmtool))
	}
	reactor := func(system string) peer.Name { return peer.Name{Guest: "go", Form: peer.Reactor, System: system} }
	command := func(system string) peer.Name { return peer.Name{Guest: "go", Form: peer.Command, System: system} }
	add(goal{"Go reactor, relative to a reused instance", atMost, 7, false, times}, "go", reactor(peer.Wasmtool), reactor(peer.Reuse))
	add(goal{"Go reactor, warmed snapshot, relative to a reused instance", atMost, 2.5, false, times},
		"go", reactor(peer.WasmtoolWarm), reactor(peer.Reuse))
	add(goal{"Go reactor, faster than a fresh instance", atLeast, 25, false, times},
		"go", reactor(peer.Fresh), reactor(peer.Wasmtool))
	add(goal{"Go command, faster than a fresh instance", atLeast, 12, false, times},
		"go", command(peer.Fresh), command(peer.Wasmtool))
	return bars
}

func (r Results) deadlineBars() []Bar {
	alone := goal{"p99 of a deadline's overshoot, idle", atMost, float64(time.Millisecond), false, span}
	crowded := goal{"p99 of a deadline's overshoot, 50 spinning guests", atMost, float64(250 * time.Millisecond), false, span}
	if len(r.Deadlines) == 0 {
		return []Bar{alone.compare(0, leftOut), crowded.compare(0, leftOut)}
	}
	var bars []Bar
	for _, o := range r.Deadlines {
		g := alone
		if o.Guests > 1 {
			g = crowded
			g.what = fmt.Sprintf("p99 of a deadline's overshoot, %d spinning guests", o.Guests)
		}
		bars = append(bars, g.compare(float64(o.P99), o.Missing))
	}
	return bars
}

// barCallers is the number of callers for the throughput targets.
const barCallers = 64

func (r Results) loadBars() []Bar {
	var bars []Bar
	for _, b := range []struct {
		guest string
		limit float64
	}{{"go", 10_000}, {"c", 200_000}} {
		g := goal{fmt.Sprintf("%s reactor, calls per second with %d callers", language(b.guest), barCallers), atLeast, b.limit, true, perSecond}
		value, missing := 0.0, leftOut
		if len(r.Loads) > 0 {
			missing = fmt.Sprintf("no run with %d callers", barCallers)
		}
		for _, l := range r.Loads {
			if l.Peer.Guest == b.guest && l.Peer.System == peer.Wasmtool && l.Callers == barCallers {
				value, missing = l.PerSecond, l.Missing
			}
		}
		bars = append(bars, g.compare(value, missing))
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
			return []Bar{live.compare(m.PerInstance(), m.Missing), idle.compare(m.PerKept(m.Resting), notKept)}
		}
	}
	return []Bar{live.compare(0, leftOut), idle.compare(0, leftOut)}
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
		bars = append(bars, g.compare(value, missing))
	}
	return bars
}

// firstCallBars are the targets for first calls.
func (r Results) firstCallBars() []Bar {
	var bars []Bar
	for _, c := range r.FirstCalls {
		g := goal{"first call of " + c.Tool + ", with an empty cache", atMost, float64(1500 * time.Millisecond), false, span}
		bars = append(bars, g.compare(float64(c.P50), c.Missing))
	}
	return bars
}

// fileBars are the targets for file tools. Tools that search are compared with programs that
// search; the others have a time limit.
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
			bars = append(bars, g.compare(float64(job.P50), job.Missing))
			continue
		}
		g := goal{tool + " in 20,000 files, relative to " + searchers[tool], atMost, 3, false, times}
		bars = append(bars, g.compare(measure.Ratio(job.P50, job.Of.P50), job.Missing))
	}
	return bars
}

// searchers are the programs with which search tools are compared.
var searchers = map[string]string{"grep": "ripgrep", "glob": "fd"}

// script returns the median of a system that runs scripts, or 0 and the reason why nothing was
// measured.
func (r Results) script(language, system string) (time.Duration, string) {
	for _, s := range r.Scripts {
		if s.Language == language && s.System == system {
			return s.P50, s.Missing
		}
	}
	return 0, leftOut
}

// scriptBars are the targets for scripts in Python and JavaScript.
func (r Results) scriptBars() []Bar {
	var bars []Bar
	for _, b := range []struct {
		language string
		limit    time.Duration
	}{{"Python", 10 * time.Millisecond}, {"JavaScript", 300 * time.Microsecond}} {
		p50, missing := r.script(b.language, measure.ScriptTool)
		bars = append(bars, goal{"script in " + b.language + ", one call through Registry.Execute", atMost, float64(b.limit), false, span}.compare(float64(p50), missing))
	}
	for _, b := range []struct {
		what, system string
		limit        float64
	}{
		{"script in Python, faster than python3 in bubblewrap", measure.ScriptBubblewrap, 10},
		{"script in Python, faster than starting python3", measure.ScriptNative, 4},
	} {
		ours, missing := r.script("Python", measure.ScriptTool)
		other, without := r.script("Python", b.system)
		bars = append(bars, goal{b.what, atLeast, b.limit, false, times}.compare(measure.Ratio(other, ours), cmp.Or(missing, without)))
	}
	return bars
}

// registryBar is the target for the C reactor, the smallest tool.
func (r Results) registryBar() Bar {
	g := goal{"time that Registry.Execute adds to the runtime, C reactor", atMost, float64(50 * time.Microsecond), true, span}
	name := func(system string) peer.Name { return peer.Name{Guest: "c", Form: peer.Reactor, System: system} }
	registry, missing := r.call("c", name(peer.Registry))
	if missing != "" {
		return g.compare(0, missing)
	}
	runtime, missing := r.call("c", name(peer.Wasmtool))
	return g.compare(math.Max(0, float64(registry-runtime)), missing)
}

// language returns the display name of a guest's language.
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
