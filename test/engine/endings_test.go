package engine

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/runtime"
)

// ending is a way in which a call can end, with its possible outcomes.
type ending struct {
	name     string
	outcomes []string
	// rare marks an ending that takes long. The function pick therefore chooses it less often.
	rare bool
}

// ownEndings is the number of endings that the guest itself causes. They are the first in the list.
const ownEndings = 3

var endings = []ending{
	{name: "return", outcomes: []string{""}},
	{name: "fail", outcomes: []string{string(runtime.Failed)}},
	{name: "exit", outcomes: []string{string(runtime.Failed)}},
	{name: "trap", outcomes: []string{string(runtime.Trap)}},
	{name: "loop", outcomes: []string{string(runtime.Timeout)}, rare: true},
	{name: "sleep", outcomes: []string{string(runtime.Timeout)}, rare: true},
	// A guest that has closed its output writes forever, or fails.
	{name: "flood", outcomes: []string{"resource_exhausted (output)", string(runtime.Timeout), string(runtime.Failed)}, rare: true},
}

// timeout returns the time limit of a call with this ending: a few milliseconds if the call does
// not end by itself.
func (e ending) timeout(random *rand.Rand) time.Duration {
	if slices.Contains(e.outcomes, string(runtime.Timeout)) {
		return time.Duration(1+random.IntN(10)) * time.Millisecond
	}
	return time.Minute
}

// pick chooses where a call leaves its token and how the call ends. Two thirds of the calls leave
// the token only in memory and end by themselves, so that their instances are reused.
func (g guest) pick(random *rand.Rand) (steps []string, end ending) {
	clean := random.IntN(3) > 0
	for len(steps) < 1+random.IntN(4) {
		if s := g.steps[random.IntN(len(g.steps))]; !clean || !s.outside {
			steps = append(steps, s.name)
		}
	}
	if clean {
		return steps, endings[random.IntN(ownEndings)]
	}
	if n := len(g.ends); n > 0 && random.IntN(10) == 0 {
		return steps, ending{name: g.ends[random.IntN(n)], outcomes: []string{string(runtime.Failed), string(runtime.Trap)}}
	}
	for {
		if e := endings[random.IntN(len(endings))]; !e.rare || random.IntN(5) == 0 {
			return steps, e
		}
	}
}
