package measure

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/job"
	"github.com/wasmtool/wasmtool/bench/internal/parts"
	"github.com/wasmtool/wasmtool/bench/internal/peer"
)

// CallCost is what a warm call through Registry.Execute costs, made by one caller. All figures
// except Calls are means for one call.
type CallCost struct {
	Guest string `json:"guest"`
	Calls int    `json:"calls"`
	// Wall is the time of a call. CPU is its processor time on all goroutines: the sum of Parts.
	Wall  time.Duration                `json:"wall_ns"`
	CPU   time.Duration                `json:"cpu_ns"`
	Parts map[parts.Part]time.Duration `json:"parts_ns"`
	// Allocs and Bytes are Go's allocations. Switches are context switches.
	Allocs     float64 `json:"allocs"`
	Bytes      float64 `json:"bytes"`
	PageFaults float64 `json:"page_faults"`
	Switches   float64 `json:"switches"`
	Missing    string  `json:"missing,omitempty"`
}

// costed is a tool whose calls are measured.
type costed struct {
	*CallCost
	call  func() error
	times parts.Times
	used  usage
}

// Parts measures what the parts of a call cost. The guests take turns.
func Parts(ctx context.Context, s peer.Setup, p Plan, progress func(string)) []CallCost {
	progress("the parts of a call")
	rows := []CallCost{{Guest: "C"}, {Guest: "Go"}, {Guest: "JavaScript"}, {Guest: "Python"}}
	all := make([]*costed, len(rows))
	for i := range rows {
		c := &costed{CallCost: &rows[i], times: make(parts.Times)}
		all[i] = c
		call, done, err := costedTool(ctx, s, c.Guest)
		if done != nil {
			defer done()
		}
		c.call = call
		for n := 0; n < warmUps && err == nil; n++ {
			err = call()
		}
		if err != nil {
			c.Missing = reason(err)
		}
	}
	for range p.PartTurns {
		for _, c := range all {
			if c.Missing != "" || ctx.Err() != nil {
				continue
			}
			if err := c.turn(p.PartTurn); err != nil {
				c.Missing = reason(err)
			}
		}
	}
	for _, c := range all {
		c.divide()
	}
	return rows
}

// costedTool returns a function that calls the tool of a guest.
func costedTool(ctx context.Context, s peer.Setup, guest string) (call func() error, done func(), err error) {
	for _, k := range scriptKinds() {
		if k.language == guest {
			run, done, err := k.tool(ctx, s, false)
			return different(run, strings.TrimSuffix(scriptInput, "]}")+"%03d]}", scriptOutput), done, err
		}
	}
	p := peer.Find(peer.Name{Guest: strings.ToLower(guest), Form: peer.Reactor, System: peer.Registry}, s)
	done = func() { _ = p.Close() }
	if err := p.Prepare(ctx); err != nil {
		return nil, done, err
	}
	run := func(input string) (string, error) {
		output, err := p.Call(ctx, []byte(input))
		return string(output), err
	}
	template := strings.TrimSuffix(string(job.Input()), `"}`) + ` %03d"}`
	first := fmt.Sprintf(template, 0)
	answer, err := run(first)
	if err == nil {
		err = job.Check([]byte(first), []byte(answer))
	}
	return different(run, template, answer), done, err
}

// differentCalls is the number of calls until arguments are used again. The detection of loops
// keeps the last 240 calls, and would otherwise write a warning for each call.
const differentCalls = 500

// different returns a function that calls run with other arguments than the calls before it. The
// template makes them from a number below 1000, which does not change the answer.
func different(run func(string) (string, error), template, answer string) func() error {
	var inputs [differentCalls]string
	for i := range inputs {
		inputs[i] = fmt.Sprintf(template, i)
	}
	n := 0
	return func() error {
		n++
		got, err := run(inputs[n%len(inputs)])
		if err == nil && strings.TrimSpace(got) != answer {
			err = fmt.Errorf("the answer is %.200q, not %q", got, answer)
		}
		return err
	}
}

// turn makes calls for the given time, under the profiler. The rate remains 100 per second: Go sets
// it when a profile starts, and the kernel's clock allows at most a few times as many.
func (c *costed) turn(length time.Duration) error {
	runtime.GC() // the garbage of the previous guest
	for range 2 {
		if err := c.call(); err != nil {
			return err
		}
	}
	var profile bytes.Buffer
	if err := pprof.StartCPUProfile(&profile); err != nil {
		return err
	}
	err := c.calls(length)
	pprof.StopCPUProfile()
	if err != nil {
		return err
	}
	return c.times.Add(&profile)
}

// calls makes calls for the given time, and adds what they use to c.used.
func (c *costed) calls(length time.Duration) error {
	before, err := use()
	if err != nil {
		return err
	}
	for start := time.Now(); time.Since(start) < length; c.Calls++ {
		if err := c.call(); err != nil {
			return err
		}
	}
	after, err := use()
	for i := range after {
		c.used[i] += after[i] - before[i]
	}
	return err
}

// divide divides what was used by the number of calls, and the processor time into parts.
func (c *costed) divide() {
	if c.Missing != "" || c.Calls == 0 {
		return
	}
	n := float64(c.Calls)
	c.Wall, c.CPU = time.Duration(c.used[usedWall]/n), time.Duration(c.used[usedCPU]/n)
	c.Allocs, c.Bytes, c.PageFaults, c.Switches = c.used[usedAllocs]/n, c.used[usedBytes]/n, c.used[usedPageFaults]/n, c.used[usedSwitches]/n
	c.Parts = make(map[parts.Part]time.Duration)
	for part, sampled := range c.times {
		c.Parts[part] = time.Duration(float64(c.CPU) * float64(sampled) / float64(c.times.Sum()))
	}
}

// usage is what the process has used: counts, and times in nanoseconds.
type usage [usedKinds]float64

const (
	usedWall = iota
	usedCPU
	usedAllocs
	usedBytes
	usedPageFaults
	usedSwitches
	usedKinds
)

func use() (usage, error) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u := usage{usedWall: float64(time.Now().UnixNano()), usedAllocs: float64(m.Mallocs), usedBytes: float64(m.TotalAlloc)}
	err := u.addOfSystem()
	return u, err
}
